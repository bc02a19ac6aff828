// The ranks of an MPI job as one device. Each address of the session lives on one rank, and the others do not reach it:
// host data goes to the rank that has the place, and a copy from rank to rank is an exchange between the two. Copies
// that are posted one after the other travel together, as those of a collective do.
#pragma once

#include <memory>
#include <vector>

#include "device/device_set.hpp"
#include "device/ranks/owners.hpp"
#include "device/ranks/rank_device.hpp"
#include "device/ranks/rank_job.hpp"

namespace xcuda::device::ranks {

class RankSet final : public DeviceSet {
 public:
  RankSet(std::shared_ptr<RankJob> job, std::vector<std::unique_ptr<Device>> ranks,
          std::function<WaitRequest()> limits);

  bool shares_memory() const override { return false; }
  DeviceInfo info() override;
  File create_memory(const MemoryRequest& request) override;
  void import_memory(const MemoryRequest& request, const File& descriptor) override;
  void destroy_memory(MemoryId id) override;
  void post_name_range(const ArrayRange& range) override;
  void post_forget_range(Address address) override;
  std::span<const std::byte> visible(Address, std::uint64_t) override { return {}; }
  void post_fill(StreamId stream, const FillRequest& request) override;
  void post_copy(StreamId stream, const CopyRequest& request) override;
  void post_read(StreamId stream, const CopyRequest& request) override;
  void post_write(StreamId stream, const CopyRequest& request) override;
  void create_texture(const TextureRequest& request) override;
  void post_destroy_texture(TextureId id) override;
  void post_order(std::span<const Precedence> order) override;
  Recovery restart() override;

 protected:
  Device* worker(StreamId stream) override;  // what was to be exchanged comes before its work
  void wait_for(std::uint32_t device, const WaitRequest& request) override;

 private:
  struct Place {
    std::uint32_t device = 0;
    StreamId stream{};
  };
  Place place_of(const Owners::Run& run, StreamId stream) const;
  Device* at(const Place& place);
  void copy_part(StreamId stream, Address to, Address from, std::uint64_t bytes);
  void send_exchanges();

  std::shared_ptr<RankJob> job_;
  Owners owners_;
  std::uint64_t granularity_ = 0;
  std::map<MemoryId, std::vector<std::uint32_t>> holders_;
  std::map<Address, std::vector<std::pair<std::uint32_t, Address>>> named_;  // where parts of a named array are
  std::map<TextureId, std::uint32_t> textures_;
  std::vector<Transfer> transfers_;  // not sent yet; none needs another one
  std::vector<bool> led_;            // devices that got work meant for another stream than it ran on
};

}  // namespace xcuda::device::ranks
