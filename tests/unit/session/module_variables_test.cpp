// Module variables over a fault: what was saved comes back, and only that.
#include "session/module_variables.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "device/fake.hpp"

namespace xcuda::session {
namespace {

using device::FakeDevice;
using device::ModuleId;

// Two processes of a device, one after the other, with a module that has the variable `counter`, 7 in its image.
class ModuleVariablesOverAFault : public testing::Test {
 protected:
  static constexpr std::uint32_t kImage = 7;

  void SetUp() override {
    begin();
    backup_address_ = device_->info().window.base;
    backup_ = device_->create_memory({device::MemoryId{1}, backup_address_, 2 << 20});
    variables_.add_module(
        ModuleId{1},
        {{.name = "counter", .symbol = "counter", .type = "unsigned", .constant = false, .source = "In[1]"}}, info_);
  }

  void begin() {
    device_.reset();
    device_ = std::make_unique<FakeDevice>(device::FakeOptions{});
    info_ = device_->load_module({ModuleId{1}, "In[1]", ".variable counter 4 7\n", {}, {}});
  }
  std::uint32_t& value() { return *reinterpret_cast<std::uint32_t*>(info_.variables.at(0).address); }

  // A launch that writes this.
  void launch(std::uint32_t written) {
    variables_.post_before_launch(ModuleId{1}, {});
    value() = written;
  }
  void synchronize() {
    variables_.post_save();
    ASSERT_FALSE(device_->synchronize({}).fault);
    variables_.saved();
  }
  // The process ends: what was posted and not synchronised never ran. The next one, and what it restores.
  std::string fault() {
    begin();
    device_->import_memory({device::MemoryId{1}, backup_address_, 2 << 20}, backup_);
    variables_.reload_module(ModuleId{1}, info_);
    auto names = variables_.post_restore();
    EXPECT_FALSE(device_->synchronize({}).fault);
    return names;
  }

  std::unique_ptr<FakeDevice> device_;
  device::ModuleInfo info_;
  File backup_;
  device::Address backup_address_ = 0;
  ModuleVariables variables_{
      {[this](std::uint64_t) { return backup_address_; }, [](device::Address) {},
       [this](device::StreamId stream, const device::CopyRequest& request) { device_->post_copy(stream, request); }}};
};

TEST_F(ModuleVariablesOverAFault, BeforeTheFirstSaveTheImagesValueIsBack) {
  launch(41);
  variables_.post_save();  // posted behind the fault: it never runs, and the backup is zero
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(value(), kImage);

  // That save must not count: nor after a second fault.
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(value(), kImage);

  // What is written next is saved as the first time.
  launch(42);
  synchronize();
  EXPECT_EQ(fault(), "counter");
  EXPECT_EQ(value(), 42u);
}

TEST_F(ModuleVariablesOverAFault, AfterASaveThatValueIsBack) {
  launch(41);
  synchronize();
  launch(43);
  variables_.post_save();
  EXPECT_EQ(fault(), "counter");
  EXPECT_EQ(value(), 41u);
  launch(44);
  synchronize();
  EXPECT_EQ(fault(), "counter");
  EXPECT_EQ(value(), 44u);
}

TEST_F(ModuleVariablesOverAFault, WhatTheHostWroteIsSavedToo) {
  value() = 5;
  variables_.wrote("counter");
  synchronize();
  EXPECT_EQ(fault(), "counter");
  EXPECT_EQ(value(), 5u);
}

}  // namespace
}  // namespace xcuda::session
