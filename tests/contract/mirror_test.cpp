// Memory that a device mirrors: what is touched is asked for, once, and what may be done with it is what was answered.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <set>

#include "base/shared_memory.hpp"
#include "device/piece_request.hpp"
#include "tests/contract/rig.hpp"

namespace xcuda::device::contract {
namespace {

constexpr std::uint64_t kPieces = 4;
constexpr unsigned kPerPiece = kMirrorPiece / sizeof(unsigned);

class MirrorContract : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped()) return;
    file_ = make_memory_file("mirror", kPieces * kMirrorPiece, Reserve::as_used);
    request_ = {MemoryId{1}, info().window.base + 64 * kMirrorPiece, kPieces * kMirrorPiece};
    if (info().kind == Kind::cpu) {
      device().mirror_memory(request_, file_);
    } else {
      EXPECT_THROW(device().mirror_memory(request_, file_), Error);
      GTEST_SKIP() << "this device mirrors nothing";
    }
    load();
  }

  // Brings 5s, and lets the access be made.
  WaitRequest bringing() {
    WaitRequest wait;
    wait.fetch = [this](Address piece, Access access) {
      const auto index = (piece - request_.address) / kMirrorPiece;
      asked_.emplace_back(index, access);
      if (brought_.insert(index).second) {
        const std::vector<unsigned> values(kPerPiece, 5);
        EXPECT_EQ(pwrite(file_.get(), values.data(), kMirrorPiece, static_cast<off_t>(index * kMirrorPiece)),
                  static_cast<ssize_t>(kMirrorPiece));
        return access == Access::write ? Touch::write : Touch::read;
      }
      return Touch::write;
    };
    return wait;
  }
  unsigned in_file(std::uint64_t element) {
    unsigned value = 0;
    EXPECT_EQ(pread(file_.get(), &value, sizeof value, static_cast<off_t>(element * sizeof value)), 4);
    return value;
  }
  Address element(std::uint64_t index) const { return request_.address + index * sizeof(unsigned); }

  File file_;
  MemoryRequest request_;
  std::set<std::uint64_t> brought_;
  std::vector<std::pair<std::uint64_t, Access>> asked_;
};

TEST_P(MirrorContract, AsksForThePiecesThatAreTouched) {
  launch("add_one", 10, element(kPerPiece - 5), 10u);
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_EQ(brought_, (std::set<std::uint64_t>{0, 1}));
  EXPECT_EQ(in_file(kPerPiece - 5), 6u);
  EXPECT_EQ(in_file(kPerPiece + 4), 6u);
  EXPECT_EQ(in_file(kPerPiece + 5), 5u);
  EXPECT_EQ(in_file(2 * kPerPiece), 0u);
  const auto before = asked_.size();
  launch("add_one", 10, element(kPerPiece - 5), 10u);
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_EQ(asked_.size(), before);  // they are there
  EXPECT_EQ(in_file(kPerPiece + 4), 7u);
}

TEST_P(MirrorContract, AsksAgainForWhatIsGuarded) {
  launch("add_one", 10, element(0), 10u);
  ASSERT_FALSE(finish(bringing()).fault);
  device().post_guard({{request_.address, kMirrorPiece, Touch::read}});
  asked_.clear();
  launch("scale", 10, element(kPerPiece), element(0), 1.0f, 10u);  // reads the one, writes the other
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_EQ(brought_, (std::set<std::uint64_t>{0, 1}));
  for (const auto& [piece, access] : asked_) EXPECT_EQ(piece, 1u);
  device().post_guard({{request_.address, 2 * kMirrorPiece, Touch::refused}});
  asked_.clear();
  launch("add_one", 1, element(0), 1u);
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_FALSE(asked_.empty());
  EXPECT_EQ(in_file(0), 7u);
}

TEST_P(MirrorContract, WhatIsRefusedIsAFault) {
  const auto number = launch("add_one", 10, element(0), 10u);
  WaitRequest wait;
  wait.fetch = [](Address, Access) { return Touch::refused; };
  const auto completion = finish(wait);
  ASSERT_TRUE(completion.fault);
  EXPECT_EQ(completion.fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(completion.fault->launches, std::vector{number});
  if (!supervised()) return;
  launch("add_one", 10, element(0), 10u);  // the next process has the mirror, and nothing in it
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_EQ(in_file(9), 6u);
}

TEST_P(MirrorContract, VariablesCanBeInIt) {
  const auto variables = device().module_info(ModuleId{1}).variables;
  std::vector<VariableInfo> placed;
  for (const auto& variable : variables)
    if (variable.symbol == "counter") placed = {variable};
  ASSERT_EQ(placed.size(), 1u);
  placed[0].address = element(100);
  EXPECT_THROW(device().place_variables(ModuleId{1}, {{"counter", info().window.base, 4}}), Error);
  EXPECT_THROW(device().place_variables(ModuleId{1}, {{"gone", element(0), 4}}), Error);
  const auto initial = device().place_variables(ModuleId{1}, placed);
  unsigned value = 0;
  ASSERT_EQ(initial.size(), sizeof value);
  std::memcpy(&value, initial.data(), sizeof value);
  EXPECT_EQ(value, 7u);
  launch("bump", 1, element(kPerPiece));
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_EQ(in_file(100), 7u);  // 5 was brought, and table[1] is 2
  if (!supervised()) return;
  device().restart();
  launch("bump", 1, element(kPerPiece));
  ASSERT_FALSE(finish(bringing()).fault);
  EXPECT_EQ(in_file(100), 9u);
}

INSTANTIATE_TEST_SUITE_P(Devices, MirrorContract, ::testing::ValuesIn(contract_devices()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace xcuda::device::contract
