// The options of nvcc that people use most, for completion and inspection. nvcc itself reads what is given: all of its
// options can be.
#pragma once

#include <span>
#include <string_view>

namespace xcuda::nvcc {

struct OptionHelp {
  std::string_view name;  // "-O3", "-l": a value follows at once
  std::string_view help;  // a sentence
};

std::span<const OptionHelp> option_table();

}  // namespace xcuda::nvcc
