// CUBINs that nvcc made (tests/unit/compiler/cubins), and files that are none.
#include "compiler/cubin.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/error.hpp"
#include "ptx/ptx_parser.hpp"
#include "tests/places.hpp"

namespace xcuda::compiler {
namespace {

std::vector<std::byte> read(const std::string& name) {
  std::ifstream file(test::source_file("tests/unit/compiler/cubins/" + name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string message(const std::vector<std::byte>& file) {
  try {
    read_cubin(file, "file.cubin");
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

TEST(Cubin, EntriesParametersAndVariables) {
  for (const int architecture : {80, 90}) {
    const auto cubin = read_cubin(read("kernels_sm" + std::to_string(architecture) + ".cubin"), "kernels.cubin");
    EXPECT_EQ(cubin.target, "sm_" + std::to_string(architecture));
    ASSERT_EQ(cubin.functions.size(), 2U);
    const auto *twice = cubin.find_function("twice"), *mix = cubin.find_function("_Z3mixPfc4PairsPKi6float3");
    ASSERT_TRUE(twice != nullptr && mix != nullptr);
    ASSERT_EQ(twice->parameters.size(), 1U);
    EXPECT_EQ(twice->parameters[0].size, 8U);
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> layout = {{0, 8},  {8, 1},  {16, 16},
                                                                         {32, 2}, {40, 8}, {48, 12}};
    ASSERT_EQ(mix->parameters.size(), layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i) {
      EXPECT_EQ(mix->parameters[i].offset, layout[i].first) << i;
      EXPECT_EQ(mix->parameters[i].size, layout[i].second) << i;
    }
    ASSERT_EQ(cubin.variables.size(), 2U);
    for (const auto& variable : cubin.variables) {
      EXPECT_EQ(variable.space == ptx::Space::constant, variable.name == "factors");
      EXPECT_EQ(variable.size, variable.name == "factors" ? 12U : 4U);
    }
  }
}

// What reads PTX finds the same in the declarations.
TEST(Cubin, DeclarationsSayTheSame) {
  const auto cubin = read_cubin(read("kernels_sm90.cubin"), "kernels.cubin");
  const auto text = declarations_of(cubin);
  const auto module = ptx::parse_declarations(text, "kernels.cubin");
  ASSERT_EQ(module.functions.size(), cubin.functions.size());
  for (const auto& entry : module.functions) {
    const auto* same = cubin.find_function(entry.name);
    ASSERT_NE(same, nullptr);
    ASSERT_EQ(entry.parameters.size(), same->parameters.size());
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      EXPECT_EQ(entry.parameters[i].offset, same->parameters[i].offset);
      EXPECT_EQ(entry.parameters[i].size, same->parameters[i].size);
    }
  }
  EXPECT_EQ(module.functions.size(), 2U);
  EXPECT_EQ(module.variables.size(), 2U);
}

TEST(Cubin, WhatIsNone) {
  EXPECT_EQ(message({}), "file.cubin is not a CUBIN: it is empty");
  EXPECT_EQ(message(bytes_of("some text")), "file.cubin is not a CUBIN: it is not an ELF file");
  EXPECT_EQ(message(bytes_of(".version 8.0\n")), "file.cubin is not a CUBIN: it is PTX text");
  EXPECT_EQ(message(bytes_of("\x50\xed\x55\xba and more")),
            "file.cubin is not a CUBIN: it is a fat binary, which holds code for several GPUs");
  auto file = read("kernels_sm90.cubin");
  file[18] = std::byte{62};  // x86-64
  EXPECT_EQ(message(file), "file.cubin is not a CUBIN: it is an ELF file for another machine");
}

// Whatever is cut off or changed costs an error at most.
TEST(Cubin, CutOffAndBroken) {
  const auto whole = read("kernels_sm90.cubin");
  for (std::size_t size = 1; size < whole.size(); size += 7)
    EXPECT_NE(message({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto broken = whole;
    broken[at] = ~broken[at];
    message(broken);
  }
}

}  // namespace
}  // namespace xcuda::compiler
