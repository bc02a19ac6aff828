// What a compile takes and gives; values that cross from xcuda-compile to the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace xcuda::compiler {

// A header of the user's. NVRTC reads the file itself; the text is here for the cache's key.
struct HeaderText {
  std::string path;  // absolute
  std::string text;
};

// What the lexer knows of a kernel but the compiled code does not tell.
struct KernelSource {
  std::string name;                          // qualified, without template arguments: "demo::saxpy"
  std::vector<std::string> parameter_names;  // empty string where unnamed
  std::string source;                        // the cell it is written in: "In[7]"
  int line = 0;                              // of its definition there
  bool is_template = false;
  std::string key;             // cell::DevicePiece::key: tells overloads apart
  bool only_launched = false;  // a kernel of another module, here for the kernels that launch it
};

struct VariableSource {
  std::string name;    // qualified
  std::string type;    // as written, without extents
  std::string source;  // the cell it was defined in last
  bool constant = false;
};

// Asks for the layout of a complete type that the source can name.
struct TypeQuery {
  std::string type;
  std::vector<std::string> members;  // names; empty: size and alignment only
};

struct CompileRequest {
  std::string name;                  // absolute, for #line and .file: "/In[7]"
  std::string source;                // the whole translation unit
  std::string whole_source;          // the same with includes of earlier cells that seem not to be needed; empty
                                     // when none was left out. The client falls back on it
  std::vector<std::string> options;  // NVRTC's spelling, architecture included
  std::vector<std::string> include_folders;      // -I, searched before the toolkit's
  std::vector<HeaderText> headers;               // the user's own, nested ones too
  std::vector<std::string> name_expressions;     // kernel instances and types to name
  std::vector<std::string> extern_c_candidates;  // names for helper entries; dropped when NVRTC refuses one
  std::string architecture;                      // "sm_90" or "compute_80"
  std::vector<KernelSource> kernels;             // of this module, for the names of parameters
  std::vector<VariableSource> variables;         // variables that this module may hold a copy of
  std::optional<TypeQuery> type_query;
  std::string pch_folder;                   // where --pch keeps its files; the client fills it in
  std::vector<std::string> linker_folders;  // of libraries, where code is linked; see device_linker.hpp
  std::vector<std::string> linked_files;    // LTO code that the source calls: its own becomes LTO code, too
  bool cacheable = true;                    // false: something is read that the key cannot know
};

enum class Severity : std::uint8_t { error, warning, remark, note };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string text;  // "identifier \"foo\" is undefined"
  std::string code;  // "20", "177-D"; empty when there is none
  Place place;       // in the cell, or in a header
  std::vector<Diagnostic> notes;
};

// A kernel's parameter as C++ declares it.
struct Parameter {
  std::string name;       // "x"; "#2" when the source gives none
  std::string type;       // canonical C++ spelling: "float const*", "unsigned long", "P"
  std::string written{};  // as its kernel has it, where that is a name of an integer of known size: "size_t"
  bool pointer = false;   // exactly one level stripped: pointee is what it points to
  bool const_pointee = false;
  std::string pointee;                                // "float", "P"; empty unless pointer
  std::uint32_t offset = 0, size = 0, alignment = 1;  // of the PTX parameter, bytes
};

struct KernelSignature {
  std::string name;   // as a launch spells it: "saxpy", "demo::scale<double>"
  std::string entry;  // PTX symbol
  std::vector<Parameter> parameters;
  bool types_known = true;         // false: sizes only, from the PTX
  int line = 0;                    // of its definition in the cell; 0 when unknown
  std::optional<int> max_threads;  // __launch_bounds__
  std::string result{};            // of a function of a host module; empty for a kernel
};

// A __device__ or __constant__ variable with the type the source gives it.
struct VariableSignature {
  std::string name, symbol;  // "demo::coef", PTX symbol
  std::string type;          // element type; empty when unknown
  std::uint64_t size = 0;    // bytes
  bool constant = false;
  std::string source;  // the cell that defined it; other modules that name it hold copies of one variable
};

struct MemberLayout {
  std::string name, type;              // canonical C++ spelling; "float [3]" for an array
  std::uint64_t offset = 0, size = 0;  // bytes
};
struct TypeLayout {
  std::string type;                       // canonical C++ spelling
  std::uint64_t size = 0, alignment = 1;  // bytes
  std::vector<MemberLayout> members;
  bool trivially_copyable = true;
  enum class Enumeration : std::uint8_t { no, of_signed, of_unsigned } enumeration = Enumeration::no;
};

enum class CacheResult : std::uint8_t { miss, memory, disk };

struct CompilePhases {  // nanoseconds
  std::int64_t prepare = 0, nvrtc = 0, signatures = 0, total = 0;
};

struct CompileOutput {
  bool ok = false;
  std::string name;
  std::string ptx;
  std::vector<std::byte> cubin;  // empty for compute_XX
  std::string architecture;
  std::vector<KernelSignature> kernels;
  std::vector<VariableSignature> variables;
  std::vector<std::pair<std::string, std::string>> lowered_names;  // name expression -> PTX symbol
  std::vector<Diagnostic> diagnostics;
  std::optional<TypeLayout> type_layout;  // when the request asked for one
  std::string log;                        // NVRTC's own text, whole
  std::vector<std::string> options;
  std::string nvrtc_version;  // "13.0"
  CacheResult cache = CacheResult::miss;
  CompilePhases phases;
};

}  // namespace xcuda::compiler
