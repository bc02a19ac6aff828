// Small kernels and what one pass of the plan finds in each: tests/golden/plan/<name>.ptx and <name>.txt. The first
// line of a kernel says what the case is about, the second which pass and which block: "// forms 16 16 1", and
// "quick" for quick code.
// XCUDA_APPROVE=1 writes the texts anew; look at the difference before committing it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "device/cpu/plan/plan_passes.hpp"
#include "ptx/ptx_parser.hpp"
#include "tests/golden_files.hpp"

namespace xcuda::device::cpu {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cases() { return test::golden_inputs("tests/golden/plan", ".ptx"); }

struct Case {
  std::string ptx, pass;
  Dim3 block{1, 1, 1};
  Tier tier = Tier::full;

  explicit Case(const fs::path& path)
      : ptx(".version 8.0 .target sm_80 .address_size 64 " +
            test::read_file(path)) {  // on the first line: lines keep their numbers
    std::istringstream lines(test::read_file(path));
    std::string about, slashes;
    std::getline(lines, about);
    lines >> slashes >> pass >> block.x >> block.y >> block.z;
    std::getline(lines, about);
    if (about == " quick") tier = Tier::quick;
  }
};

std::string planned_text(const Case& each) {
  const ptx::Module module = ptx::parse(each.ptx, "the case");
  const ptx::Function* kernel = module.find_function("kernel");
  if (!kernel) return "there is no .entry kernel";
  // The processor decides which loops are run lane by lane: this one has vectors of 64 bytes and slow gathers.
  const BlockShape shape = shape_of(each.block);
  PlanRequest request{module, *kernel, shape, {.avx512 = true, .fast_gather = false}};
  request.tier = each.tier;
  const PlanWork work = planned(request);
  for (const PlanPass& pass : plan_passes())
    if (pass.name == each.pass) return pass.text(work);
  return "unknown pass " + each.pass;
}

class GoldenPlan : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenPlan, IsAsApproved) {
  const std::string text = planned_text(Case(GetParam()));
  test::expect_approved(GetParam(), ".txt", text);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenPlan, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(GoldenPlans, EachPassHasSome) {
  std::set<std::string> passes;
  for (const fs::path& path : cases()) passes.insert(Case(path).pass);
  for (const PlanPass& pass : plan_passes()) EXPECT_TRUE(passes.contains(pass.name)) << pass.name;
}

}  // namespace
}  // namespace xcuda::device::cpu
