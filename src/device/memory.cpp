#include "device/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/process_limits.hpp"
#include "base/units.hpp"

namespace xcuda::device {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Memory::Memory(Device& device, const MemoryPlan& plan) : device_(device), plan_(plan), next_id_(plan.first_id) {
  const auto info = device.info();
  window_ = plan.part.value_or(info.window);
  kind_ = info.kind;
  shared_ = device.shares_memory();
  // At least that of a GPU, so that a slab can move there from any device.
  granularity_ = std::max(info.memory_granularity, 2 * kMiB);
  device_name_ = info.name;
  if (plan_.first_slab == 0) plan_.first_slab = info.kind == Kind::cuda ? 64 * kMiB : 4 * kMiB;
  // Under a limit on address space or on file sizes a large slab may not fit where its arrays would.
  auto most = window_.size / 16;
  if (info.kind != Kind::cuda) most = std::min(most, file_size_limit().value_or(most));
  most = std::max(most / granularity_ * granularity_, granularity_);
  plan_.first_slab = std::min(plan_.first_slab, most);
  plan_.largest_slab = std::min(plan_.largest_slab, most);
  next_shared_ = round_up(plan_.first_slab, granularity_);
}

Address Memory::allocate(std::uint64_t bytes, const std::string& name) {
  if (bytes == 0)
    throw Error(ErrorKind::value, fmt::format("cannot allocate 0 bytes for {}", name.empty() ? "an array" : name));
  if (bytes > window_.size)
    throw too_much(bytes, name, {device_.info().memory_free},
                   fmt::format("the window of addresses holds {}{}", format_bytes(window_.size),
                               address_space_limit() ? ", half of the limit on address space (ulimit -v)" : ""));
  const auto size = round_up(bytes, kAlignment);
  const auto use = size >= plan_.first_slab / 2 ? Slab::Use::own : Slab::Use::shared;
  auto address = take(size, {use});
  if (!address) {
    const auto slab = slab_size_for(size, use);
    auto free = room();
    if (slab > free.bytes) {
      drop_empty(0);
      free = room();
    }
    if (slab > free.bytes) {
      // A small array may still find room in a large array's slab, or a smaller slab may fit.
      address = take(size, {use == Slab::Use::own ? Slab::Use::shared : Slab::Use::own});
      const auto smallest = round_up(size, granularity_);
      if (!address && smallest > free.bytes) throw too_much(bytes, name, free, "");
      if (!address) add_slab(smallest, {use});
    } else {
      add_slab(slab, {use});
      if (use == Slab::Use::shared)
        next_shared_ = std::min(next_shared_ * 2, round_up(plan_.largest_slab, granularity_));
    }
    if (!address) address = take(size, {use});
  }
  if (!address) throw Error(ErrorKind::internal, fmt::format("a new slab has no room for {}", format_bytes(size)));
  return note(*address, size, name);
}

Address Memory::note(Address address, std::uint64_t size, const std::string& name) {
  allocations_[address] = {size, name};
  used_ += size;
  return address;
}

// As on the first device: memory of a GPU costs a millisecond to make.
Address Memory::allocate_on(std::uint32_t device, std::uint64_t bytes, const std::string& name) {
  const auto size = round_up(bytes, kAlignment);
  const auto shared = std::max(plan_.first_slab / 4 / granularity_ * granularity_, granularity_);
  const Pool pool{size >= shared / 2 ? Slab::Use::own : Slab::Use::shared, device};
  auto address = take(size, pool);
  if (!address) {
    const auto slab = pool.use == Slab::Use::own ? round_up(size, granularity_) : shared;
    if (slab > room(device).bytes) drop_empty(0);
    if (const auto free = room(device); slab > free.bytes) throw too_much(bytes, name, free, "");
    add_slab(slab, pool);
    address = take(size, pool);
  }
  return note(address.value(), size, name);
}

// The pieces lie side by side. Those that are there when another one cannot be had are empty slabs, which the next
// synchronisation gives back. The memory of the CPU device is the host's, wherever a part is said to live.
Address Memory::allocate(const Placement& placement, const std::string& name) {
  std::uint64_t bytes = 0;
  for (const auto& part : placement.parts) bytes += part.bytes;
  const bool elsewhere = std::any_of(placement.parts.begin(), placement.parts.end(),
                                     [](const auto& part) { return part.device != 0 && part.bytes > 0; });
  if ((kind_ == Kind::cpu && shared_) || !elsewhere || bytes == 0) return allocate(bytes, name);
  if (placement.parts.size() == 1) return allocate_on(placement.parts[0].device, bytes, name);
  if (!shared_) return allocate_parts(placement, bytes, name);
  const auto size = round_up(bytes, granularity_);
  if (limit_ > 0 && size > limit_ - std::min(limit_, taken_))
    throw too_much(bytes, name, {limit_ - std::min(limit_, taken_), Room::Bound::limit}, "");
  const auto begin = find_place(size);
  std::vector<Slabs::iterator> made;
  std::uint64_t done = 0, told = 0;
  for (const auto& part : placement.parts) {
    told += part.bytes;
    const auto until = told == bytes ? size : (told + granularity_ / 2) / granularity_ * granularity_;
    if (until <= done) continue;
    made.push_back(make_slab({MemoryId{next_id_++}, begin + done, until - done, part.device}, Slab::Use::placed));
    done = until;
  }
  for (const auto& slab : made) slab->second.used = slab->second.size;
  return note(begin, size, name);
}

// The parts meet at any byte: each device has the granules that its part touches.
Address Memory::allocate_parts(const Placement& placement, std::uint64_t bytes, const std::string& name) {
  const auto size = round_up(bytes, granularity_);
  if (limit_ > 0 && size > limit_ - std::min(limit_, taken_))
    throw too_much(bytes, name, {limit_ - std::min(limit_, taken_), Room::Bound::limit}, "");
  const auto slab = make_slab({MemoryId{next_id_++}, find_place(size), size, 0, placement.parts}, Slab::Use::placed);
  slab->second.used = size;
  return note(slab->first, size, name);
}

std::vector<Placement::Part> Memory::homes_of(Address address, std::uint64_t bytes) const {
  if (slabs_.empty() || address < slabs_.begin()->first) return {};
  std::vector<Placement::Part> homes;
  const auto add = [&](std::uint32_t device, Address begin, Address end) {
    const auto first = std::max(begin, address), last = std::min(end, address + bytes);
    if (first >= last) return;
    if (homes.empty() || homes.back().device != device)
      homes.push_back({device, last - first});
    else
      homes.back().bytes += last - first;
  };
  for (auto slab = slab_of(address); slab != slabs_.end() && slab->first < address + bytes; ++slab) {
    const auto& [begin, piece] = *slab;
    auto at = begin;
    for (const auto& part : piece.parts) {
      add(part.device, at, at + part.bytes);
      at += part.bytes;
    }
    add(piece.parts.empty() ? piece.device : piece.parts.back().device, at, begin + piece.size);
  }
  return homes;
}

Address Memory::allocate_replicas(std::uint64_t bytes, std::uint32_t devices, const std::string& name) {
  struct Unfinished {
    Memory& memory;
    std::vector<Address> copies{};
    ~Unfinished() {
      for (const auto copy : copies) memory.free(copy);
    }
  } made{*this};
  for (std::uint32_t device = 0; device < devices; ++device)
    made.copies.push_back(
        allocate(Placement{{{device, bytes}}}, device == 0 ? name : fmt::format("{} ({})", name, device)));
  const auto address = made.copies.front();
  allocations_.at(address).copies = std::exchange(made.copies, {});
  return address;
}

const std::vector<Address>& Memory::copies_of(Address address) const {
  static const std::vector<Address> kNone;
  const auto found = allocations_.find(allocation_of(address).begin);
  return found == allocations_.end() ? kNone : found->second.copies;
}

Address Memory::copy_on(std::uint32_t device, Address address) const {
  const auto& copies = copies_of(address);
  return device < copies.size() ? copies[device] + (address - copies.front()) : address;
}

Memory::Extent Memory::allocation_of(Address address) const {
  if (address < window_.base) return {};  // a number among the arguments of a launch
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return {};
  const auto& [begin, allocation] = *std::prev(after);
  return address - begin < allocation.size ? Extent{begin, allocation.size} : Extent{};
}

Address Memory::borrow(ForeignMemory memory) {
  memory.id = MemoryId{next_id_++};
  const auto address = device_.open_memory(memory);
  borrowed_.emplace(address, memory.id);
  return address;
}

void Memory::forget_borrowed() {
  for (auto& [address, id] : borrowed_) id = MemoryId{};
}

void Memory::add_free(Slab& slab, Address address, std::uint64_t size) {
  slab.free.emplace(address, size);
  free_[pool_of(slab)].emplace(size, address);
}

void Memory::drop_free(Slab& slab, std::map<Address, std::uint64_t>::iterator range) {
  free_[pool_of(slab)].erase({range->second, range->first});
  slab.free.erase(range);
}

// Best fit. A range of a large array's slab is only cut when little of it is lost, and of a longer one more is.
std::optional<Address> Memory::take(std::uint64_t size, Pool pool) {
  const auto& free = free_[pool];
  const auto best = free.lower_bound({size, 0});
  if (best == free.end()) return std::nullopt;
  const auto [room, address] = *best;
  const auto lost = room - size;
  if (pool.use == Slab::Use::own && lost >= granularity_ && lost > room / 4) return std::nullopt;
  auto& slab = slab_of(address)->second;
  drop_free(slab, slab.free.find(address));
  if (lost > 0) add_free(slab, address + size, lost);
  slab.used += size;
  return address;
}

std::uint64_t Memory::slab_size_for(std::uint64_t bytes, Slab::Use use) const {
  return use == Slab::Use::own ? round_up(bytes, granularity_) : next_shared_;
}

Memory::Slabs::iterator Memory::add_slab(std::uint64_t size, Pool pool) {
  const auto added = make_slab({MemoryId{next_id_++}, find_place(size), size, pool.device}, pool.use);
  add_free(added->second, added->first, size);
  return added;
}

Memory::Slabs::iterator Memory::make_slab(const MemoryRequest& request, Slab::Use use) {
  Slab slab;
  slab.id = request.id;
  slab.size = request.size;
  slab.use = use;
  slab.device = request.device;
  slab.parts.assign(request.parts.begin(), request.parts.end());
  slab.descriptor = device_.create_memory(request);
  taken_ += request.size;
  return slabs_.emplace(request.address, std::move(slab)).first;
}

// The lowest place that fits. One granule between slabs stays unmapped, so that a run past the end of one faults.
Address Memory::find_place(std::uint64_t size) const {
  Address place = round_up(window_.base, granularity_);
  for (const auto& [address, slab] : slabs_) {
    if (address >= place + size + granularity_) break;
    place = address + slab.size + granularity_;
  }
  if (place + size > window_.base + window_.size)
    throw Error(ErrorKind::memory, fmt::format("cannot find {} of addresses for arrays", format_bytes(size)))
        .said(fmt::format("the window of {} is full", format_bytes(window_.size)))
        .advise(address_space_limit()
                    ? "The limit on address space (ulimit -v) keeps it small: raise it, or free arrays."
                    : "Free arrays: %free x.");
  return place;
}

Memory::Slabs::iterator Memory::slab_of(Address address) { return std::prev(slabs_.upper_bound(address)); }

void Memory::free(Address address, Reuse reuse) {
  if (const auto borrowed = borrowed_.extract(address)) {
    if (borrowed.mapped() != MemoryId{}) device_.destroy_memory(borrowed.mapped());
    return;
  }
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) throw Error(ErrorKind::value, fmt::format("no array begins at {:#x}", address));
  const auto size = found->second.size;
  const auto copies = std::exchange(found->second.copies, {});
  allocations_.erase(found);
  for (std::size_t i = 1; i < copies.size(); ++i) free(copies[i], reuse);
  used_ -= size;
  if (reuse == Reuse::in_order) {
    give_back(address, size);
  } else {
    waiting_.emplace_back(address, size);
  }
}

void Memory::give_back(Address address, std::uint64_t size) {
  auto& slab = slab_of(address)->second;
  if (slab.use == Slab::Use::placed) {
    for (auto part = slab_of(address); part != slabs_.end() && part->first < address + size; ++part)
      part->second.used = 0;
    return;
  }
  slab.used -= size;
  const auto next = slab.free.lower_bound(address);
  if (next != slab.free.begin())
    if (const auto before = std::prev(next); before->first + before->second == address) {
      address = before->first;
      size += before->second;
      drop_free(slab, before);
    }
  if (next != slab.free.end() && next->first == address + size) {
    size += next->second;
    drop_free(slab, next);
  }
  add_free(slab, address, size);
}

void Memory::rename(Address address, const std::string& name) {
  if (const auto found = allocations_.find(address); found != allocations_.end()) found->second.name = name;
}

void Memory::synchronized() {
  for (const auto& [address, size] : waiting_) give_back(address, size);
  waiting_.clear();
  drop_empty(1);
}

// Gives empty slabs back, all but so many shared ones of each device, so that a cell that is run again finds its
// memory.
void Memory::drop_empty(std::size_t keep) {
  std::map<std::uint32_t, std::size_t> kept;
  for (auto slab = slabs_.begin(); slab != slabs_.end();) {
    const bool empty = slab->second.used == 0;
    if (empty && slab->second.use == Slab::Use::shared && kept[slab->second.device] < keep) {
      ++kept[slab->second.device];
      ++slab;
    } else if (empty) {
      device_.destroy_memory(slab->second.id);
      while (!slab->second.free.empty()) drop_free(slab->second, slab->second.free.begin());
      taken_ -= slab->second.size;
      slab = slabs_.erase(slab);
    } else {
      ++slab;
    }
  }
}

void Memory::move_window(const Window& window) {
  const auto moved = [&](Address address) { return address - window_.base + window.base; };
  Slabs slabs;
  free_.clear();
  for (auto& [address, slab] : slabs_) {
    const auto free = std::exchange(slab.free, {});
    auto& there = slabs.emplace(moved(address), std::move(slab)).first->second;
    for (const auto& [start, size] : free) add_free(there, moved(start), size);
  }
  std::map<Address, Allocation> allocations;
  for (auto& [address, allocation] : allocations_) {
    for (auto& copy : allocation.copies) copy = moved(copy);
    allocations.emplace(moved(address), std::move(allocation));
  }
  for (auto& [address, size] : waiting_) address = moved(address);
  slabs_ = std::move(slabs);
  allocations_ = std::move(allocations);
  window_ = window;
}

std::vector<Memory::Holder> Memory::holders() const {
  std::vector<Holder> result;
  for (const auto& [address, allocation] : allocations_) result.push_back({address, allocation.size, allocation.name});
  std::stable_sort(result.begin(), result.end(), [](const Holder& a, const Holder& b) { return a.size > b.size; });
  return result;
}

std::vector<Memory::Piece> Memory::pieces() const {
  std::vector<Piece> result;
  for (const auto& [address, slab] : slabs_) result.push_back({slab.id, address, slab.size, slab.descriptor});
  return result;
}

Memory::Room Memory::room(std::uint32_t device) const {
  const auto info = (device == 0 ? device_ : device_.member(device)).info();
  const auto left = info.memory_free - std::min(info.memory_free, plan_.reserve);
  const auto allowed = limit_ - std::min(limit_, taken_);
  if (limit_ > 0 && allowed < left) return {allowed, Room::Bound::limit};
  // What the driver and this context take is less than an eighth.
  const auto used = info.memory_total - std::min(info.memory_free, info.memory_total);
  const bool others = kind_ != Kind::cpu && used - std::min(taken_, used) > info.memory_total / 8;
  return {left, Room::Bound::device, others};
}

Error Memory::too_much(std::uint64_t bytes, const std::string& name, const Room& room,
                       const std::string& library) const {
  constexpr std::size_t kListed = 5;
  const auto all = holders();
  std::string held;
  for (std::size_t i = 0; i < std::min(all.size(), kListed); ++i)
    held += fmt::format("{}{} holds {}", held.empty() ? "" : ", ",
                        all[i].name.empty() ? "an array without a name" : all[i].name, format_bytes(all[i].size));
  if (all.size() > kListed) held += fmt::format(", and {} more", all.size() - kListed);
  const auto who = name.empty() ? "an array" : name;
  const auto holders = held.empty() ? "No array of this session holds memory." : held + ".";
  if (room.bound == Room::Bound::limit)
    return Error(ErrorKind::memory,
                 fmt::format("{} needs {}, but {} are left of the {} that arrays may take (%config memory)", who,
                             format_bytes(bytes), format_bytes(room.bytes), format_bytes(limit_)))
        .advise(fmt::format("Free arrays with %free, or raise the limit: %config memory {}MiB. {}",
                            std::bit_ceil(taken_ + round_up(bytes, granularity_)) / kMiB, holders));
  return Error(ErrorKind::memory, fmt::format("{} needs {}, but {} are free on {}", who, format_bytes(bytes),
                                              format_bytes(room.bytes), device_name_))
      .said(library)
      .advise(holders + (room.others
                             ? " Other processes hold memory of it: `nvidia-smi` lists them. End one, or choose "
                               "another device: %device"
                             : ""));
}

}  // namespace xcuda::device
