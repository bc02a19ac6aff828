// The session's allocator: arrays in slabs of device memory, at addresses of the window that it chooses.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace xcuda::device {

struct MemoryPlan {
  std::uint64_t first_slab = 0;  // bytes; 0: 64 MiB on a GPU, 4 MiB elsewhere, where a slab costs what it holds
  std::uint64_t largest_slab = std::uint64_t{256} << 20;  // small arrays' slabs double up to this
  std::uint64_t reserve = 0;   // bytes that are never taken, so that a new context always fits
  std::optional<Window> part;  // of the device's window that it keeps to; none: all of it
  std::uint32_t first_id = 1;  // of its memory
};

// Small arrays share slabs; an array of at least half a slab has one of its own. Nothing is freed without the knowledge
// of posted work: a range that is free again is only handed to work that is posted later.
class Memory {
 public:
  static constexpr std::uint64_t kAlignment = 512;  // bytes; of every array: what a texture of its memory needs

  explicit Memory(Device& device, const MemoryPlan& plan = {});
  ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Contents are unknown. Errors: memory, with how much is free and who holds the rest; value for 0 bytes.
  Address allocate(std::uint64_t bytes, const std::string& name = {});
  // One range whose parts live on several devices of a set, each from and to a multiple of the granularity.
  Address allocate(const Placement& placement, const std::string& name = {});
  // A copy for each of so many devices, at an address of its own: that of the first is returned, and freed with the
  // others.
  Address allocate_replicas(std::uint64_t bytes, std::uint32_t devices, const std::string& name = {});
  // Where the copies begin that the allocation has which holds an address; empty where it has no others.
  const std::vector<Address>& copies_of(Address address) const;
  Address copy_on(std::uint32_t device, Address address) const;  // the same element of another copy, or itself
  struct Extent {
    Address begin = 0;
    std::uint64_t bytes = 0;
  };
  Extent allocation_of(Address address) const;  // that holds it; empty for none
  // On which devices of a set these bytes live, in the order of the addresses; nothing for other addresses.
  std::vector<Placement::Part> homes_of(Address address, std::uint64_t bytes) const;

  // Another process's own memory, open until it is freed. Errors: unsupported, value, memory.
  Address borrow(ForeignMemory memory);  // its id is chosen here
  bool is_borrowed(Address address) const { return borrowed_.contains(address); }
  void forget_borrowed();  // the device's process has ended, and what it had opened with it
  void keep_free(std::uint64_t bytes) { plan_.reserve = bytes; }
  void limit(std::uint64_t bytes) { limit_ = bytes; }  // what slabs may take in all; 0: what the device has

  // When a freed range may be used again: by whatever is posted next to the default stream, or, when other streams
  // may still work on it, after the next synchronisation.
  enum class Reuse : std::uint8_t { in_order, after_synchronisation };
  void free(Address address, Reuse reuse = Reuse::in_order);
  void rename(Address address, const std::string& name);  // who holds it, for errors

  // To be called after each synchronize() of the device: ranges whose use is over, and empty slabs, are given back.
  void synchronized();

  // The window has moved (Recovery::window_kept is false): every address moves along.
  void move_window(const Window& window);

  struct Holder {
    Address address;
    std::uint64_t size;
    std::string name;
  };
  std::vector<Holder> holders() const;  // largest first
  // What the arrays lie in, for another process that maps it, too; the descriptor is empty where the device cannot
  // export memory.
  struct Piece {
    MemoryId id{};
    Address address = 0;
    std::uint64_t size = 0;
    const File& descriptor;
  };
  std::vector<Piece> pieces() const;
  std::uint64_t used() const { return used_; }    // bytes in arrays
  std::uint64_t taken() const { return taken_; }  // bytes in slabs
  std::uint64_t unused() const { return taken_ - used_; }
  std::size_t slab_count() const { return slabs_.size(); }

 private:
  struct Slab {
    MemoryId id{};
    std::uint64_t size = 0;
    File descriptor;
    // placed: part of a range that lives on certain devices; nothing else shares it.
    enum class Use : std::uint8_t { shared, own, placed } use = Use::shared;
    std::uint32_t device = 0;               // that it lives on
    std::vector<Placement::Part> parts{};   // where it lives on several
    std::map<Address, std::uint64_t> free;  // address -> size; neighbours are joined
    std::uint64_t used = 0;
  };
  struct Allocation {
    std::uint64_t size = 0;
    std::string name;
    std::vector<Address> copies{};  // of replicas, itself first
  };
  using Slabs = std::map<Address, Slab>;
  using BySize = std::set<std::pair<std::uint64_t, Address>>;

  struct Pool {
    Slab::Use use = Slab::Use::shared;
    std::uint32_t device = 0;
    auto operator<=>(const Pool&) const = default;  // NOLINT(modernize-use-nullptr): it sees the 0 of a comparison
  };
  static Pool pool_of(const Slab& slab) { return {slab.use, slab.device}; }
  void add_free(Slab& slab, Address address, std::uint64_t size);
  void drop_free(Slab& slab, std::map<Address, std::uint64_t>::iterator range);
  std::optional<Address> take(std::uint64_t size, Pool pool);
  Slabs::iterator add_slab(std::uint64_t size, Pool pool);
  Slabs::iterator make_slab(const MemoryRequest& request, Slab::Use use);
  Address note(Address address, std::uint64_t size, const std::string& name);
  Address allocate_on(std::uint32_t device, std::uint64_t bytes, const std::string& name);
  Address allocate_parts(const Placement& placement, std::uint64_t bytes, const std::string& name);
  Address find_place(std::uint64_t size) const;
  std::uint64_t slab_size_for(std::uint64_t bytes, Slab::Use use) const;
  Slabs::iterator slab_of(Address address);
  Slabs::const_iterator slab_of(Address address) const { return std::prev(slabs_.upper_bound(address)); }
  void give_back(Address address, std::uint64_t size);
  void drop_empty(std::size_t keep);
  struct Room {
    std::uint64_t bytes = 0;  // that new slabs may take
    enum class Bound : std::uint8_t { device, limit } bound = Bound::device;
    bool others = false;  // hold memory of the device: other processes
  };
  Room room(std::uint32_t device = 0) const;
  Error too_much(std::uint64_t bytes, const std::string& name, const Room& room, const std::string& library) const;

  Device& device_;
  MemoryPlan plan_;
  Window window_;
  Kind kind_;
  bool shared_;  // each device of a set reaches all of it
  std::uint64_t granularity_;
  std::string device_name_;
  Slabs slabs_;
  std::map<Pool, BySize>
      free_;  // the free ranges of slabs of one use and device, so that the best one is found at once
  std::map<Address, Allocation> allocations_;
  std::vector<std::pair<Address, std::uint64_t>> waiting_;  // freed, in use until the next synchronisation
  std::multimap<Address, MemoryId> borrowed_;               // an id of 0: no longer open
  std::uint64_t used_ = 0, taken_ = 0, limit_ = 0;
  std::uint64_t next_shared_;
  std::uint32_t next_id_;
};

}  // namespace xcuda::device
