// %%launch --check: each launch runs on the CPU device first, with its checks and on copies; then results are compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

class SecondRun {
 public:
  struct Launch {
    const Kernel* kernel = nullptr;
    device::LaunchRequest request;
    std::vector<ArrayUse> uses;
    std::string text;  // for errors: "saxpy<<<...>>>(...)"
    Place place;
  };
  // Runs the copy, before the launch itself is posted; synchronises. Errors: what the CPU device found (DeviceFailure;
  // the launch has not run), device (no CPU device here), memory (the copies do not fit).
  SecondRun(Session& session, const Launch& launch);
  // Called after the launch and a synchronisation: returns a line for each array that it may have written.
  std::vector<std::string> compare();

 private:
  void start(const Launch& launch);
  std::vector<const Array*> arrays_of(const Launch& launch);
  void make_memory(const std::vector<const Array*>& arrays);
  void take_over(const Array& array);
  void take_over_variables(const Launch& launch, const device::ModuleInfo& copies);
  void run(const Launch& launch);
  [[noreturn]] void fail(const Launch& launch, const device::Fault& fault) const;
  std::string compare(const Array& array);

  Session& session_;
  std::unique_ptr<device::Device> device_;  // the copies are its whole memory
  std::vector<std::string> written_;
};

}  // namespace xcuda::interpreter
