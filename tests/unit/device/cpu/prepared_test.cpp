// Kernels that are compiled before they are launched: which, for what blocks, and what becomes of them.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <latch>
#include <thread>

#include "device/cpu/loaded_program.hpp"
#include "device/cpu/pipeline.hpp"
#include "device/cpu/tiers.hpp"
#include "tests/unit/device/cpu/device_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

// A kernel that stores what it reads of its thread's number.
std::string kernel_text(std::string_view directives, std::string_view special) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {}
{{
  .reg .b32 %r<3>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, {};
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r1;
  ret;
}}
)",
                     directives, special);
}

class Prepared : public DeviceTest {
 protected:
  std::vector<NativeCode> native() { return device_->module_info(ModuleId{number_}).functions.at(0).native; }
  void load_kernel(const std::string& text) {
    ++number_;
    load_text(text, "In[1]");
  }
  void prepare(Checks checks = {}) { device_->post_prepare({ModuleId{number_}, "k", checks}); }
  std::string prepared_for(const std::string& text) {
    load_kernel(text);
    EXPECT_TRUE(native().empty());
    prepare();
    const auto codes = native();
    return codes.size() == 1 ? codes[0].variant : fmt::format("{} of them", codes.size());
  }
  std::uint32_t number_ = 0;
};

TEST_F(Prepared, ForTheBlocksThatTheCodeSuggests) {
  EXPECT_EQ(prepared_for(kernel_text("", "%tid.x")), "blocks of one row, bounds checked");
  EXPECT_EQ(prepared_for(kernel_text("", "%tid.y")), "blocks of rows of 16, bounds checked");
  EXPECT_EQ(prepared_for(kernel_text("", "%tid.z")), "blocks of rows of 8, bounds checked");
  EXPECT_EQ(prepared_for(kernel_text(".maxntid 100, 1, 1", "%tid.x")),
            "blocks of one row, no multiple of 32, bounds checked");
  EXPECT_EQ(prepared_for(kernel_text(".maxntid 512, 1, 1", "%tid.y")), "blocks of rows of 16, bounds checked");
  EXPECT_EQ(prepared_for(kernel_text(".reqntid 64, 4, 1", "%tid.x")),
            "blocks of rows of a multiple of 32, bounds checked");
  EXPECT_EQ(prepared_for(kernel_text(".reqntid 1, 1, 1", "%tid.y")), "blocks of one thread, bounds checked");
}

TEST_F(Prepared, IsWhatTheLaunchRuns) {
  const auto x = zeros<std::uint32_t>("x", 256);
  load_kernel(kernel_text("", "%tid.x"));
  prepare();
  launch("k", {{1}, {256}}, x);
  EXPECT_EQ(read(x)[255], 255u);
  const auto codes = native();
  ASSERT_EQ(codes.size(), 1u);
  EXPECT_NE(codes[0].state, NativeCode::State::compiling);
  EXPECT_GT(codes[0].bytes, 0u);
  EXPECT_GT(codes[0].time, 0);
  launch("k", {{1}, {16, 16}}, x);  // for other blocks there is other code
  EXPECT_EQ(native().size(), 2u);
  prepare({.bounds = false});  // who has launched it knows what for
  EXPECT_EQ(native().size(), 2u);
}

TEST_F(Prepared, ForTheBlocksOfTheLastLaunchOnceThereWasOne) {
  const auto x = zeros<std::uint32_t>("x", 256);
  load_kernel(kernel_text("", "%tid.x"));
  launch("k", {{1}, {8, 8}}, x);
  device_->unload_module(ModuleId{number_});
  load_kernel(kernel_text("", "%tid.x") + "// the cell was edited");
  prepare({.bounds = false});
  const auto codes = native();
  ASSERT_EQ(codes.size(), 1u);
  EXPECT_EQ(codes[0].variant, "blocks of rows of 8, unchecked");
}

TEST_F(Prepared, WhatCannotBeCompiledIsSaidByTheLaunch) {
  const auto x = zeros<std::uint32_t>("x", 256);
  auto text = kernel_text("", "%tid.x");
  text.replace(text.find("  ret;"), 6, "  barrier.cluster.arrive;\n  ret;");
  load_kernel(text);
  prepare();
  EXPECT_FALSE(device_->synchronize({}).fault);
  for (int time = 0; time < 2; ++time) {
    post("k", {{1}, {32}}, x);
    EXPECT_THROW(device_->synchronize({}), Error);
  }
}

TEST_F(Prepared, WhatIsNotThereIsNothing) {
  device_->post_prepare({ModuleId{99}, "k", {}});
  load_kernel(kernel_text("", "%tid.x"));
  device_->post_prepare({ModuleId{number_}, "other", {}});
  const auto completion = device_->synchronize({});
  EXPECT_FALSE(completion.fault);
  EXPECT_TRUE(completion.refused.empty());
  EXPECT_TRUE(native().empty());
}

TEST_F(Prepared, AModuleMayGoWhileItsKernelsAreCompiled) {
  for (int i = 0; i < 10; ++i) {
    load_kernel(kernel_text("", "%tid.x") + fmt::format("// {}", i));
    prepare();
    device_->unload_module(ModuleId{number_});
  }
  const auto x = zeros<std::uint32_t>("x", 32);
  load_kernel(kernel_text("", "%tid.x"));
  launch("k", {{1}, {32}}, x);
  EXPECT_EQ(read(x)[31], 31u);
}

// As an interrupt has it: the launch is skipped, and the compile goes on.
TEST(PreparedProgram, AWaitThatIsGivenUpGoesOnWithoutTheLaunch) {
  Translator translator({.threads = 1});
  const auto program = translator.load({"In[1]", kernel_text("", "%tid.x")});
  const KernelRequest request{"k", {1}, {32}, {}};
  std::latch let(1);  // all threads are taken until then
  for (int i = 0; i < 2; ++i)
    translator.jobs()->begin("another", [&let](CompileJob&) {
      let.wait();
      return CompiledKernel{};
    });
  std::string told;
  const auto tell = [&](std::string_view what) { told += fmt::format("{};", what); };
  EXPECT_EQ(program->kernel(request, {[] { return true; }, tell}), nullptr);
  EXPECT_EQ(told, "compiling k: waiting;;");
  let.count_down();
  const KernelCode* code = program->kernel(request, {});
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(program->kernel(request, {[] { return true; }}), code);  // what is there needs no wait
}

// What takes long to compile runs as quick code first.
TEST(PreparedProgram, FullCodeTakesThePlaceOfQuickCode) {
  std::string text = kernel_text("", "%tid.x");
  std::string sums;
  for (int i = 0; i < 60; ++i) sums += fmt::format("  mad.lo.u32 %r1, %r1, %r1, {};\n", i);
  text.insert(text.find("  st.global"), sums);
  Translator translator({.threads = 1});
  const auto program = translator.load({"In[1]", text});
  const KernelRequest request{"k", {1}, {32}, {}};
  const KernelCode* first = program->kernel(request, {});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->tier, Tier::quick);
  ASSERT_NE(first->better, nullptr);
  while (newest(*first).tier == Tier::quick) std::this_thread::yield();
  const auto codes = [&] { return program->native_codes("k"); };
  while (codes().size() > 1) std::this_thread::yield();
  EXPECT_EQ(codes().at(0).variant, "blocks of one row, bounds checked");
  EXPECT_EQ(codes().at(0).state, NativeCode::State::compiled);
  EXPECT_EQ(program->kernel(request, {}), &newest(*first));
  EXPECT_NE(newest(*first).run, first->run);
}

// What is measured is the code that stays.
TEST(PreparedProgram, AMeasuredLaunchWaitsForFullCode) {
  std::string text = kernel_text("", "%tid.x");
  std::string sums;
  for (int i = 0; i < 60; ++i) sums += fmt::format("  mad.lo.u32 %r1, %r1, %r1, {};\n", i);
  text.insert(text.find("  st.global"), sums);
  Translator translator({.threads = 1});
  const auto program = translator.load({"In[1]", text});
  KernelRequest request{"k", {1}, {32}, {}, CodeWait::full};
  bool gives_up = false;
  std::vector<std::string> told;
  const CompileWait wait{[&] { return gives_up; }, [&](std::string_view line) { told.emplace_back(line); }};
  const KernelCode* code = program->kernel(request, wait);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(code->tier, Tier::full);
  EXPECT_EQ(told.back(), "");  // it is over
  gives_up = true;
  EXPECT_EQ(program->kernel(request, wait), code);
}

// A wait for full code is given up like others; the launch after it runs what there is.
TEST(PreparedProgram, AWaitForFullCodeCanBeGivenUp) {
  std::string text = kernel_text("", "%tid.x");
  std::string sums;
  for (int i = 0; i < 4000; ++i) sums += fmt::format("  mad.lo.u32 %r1, %r1, %r1, {};\n", i);
  text.insert(text.find("  st.global"), sums);
  Translator translator({.threads = 1});
  const auto program = translator.load({"In[1]", text});
  KernelRequest request{"k", {1}, {32}, {}};
  const KernelCode* quick = program->kernel(request, {});
  ASSERT_NE(quick, nullptr);
  if (newest(*quick).tier == Tier::full) GTEST_SKIP() << "it was there at once";
  request.code_wait = CodeWait::full;
  const KernelCode* code = program->kernel(request, {[] { return true; }});
  EXPECT_TRUE(code == nullptr || code->tier == Tier::full);
  request.code_wait = CodeWait::quickest;
  EXPECT_NE(program->kernel(request, {}), nullptr);
}

// Between two blocks, and also in the middle of one that waits for others.
TEST(PreparedProgram, FullCodeMayTakeOver) {
  Translator translator;
  for (const char* file : {"20_cub", "29_coop_grid", "30_barrier_async"}) {
    std::ifstream stream(test::source_file(std::string("tests/kernels/ptx/") + file + ".ptx"));
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto module = lowered(text, file);
    for (const ptx::Function& function : module->functions) {
      if (!function.entry || !function.defined) continue;
      const auto code = [&](Tier tier) {
        return compile({*module, file, {function.name, {}, {256}, {}}, translator.jit(), {}, {}, tier}).code;
      };
      EXPECT_TRUE(may_take_over(code(Tier::quick), code(Tier::full))) << file << " " << function.name;
    }
  }
}

}  // namespace
}  // namespace xcuda::device::cpu
