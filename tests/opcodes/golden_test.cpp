// Every instruction of cases.hpp on every device, against what a GPU answered: tests/golden/ptx, one file for each
// family. On a machine with a GPU these are made by
//   XCUDA_APPROVE=1 XCUDA_GOLDEN=FOLDER test_opcodes_cuda
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "device/transfer.hpp"
#include "tests/contract/contract.hpp"
#include "tests/opcodes/cases.hpp"
#include "tests/opcodes/golden.hpp"

namespace xcuda::opcodes {
namespace {

using device::Address;

double real_of(const std::string& type, std::uint64_t bits) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type == "bf16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  const std::uint64_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31 ? (fraction ? std::nan("") : HUGE_VAL)
                      : exponent ? std::ldexp(1024.0 + static_cast<double>(fraction), static_cast<int>(exponent) - 25)
                                 : std::ldexp(static_cast<double>(fraction), -24);
  return bits >> 15 & 1 ? -size : size;
}

int digits_of(const std::string& type) { return type == "f64" ? 52 : type == "f32" ? 23 : type == "bf16" ? 7 : 10; }

bool same(const Case& one, const std::string& type, std::uint64_t got, std::uint64_t wanted) {
  if (got == wanted) return true;
  if (type == "f16x2" || type == "bf16x2") {
    const std::string half = type.substr(0, type.size() - 2);
    return same(one, half, got & 0xffff, wanted & 0xffff) && same(one, half, got >> 16, wanted >> 16);
  }
  if (type[0] != 'f' && type[0] != 'b') return false;
  if (type == "b16" || type == "b32" || type == "b64") return false;
  const double a = real_of(type, got), b = real_of(type, wanted);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (one.ulps == 0 && one.absolute == 0) return false;
  if (std::isinf(a) || std::isinf(b)) return a == b;
  const int least = type == "f64" ? -1022 : type == "f16" ? -14 : -126;
  const double ulp = std::ldexp(1.0, std::max(b == 0 ? least : std::ilogb(b), least) - digits_of(type));
  return std::fabs(a - b) <= std::max(one.absolute, one.ulps * ulp);
}

class Opcodes : public testing::TestWithParam<std::tuple<device::contract::ContractDevice, const Family*>> {
 protected:
  void SetUp() override {
    const auto& made = std::get<0>(GetParam());
    if (!made.missing.empty()) GTEST_SKIP() << made.missing;
    device_ = made.make({});
    const device::DeviceInfo info = device_->info();
    is_gpu_ = info.kind == device::Kind::cuda;
    base_ = info.window.base;
    memory_ = device_->create_memory({device::MemoryId{1}, base_, info.memory_granularity});
  }

  // Results of one entry, as bits.
  std::vector<std::uint64_t> run(const Case& one, const device::ModuleInfo& module, const std::string& entry) {
    std::vector<std::uint64_t> in(slots * 4), out(slots, 0), memory(slots * 2, 0);
    for (std::uint32_t slot = 0; slot < slots; ++slot)
      for (std::size_t i = 0; i < one.inputs.size(); ++i) in[slot * 4 + i] = input_bits(one, i, slot);
    const Address in_at = base_, out_at = base_ + 16384, memory_at = base_ + 32768;
    device::Transfer transfer(*device_);
    transfer.write({.address = in_at, .width = in.size() * 8}, std::as_bytes(std::span(in)));
    transfer.write({.address = out_at, .width = out.size() * 8}, std::as_bytes(std::span(out)));
    transfer.write({.address = memory_at, .width = memory.size() * 8}, std::as_bytes(std::span(memory)));
    device::LaunchRequest launch;
    launch.number = ++launches_;
    launch.module = device::ModuleId{modules_};
    launch.entry = entry;
    launch.grid = {1};
    launch.block = {entry == "lanes"    ? (slots + 31) / 32 * 32
                    : modules_ % 2 == 0 ? 1u
                                        : 32u};  // code of its own for one
    const Address arguments[] = {in_at, out_at, memory_at};
    launch.arguments.resize(sizeof arguments);
    std::memcpy(launch.arguments.data(), arguments, sizeof arguments);
    EXPECT_EQ(module.functions.at(0).parameters.size(), 3u);
    device_->post_launch(launch);
    transfer.read({.address = out_at, .width = out.size() * 8}, std::as_writable_bytes(std::span(out)));
    return out;
  }

  std::unique_ptr<device::Device> device_;
  Address base_ = 0;
  bool is_gpu_ = false;
  std::uint32_t modules_ = 0;

 private:
  File memory_;
  std::uint64_t launches_ = 0;
};

TEST_P(Opcodes, AnswerAsAGpuDoes) {
  const Family& family = *std::get<1>(GetParam());
  const bool approve = is_gpu_ && std::getenv("XCUDA_APPROVE") != nullptr;
  const Golden golden = approve ? Golden{} : Golden(family.name);
  if (!golden.empty()) {
    EXPECT_EQ(golden.size(), family.cases.size()) << "tests/golden/ptx has instructions that are not tested";
  }
  Golden made;
  for (const Case& one : family.cases) {
    try {
      const auto module = device_->load_module({device::ModuleId{++modules_}, "In[1]", module_text(one), {}, ""});
      const std::vector<std::uint64_t> lanes = run(one, module, "lanes");
      if (approve) made.set(one, lanes);
      const std::vector<std::uint64_t> wanted = golden.find(one);
      // Without golden values the host says what they are; where it does not, the two ways to run an instruction have
      // to agree.
      std::vector<std::uint64_t> expected = wanted.empty() ? lanes : wanted;
      if (wanted.empty() && one.reference) {
        for (std::uint32_t slot = 0; slot < slots; ++slot) expected[slot] = one.reference(one, slot);
      }
      if (wanted.empty() && !approve) {
        EXPECT_TRUE(one.reference || !one.by_lane) << one.name << ": nothing to compare with";
      }
      if (!golden.empty()) {
        EXPECT_FALSE(wanted.empty()) << one.name << ": no golden values for these inputs; see golden_test.cpp";
      }
      ASSERT_EQ(expected.size(), slots) << one.name;
      auto compare = [&](const char* how, const std::vector<std::uint64_t>& got) {
        int shown = 0;
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
          if (same(one, one.output, got[slot], expected[slot]) || ++shown > 3) continue;
          std::string inputs;
          for (std::size_t i = 0; i < one.inputs.size(); ++i) inputs += fmt::format(" {:#x}", input_bits(one, i, slot));
          ADD_FAILURE() << one.name << " of" << inputs << " (slot " << slot << ", " << how << ") is "
                        << fmt::format("{:#x} instead of {:#x}", got[slot], expected[slot]);
        }
      };
      compare("lanes", lanes);
      if (!one.by_lane) compare("uniform", run(one, module, "uniform"));
      device_->unload_module(device::ModuleId{modules_});
    } catch (const Error& error) {
      ADD_FAILURE() << one.name << ": " << error.message << " " << error.library;
      if (error.kind == ErrorKind::device) break;  // it has ended
    }
  }
  if (approve) made.write(family.name);
}

std::vector<const Family*> all_families() {
  std::vector<const Family*> all;
  for (const Family& family : families()) all.push_back(&family);
  return all;
}

std::vector<device::contract::ContractDevice> one_device() {
  auto all = device::contract::contract_devices();
  all.resize(1);  // the ways to start it are the contract's matter
  return all;
}

INSTANTIATE_TEST_SUITE_P(Devices, Opcodes,
                         testing::Combine(testing::ValuesIn(one_device()), testing::ValuesIn(all_families())),
                         [](const auto& info) { return std::get<1>(info.param)->name; });

}  // namespace
}  // namespace xcuda::opcodes
