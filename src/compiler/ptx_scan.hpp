// The few facts of a PTX text that signatures need: entries with their parameters, and module variables. One pass over
// the declarations; bodies and initialisers are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::compiler {

struct PtxParameter {
  std::uint32_t offset = 0, size = 0, alignment = 1;  // bytes
};

struct PtxEntry {
  std::string symbol;
  std::vector<PtxParameter> parameters;
  std::optional<int> max_threads;  // .maxntid
  std::size_t begin = 0, end = 0;  // bytes of the text: the whole entry with its comment line
};

struct PtxVariable {
  std::string symbol;
  std::uint64_t size = 0, alignment = 1;  // bytes
  bool constant = false;                  // .const
  std::uint32_t element_size = 1;         // bytes
  std::vector<std::uint64_t> values;      // of an integer initialiser, at most 4096 elements; trailing zeros may lack
};

struct PtxFacts {
  std::vector<PtxEntry> entries;
  std::vector<PtxVariable> variables;  // .global and .const at module scope
};
PtxFacts scan_ptx(std::string_view ptx);

// The text without the entries whose symbol `hidden` says yes to.
std::string without_entries(std::string_view ptx, const PtxFacts& facts, bool (*hidden)(std::string_view symbol));

}  // namespace xcuda::compiler
