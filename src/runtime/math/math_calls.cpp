#include "runtime/math/math_calls.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/shared_library.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/errors.hpp"

namespace xcuda::runtime::math {
namespace {

// Where the packages of a Python may have an OpenBLAS: that beside which this library is installed, or the one in use.
std::vector<std::string> library_folders() {
  namespace fs = std::filesystem;
  std::vector<fs::path> prefixes;
  if (const auto own = own_library_path(); !own.empty()) prefixes.push_back(own.parent_path().parent_path());
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* prefix = getenv(name)) prefixes.emplace_back(prefix);
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const auto& prefix : prefixes)
    for (fs::directory_iterator at(prefix / "lib", ignored), end; !ignored && at != end; at.increment(ignored))
      if (at->path().filename().string().starts_with("python3")) folders.push_back(at->path() / "site-packages");
  return folders;
}

std::atomic<int> known_threads{0};

bool reaches_memory(State& state, const std::string& function, const Reach& reach) {
  if (reach.bytes == 0) return true;
  const auto found = state.memory.find(reach.address);
  if (!found) {
    say(fmt::format("{}: {} ({}) is not memory of the device: allocate it with cudaMalloc()", function, reach.name,
                    reach.address));
    return false;
  }
  if (state.memory.fits(reach.address, reach.bytes)) return true;
  const auto left = found->address + found->size - reinterpret_cast<std::uintptr_t>(reach.address);
  say(fmt::format("{}: {} has {} bytes, but the call needs {}", function, reach.name, left, reach.bytes));
  return false;
}

}  // namespace

int Codes::of(Outcome outcome) const {
  switch (outcome) {
    case Outcome::done: return 0;
    case Outcome::uninitialized: return uninitialized;
    case Outcome::memory: return memory;
    case Outcome::value: return value;
    case Outcome::failed: return failed;
    case Outcome::unsupported: break;
  }
  return unsupported;
}

Outcome post(const Posted& posted, std::function<void()> work) {
  const RuntimeUnchanged unchanged;
  auto outcome = Outcome::done;
  const auto error = with_state([&](State& state) {
    known_threads = state.engine.info().multiprocessors;
    for (const auto& reach : posted.reaches)
      if (!reaches_memory(state, posted.function, reach)) {
        outcome = Outcome::failed;
        return cudaSuccess;
      }
    LibraryWork item{std::make_shared<const std::function<void()>>(std::move(work))};
    const bool waits =
        posted.waits == Waits::yes || (posted.waits == Waits::unless_captured && !state.captures(posted.stream));
    return waits ? submit_and_wait(state, posted.stream, std::move(item))
                 : submit(state, posted.stream, std::move(item));
  });
  if (outcome != Outcome::done || error == cudaSuccess) return outcome;
  return error == cudaErrorMemoryAllocation ? Outcome::memory : Outcome::failed;
}

const library::cpu::OpenBlas* open_blas() {
  const RuntimeUnchanged unchanged;
  with_state([](State& state) {  // which is made, if it is not there
    known_threads = state.engine.info().multiprocessors;
    return cudaSuccess;
  });
  static const library::cpu::OpenBlas* const opened = [] {
    const library::cpu::OpenBlas* made = nullptr;
    converted([&] {
      made = new library::cpu::OpenBlas({library::Family::blas, library_folders(), {}}, device_threads());
      return cudaSuccess;
    });
    return made;
  }();
  return opened;
}

int device_threads() { return known_threads == 0 ? 1 : known_threads.load(); }

bool is_device_memory(const void* address) {
  const RuntimeUnchanged unchanged;
  bool known = false;
  with_state([&](State& state) {
    known = state.memory.find(address).has_value();
    return cudaSuccess;
  });
  return known;
}

void say_once(const std::string& line) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(line).second) say(line);
}

void say_not_supported(const char* name, const char* what) {
  say_once(fmt::format("{} is not supported on the CPU device ({})", name, what));
}

}  // namespace xcuda::runtime::math
