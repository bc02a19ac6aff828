// On which device of a set the statements work, and who has to wait for whom. A device does what is posted to it in
// order; between two devices there is order only where one uses memory that the other changes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device.hpp"

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
  struct Work {
    std::uint32_t device = 0;
    std::vector<Range> ranges;
  };
  // What a device has to wait for before it uses these ranges, which it does from now on; while a step lasts, the
  // others may hear of it only after the step. The waits are certain: who asks posts them. They are valid until the
  // next question.
  using Waits = std::span<const device::Precedence>;
  enum class Heard : std::uint8_t { after_step, at_once };
  Waits before(std::uint32_t device, std::span<const Range> ranges, Heard heard = Heard::after_step);
  // The same for work that several devices do beside each other; what they use is not noted.
  Waits before(std::span<const Work> work);
  Waits before_all(std::uint32_t device);  // ... for all that the others were given

  // While a step lasts, what its devices do holds up none of them.
  void open_step() { in_step_ = true; }
  bool in_step() const { return in_step_; }
  void close_step();

  void done();          // all that was given to any of them
  void forget_waits();  // of a process that was lost with them

 private:
  // Times count the waits for a device: what it was given between two of them has one time.
  using Time = std::uint64_t;
  struct Held {
    device::Address begin = 0, end = 0;
    Time wrote = 0, read = 0;  // the last time; 0: never
  };
  struct Given {
    std::vector<Held> ranges;  // that do not overlap, by address
    Time now = 1, last = 0;    // last: when it was given anything
  };
  Time& known(std::uint32_t device, std::uint32_t of) { return known_[device * devices_ + of]; }
  bool conflicts(std::uint32_t device, std::uint32_t other, const Range& range);
  bool conflicts(std::uint32_t device, std::uint32_t other, std::span<const Range> ranges);
  void learn(std::uint32_t device, std::uint32_t other);
  void note(std::uint32_t device, const Range& range);

  std::uint32_t devices_ = 1, current_ = 0;
  bool chosen_ = false, in_step_ = false;
  std::vector<Given> given_;  // by device
  std::vector<Time> known_;   // up to when a device has waited for another one; a row for each device
  std::vector<Time> known_before_;
  std::vector<device::Precedence> waits_;
  std::vector<Held> cut_;
  std::vector<std::pair<std::uint32_t, Range>> later_;
};

// "unknown device 3: the session has devices 0 to 1"; number: as it was written.
std::string unknown_device(std::string_view number, std::uint32_t devices);

}  // namespace xcuda::session
