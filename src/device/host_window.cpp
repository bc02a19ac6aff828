#include "device/host_window.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/passing.hpp"
#include "base/process_limits.hpp"
#include "base/shared_memory.hpp"
#include "base/units.hpp"
#include "device/id_errors.hpp"

namespace xcuda::device {
namespace {

constexpr std::uint64_t kLeastWindow = std::uint64_t{64} << 20;  // bytes

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

void* reserve(Address base, std::uint64_t size) {
  constexpr int kTries = 3;  // another place would make pointers in arrays stale, also in every process to come
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (base != 0 ? MAP_FIXED_NOREPLACE : 0);
  void* start = MAP_FAILED;
  for (int tries = 0; tries < kTries && start == MAP_FAILED; ++tries) {
    start = mmap(pointer(base), size, PROT_NONE, flags, -1, 0);
    if (start == MAP_FAILED && !passes(errno)) break;
  }
  if (start == MAP_FAILED) return nullptr;
  if (base != 0 && start != pointer(base)) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    munmap(start, size);
    return nullptr;
  }
  return start;
}

}  // namespace

int protection_of(Touch touch) {
  return touch == Touch::write ? PROT_READ | PROT_WRITE : touch == Touch::read ? PROT_READ : PROT_NONE;
}

HostWindow::HostWindow(const Window& wanted, Reserve pages) : window_(wanted), pages_(pages) {
  window_.size = within_address_space(wanted.size);
  void* start = reserve(wanted.base, window_.size);
  if (start == nullptr) start = reserve(0, window_.size);
  // A sanitizer, or another library, may leave no room for that much.
  while (start == nullptr && window_.size / 2 >= kLeastWindow) {
    window_.size = window_.size / 2 / kGranularity * kGranularity;
    start = reserve(wanted.base, window_.size);
    if (start == nullptr) start = reserve(0, window_.size);
  }
  if (start == nullptr)
    throw Error(ErrorKind::memory, fmt::format("cannot reserve {} of addresses for arrays", format_bytes(window_.size)))
        .said(errno_text(errno))
        .advise(address_space_advice());
  window_.base = reinterpret_cast<Address>(start);
  // Pieces start at multiples of the granularity, also where the system chose the place.
  const auto slack = (kGranularity - window_.base % kGranularity) % kGranularity;
  if (slack != 0) {
    munmap(start, slack);
    window_.base += slack;
    window_.size -= slack;
    const auto tail = window_.size % kGranularity;
    munmap(pointer(window_.base + window_.size - tail), tail);
    window_.size -= tail;
  }
}

HostWindow::~HostWindow() { munmap(pointer(window_.base), window_.size); }

void HostWindow::check(const MemoryRequest& request) const {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorKind::value,
                 fmt::format("cannot map {} of memory at {:#x}", format_bytes(request.size), request.address))
        .said(why);
  };
  if (pieces_.contains(request.id))
    throw fail(fmt::format("memory {} already exists", static_cast<unsigned>(request.id)));
  if (request.size == 0 || request.size % kGranularity != 0 || request.address % kGranularity != 0)
    throw fail(fmt::format("address and size must be multiples of {}", format_bytes(kGranularity)));
  if (request.address < window_.base || request.size > window_.size ||
      request.address - window_.base > window_.size - request.size)
    throw fail(fmt::format("the window is {:#x} to {:#x}", window_.base, window_.base + window_.size));
  const auto next = by_address_.lower_bound(request.address);
  if (next != by_address_.end() && next->first < request.address + request.size) throw fail("the address is taken");
  if (next != by_address_.begin()) {
    const auto& before = pieces_.at(std::prev(next)->second);
    if (before.address + before.size > request.address) throw fail("the address is taken");
  }
}

void HostWindow::map(const MemoryRequest& request, const File& descriptor, int protection) {
  void* const start =
      mmap(pointer(request.address), request.size, protection, MAP_SHARED | MAP_FIXED, descriptor.get(), 0);
  if (start == MAP_FAILED)
    throw Error(ErrorKind::memory,
                fmt::format("cannot map {} of memory at {:#x}", format_bytes(request.size), request.address))
        .said(errno_text(errno));
  madvise(start, request.size, MADV_HUGEPAGE);  // where the system allows it for shared memory
  madvise(start, request.size, MADV_DONTDUMP);
  pieces_.emplace(request.id, request);
  by_address_.emplace(request.address, request.id);
}

File HostWindow::create(const MemoryRequest& request) {
  check(request);
  auto file = make_memory_file("xcuda-arrays", request.size, pages_);
  map(request, file, PROT_READ | PROT_WRITE);
  return file;
}

void HostWindow::check_size(const MemoryRequest& request, const File& descriptor) const {
  check(request);
  struct stat status {};
  if (fstat(descriptor.get(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < request.size)
    throw Error(ErrorKind::value, fmt::format("the descriptor of memory {} does not hold {}",
                                              static_cast<unsigned>(request.id), format_bytes(request.size)));
}

void HostWindow::import(const MemoryRequest& request, const File& descriptor) {
  check_size(request, descriptor);
  map(request, descriptor, PROT_READ | PROT_WRITE);
}

void HostWindow::mirror(const MemoryRequest& request, const File& descriptor) {
  check_size(request, descriptor);
  map(request, descriptor, PROT_NONE);
}

void HostWindow::guard(const GuardedRange& range) const {
  if (find(range.address, range.size) == nullptr)
    throw Error(ErrorKind::value, fmt::format("cannot guard {} at {:#x}: that is not entirely memory of this session",
                                              format_bytes(range.size), range.address));
  if (mprotect(pointer(range.address), range.size, protection_of(range.touch)) != 0)
    throw Error(ErrorKind::memory, "cannot guard a mirror").said(errno_text(errno));
}

void HostWindow::destroy(MemoryId id) {
  const auto found = pieces_.find(id);
  if (found == pieces_.end()) throw missing(id);
  const auto request = found->second;
  // The addresses stay reserved.
  mmap(pointer(request.address), request.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
       0);
  by_address_.erase(request.address);
  pieces_.erase(found);
}

const MemoryRequest* HostWindow::find(Address address, std::uint64_t size) const {
  auto next = by_address_.upper_bound(address);
  if (next == by_address_.begin()) return nullptr;
  const auto& piece = pieces_.at(std::prev(next)->second);
  const auto offset = address - piece.address;
  return offset <= piece.size && size <= piece.size - offset ? &piece : nullptr;
}

}  // namespace xcuda::device
