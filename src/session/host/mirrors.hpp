// The device's memory as a process of the host sees it, where the host does not share it: a file without contents for
// each slab, at the slab's address. A piece comes from the device when it is touched first, and goes back when it has
// been changed. The state of pieces is kept here, so that nothing is lost with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/handle.hpp"
#include "device/device.hpp"
#include "device/memory.hpp"
#include "device/transfer.hpp"

namespace xcuda::session {

class Mirrors {
 public:
  // How contents reach the device, and come from it.
  struct Contents {
    std::function<void(const device::Region&, const std::function<void(std::span<const std::byte>)>&)> read;
    std::function<void(const device::Region&, const std::function<void(std::span<std::byte>)>&)> write;
  };
  explicit Mirrors(Contents contents) : contents_(std::move(contents)) {}

  // Gives every slab a mirror in the process, and ends all others. Errors: those of mirror_memory(); io, memory.
  void follow(device::Device& process, const std::vector<device::Memory::Piece>& slabs);
  // Called before code runs: no write may go unnoticed, and no read may see data that differ from the device's.
  enum class Device : std::uint8_t { unchanged, changed };  // since the last run
  void guard(device::Device& process, Device device);
  // Called while code runs. Errors: those of reading, memory.
  device::Touch fetch(device::Address piece, device::Access access);
  // Called after code has run, however it ended. Errors: those of writing; called again, it goes on.
  void bring_back();
  void process_replaced();  // by one that knows all mirrors and has touched nothing
  void clear();             // there is no process
  void give_back();         // gives back most of the host's memory of pieces; then none is current

  struct Counts {
    std::uint64_t fetched = 0, brought_back = 0;  // pieces so far
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Piece {
    device::Touch granted = device::Touch::refused;
    bool current = false;  // the file has the device's contents
    bool changed = false;  // the device does not have the change yet
  };
  struct Mirror {
    device::MemoryId id{};
    device::MemoryId slab{};
    std::uint64_t size = 0;
    File file;
    std::map<std::uint64_t, Piece> pieces;  // by offset; those that were touched
  };
  using Place = std::map<device::Address, Mirror>::iterator;
  void fill(const Mirror& mirror, device::Address begin, std::uint64_t offset);
  void drain(const Mirror& mirror, device::Address begin, std::uint64_t offset, std::uint64_t bytes);
  void look_at_host_memory();

  Contents contents_;
  std::map<device::Address, Mirror> mirrors_;
  std::uint32_t next_id_ = 1;
  Counts counts_;
};

}  // namespace xcuda::session
