// A worker that serves the fake device. XCUDA_FAKE_END="<verb> <how> <file>" ends it at a verb once: the file is
// removed when it happens, so that the worker after it lives. `how` is a signal's number, "exit", "hang" or "throw".
// XCUDA_FAKE_END_ALWAYS="<verb> <file>" ends it at a verb for as long as the file is there.
// XCUDA_FAKE_WORDS=refused: it cannot wait for other devices.
// XCUDA_FAKE_DOING=<text> is what it says that it does all the time.
// XCUDA_FAKE_WINDOW_MOVES=<file> gives each process another window; the file counts them.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/worker.hpp"
#include "device/fault_record.hpp"
#include "device/remote/serve_device.hpp"
#include "tests/contract/fake_kernels.hpp"

namespace {

void end_at(std::string_view verb) {
  if (const char* const always = std::getenv("XCUDA_FAKE_END_ALWAYS"); always != nullptr) {
    std::istringstream words(always);
    std::string wanted, file;
    words >> wanted >> file;
    if (verb == wanted && access(file.c_str(), F_OK) == 0) std::_Exit(9);
  }
  const char* const plan = std::getenv("XCUDA_FAKE_END");
  if (plan == nullptr) return;
  std::istringstream words(plan);
  std::string wanted, how, file;
  words >> wanted >> how >> file;
  if (verb != wanted || unlink(file.c_str()) != 0) return;
  if (how == "exit") std::_Exit(9);
  if (how == "throw") throw std::runtime_error("thrown on purpose");
  if (how == "hang")
    for (;;) pause();
  raise(std::stoi(how));
}

// The number of processes that were started with this file.
std::uint64_t count_start(const char* file) {
  std::ofstream(file, std::ios::app) << "x";
  return std::ifstream(file, std::ios::ate).tellg();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xcuda;
  auto channel = enter_worker(argc, argv, "fake_worker");
  return device::remote::serve(channel, [](const device::StartRequest& start) {
    end_at("start");
    auto options = device::contract::fake_options(device::contract::Manners::dies);
    options.start = start;
    options.before = end_at;
    options.queue_depth = 1024;  // as a driver's
    if (const char* const ends = std::getenv("XCUDA_FAKE_MEMORY_ENDS"); ends != nullptr)
      options.memory_kind = device::FakeOptions::Memory::ends_with_device;
    if (std::getenv("XCUDA_FAKE_WORDS") != nullptr) options.words = device::FakeOptions::Words::refused;
    if (const char* const doing = std::getenv("XCUDA_FAKE_DOING"); doing != nullptr)
      start.fault_record->doing.set(doing);
    if (const char* const starts = std::getenv("XCUDA_FAKE_WINDOW_MOVES"); starts != nullptr)
      options.start.window.base = device::Window{}.base + (count_start(starts) << 30);
    return std::make_unique<device::FakeDevice>(std::move(options));
  });
}
