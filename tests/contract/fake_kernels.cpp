#include "tests/contract/fake_kernels.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace xcuda::device::contract {
namespace {

template <class T> T* pointer(FakeLaunch& launch, std::size_t index) {
  return reinterpret_cast<T*>(launch.argument<Address>(index));
}

Fault make_fault(FaultKind kind) {
  Fault fault;
  fault.kind = kind;
  fault.library = "as the test wanted";
  return fault;
}

std::optional<Fault> add_one(FakeLaunch& launch) {
  auto* const x = pointer<std::uint32_t>(launch, 0);
  const auto n = std::min<std::uint64_t>(launch.threads(), launch.argument<std::uint32_t>(1));
  for (std::uint64_t i = 0; i < n; ++i) x[i] += 1;
  return std::nullopt;
}

std::optional<Fault> scale(FakeLaunch& launch) {
  auto* const y = pointer<float>(launch, 0);
  const auto* const x = pointer<float>(launch, 1);
  const auto n = std::min<std::uint64_t>(launch.threads(), launch.argument<std::uint32_t>(3));
  for (std::uint64_t i = 0; i < n; ++i) y[i] = launch.argument<float>(2) * x[i];
  return std::nullopt;
}

std::optional<Fault> write_index(FakeLaunch& launch) {
  auto* const x = pointer<std::uint32_t>(launch, 0);
  const auto n = std::min<std::uint64_t>(launch.threads(), launch.argument<std::uint32_t>(1));
  for (std::uint64_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(i);
  return std::nullopt;
}

std::optional<Fault> bump(FakeLaunch& launch) {
  auto* const counter = reinterpret_cast<std::uint32_t*>(launch.variable("counter"));
  const auto* const table = reinterpret_cast<const std::uint32_t*>(launch.variable("table"));
  *pointer<std::uint32_t>(launch, 0) = *counter += table[1];
  return std::nullopt;
}

std::optional<Fault> endless(FakeLaunch& launch) {
  const std::atomic_ref<std::uint32_t> until(*pointer<std::uint32_t>(launch, 0));
  while (until.load() == 0) {
    if (const auto why = launch.ended()) return make_fault(*why);
    usleep(100);
  }
  return std::nullopt;
}

std::optional<Fault> endless_and_deaf(FakeLaunch& launch) {
  const std::atomic_ref<std::uint32_t> until(*pointer<std::uint32_t>(launch, 0));
  while (until.load() == 0) usleep(100);
  return std::nullopt;
}

std::optional<Fault> say(FakeLaunch& launch) {
  std::printf("value %u\n", launch.argument<std::uint32_t>(0));
  return std::nullopt;
}

std::optional<Fault> store_to_null(FakeLaunch&) {
  volatile std::uint32_t* const nowhere = nullptr;
  *nowhere = 1;
  return std::nullopt;
}

}  // namespace

FakeOptions fake_options(Manners manners) {
  FakeOptions options;
  options.kernels = {
      {"add_one", add_one}, {"scale", scale}, {"write_index", write_index}, {"bump", bump}, {"say", say}};
  options.kernels["trap"] = [](FakeLaunch&) { return make_fault(FaultKind::trap); };
  if (manners == Manners::tells) {
    options.kernels["fault"] = [](FakeLaunch&) { return make_fault(FaultKind::illegal_address); };
    options.kernels["endless"] = endless;
  } else {
    options.kernels["fault"] = store_to_null;
    options.kernels["endless"] = endless_and_deaf;
  }
  return options;
}

std::string fake_kernels_text() {
  return "// as kernels.cu\n"
         ".variable counter 4 7\n"
         ".constant table 16 1 2 3 4\n"
         ".entry add_one 8 4\n"
         ".entry scale 8 8 4 4\n"
         ".entry write_index 8 4\n"
         ".entry bump 8\n"
         ".entry fault\n"
         ".entry trap\n"
         ".entry endless 8\n"
         ".entry say 4\n";
}

}  // namespace xcuda::device::contract
