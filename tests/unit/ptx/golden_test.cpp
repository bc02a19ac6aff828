// What NVRTC wrote for a few kernels, parsed and printed again. XCUDA_APPROVE=1 writes the golden files anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/ptx_parser.hpp"
#include "ptx/source_places.hpp"
#include "tests/golden_files.hpp"

namespace xcuda::ptx {
namespace {

const std::string folder = test::source_file("tests/unit/ptx/data/");

std::string print(const Module& module) {
  std::string text = fmt::format("PTX {}.{} for {}\n", module.version_major, module.version_minor, module.target);
  for (const Variable& variable : module.variables)
    text += fmt::format("{} {} {} align {} size {} initial {} relocations {}\n", text_of(variable.space),
                        text_of(variable.type), variable.name, variable.alignment, variable.size,
                        variable.initial.size(), variable.relocations.size());
  for (const Function& function : module.functions) {
    text += fmt::format("\n{} {}{}\n", function.entry ? "entry" : "func", function.name,
                        function.defined ? "" : " (declared)");
    for (const Parameter& parameter : function.parameters)
      text += fmt::format("  parameter {} at {} size {} align {}\n", text_of(parameter.type), parameter.offset,
                          parameter.size, parameter.alignment);
    for (const Variable& variable : function.variables)
      text += fmt::format("  {} {} align {} size {}\n", text_of(variable.space), variable.name, variable.alignment,
                          variable.size);
    if (!function.defined) continue;
    for (Index i = 0; i < function.instructions.size(); ++i) {
      for (const Label& label : function.labels)
        if (label.instruction == i) text += fmt::format("  {}:\n", label.name);
      const Place place = place_of(module, function, i);
      text += fmt::format("    {}:{}:{}  {}\n", place.source, place.line, place.column,
                          text_of(module, function, function.instructions[i]));
    }
  }
  return text;
}

class PtxGolden : public testing::TestWithParam<const char*> {};

TEST_P(PtxGolden, Prints) {
  const std::string base = folder + GetParam();
  const std::string source = test::read_file(base + ".ptx");
  ASSERT_FALSE(source.empty());
  const std::string printed = print(parse(source, "In[7]"));
  test::expect_approved(base + ".ptx", ".txt", printed);
}

// Every prefix of a module is refused or parsed, but nothing else happens.
TEST_P(PtxGolden, SurvivesTruncation) {
  const std::string source = test::read_file(folder + GetParam() + ".ptx");
  for (std::size_t size = 0; size < source.size(); size += 7) {
    try {
      parse(std::string_view(source).substr(0, size), "In[7]");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::compile);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PtxGolden,
                         testing::Values("saxpy", "matmul_f32", "reduce_shuffle", "printf_assert", "recursion_virtual"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace xcuda::ptx
