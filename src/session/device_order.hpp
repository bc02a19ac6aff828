// On which device of a set the statements work, and who has to wait for whom. A device does what is posted to it in
// order; between two devices there is order only where one uses memory that the other changes. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/memory_requests.hpp"

namespace xcuda::session {

class DeviceOrder {
 public:
  // Of a set with so many devices; what was noted of another one is forgotten.
  void begin(std::uint32_t devices);
  std::uint32_t devices() const { return devices_; }
  bool several() const { return devices_ > 1; }

  // Where statements work that name no device: the first one, but inside on (d) { } and after cudaSetDevice(d).
  std::uint32_t current() const { return current_; }
  bool is_chosen() const { return chosen_; }  // by one of these
  class Use {
   public:
    Use(DeviceOrder& order, std::uint32_t device);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    DeviceOrder& order_;
    std::uint32_t before_;
    bool chosen_before_;
  };
  void use(std::uint32_t device) { current_ = device, chosen_ = device > 0; }

  struct Range {
    device::Address begin = 0;
    std::uint64_t bytes = 0;
    enum class Access : std::uint8_t { read, write } access = Access::read;
  };
  static constexpr Range kEverything{0, ~std::uint64_t{0}, Range::Access::write};
  // The devices that have to be waited for before `device` uses these ranges, which it does from now on.
  std::vector<std::uint32_t> before(std::uint32_t device, std::span<const Range> ranges);
  // The same for work that several devices do beside each other; nothing is noted.
  struct Work {
    std::uint32_t device = 0;
    std::vector<Range> ranges;
  };
  std::vector<std::uint32_t> before(std::span<const Work> work) const;

  // While a step lasts, what its devices do holds up none of them.
  void open_step() { in_step_ = true; }
  bool in_step() const { return in_step_; }
  void close_step();

  std::vector<std::uint32_t> busy() const;  // that have been given work
  void done(std::uint32_t device);          // all that it was given
  void done();

 private:
  using Mask = std::uint64_t;
  struct Held {
    device::Address end = 0;
    Mask writers = 0, readers = 0;
  };
  static Mask bit(std::uint32_t device) { return Mask{1} << device; }
  static std::vector<std::uint32_t> numbers(Mask mask);
  Mask holders(const Range& range) const;
  void note(std::uint32_t device, const Range& range);
  void split(device::Address at);

  std::uint32_t devices_ = 1, current_ = 0;
  bool chosen_ = false, in_step_ = false;
  std::map<device::Address, Held> held_;  // ranges that do not overlap, by where they begin
  std::vector<std::pair<std::uint32_t, Range>> later_;
  Mask busy_ = 0;
};

// "unknown device 3: the session has devices 0 to 1"; number: as it was written.
std::string unknown_device(std::string_view number, std::uint32_t devices);

}  // namespace xcuda::session
