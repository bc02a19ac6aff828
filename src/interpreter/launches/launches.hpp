// Launch statements: checked as a whole, then posted, once or as often as %%launch says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/launches/checked_launch.hpp"

namespace xcuda::interpreter {

class Launches : public Part {
 public:
  explicit Launches(Frame& frame) : Part(frame) {}

  void run(const cell::Launch& launch, cell::Span span);

 private:
  CheckedLaunch check(const cell::Launch& launch, cell::Span span);
  SharedSite site_of(const CheckedLaunch& launch);
  void on_devices(const cell::Launch& statement, cell::Span span);
  void repeat(const CheckedLaunch& launch, const SharedSite& site, std::size_t row);
  bool can_be_counted(const CheckedLaunch& launch) const;
  void count(const CheckedLaunch& launch, const SharedSite& site, std::size_t row);  // the bytes that it touches
};

}  // namespace xcuda::interpreter
