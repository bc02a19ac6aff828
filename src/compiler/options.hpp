// NVRTC's options as users type them: one table that parsing, help, completion and error messages read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xcuda::compiler {

enum class OptionValue : std::uint8_t {
  none,     // a flag
  boolean,  // true or false, --fmad=false
  number,
  word,  // one of choices
  text,  // anything: -D name=value
  folder,
  file,
};

enum class OptionUse : std::uint8_t {
  pass,       // handed to NVRTC under `nvrtc`
  translate,  // nvcc's spelling of something NVRTC calls `nvrtc`
  ours,       // answered by this program: -I, -include, -arch
  ignored,    // accepted: it has no meaning here, `help` says why
  refused,    // an error that says why and what to do: `help`
};

struct OptionSpec {
  std::string_view name;   // "--fmad"
  std::string_view alias;  // "-fmad"; empty when there is none
  OptionValue value = OptionValue::none;
  OptionUse use = OptionUse::pass;
  std::string_view nvrtc;    // the spelling NVRTC is given; empty: name
  std::string_view choices;  // separated by blanks
  std::string_view help;     // one sentence
};

std::span<const OptionSpec> option_table();
const OptionSpec* find_option(std::string_view word);  // by name or alias, value and '=' cut off

// The options of one compile.
struct CompileOptions {
  std::vector<std::string> nvrtc;                           // for NVRTC, without architecture and include folders
  std::string architecture;                                 // "sm_90", "compute_80"
  std::vector<std::string> include_folders;                 // -I, absolute
  std::vector<std::string> include_files;                   // -include
  std::vector<std::pair<std::string, std::string>> macros;  // -D name, value
  std::vector<std::string> undefined;                       // -U
  bool precompiled_headers = false;                         // --pch
};

std::vector<std::string> words_of(std::string_view text);  // what blanks part

struct OptionsRequest {
  std::vector<std::string> words;  // as typed, quotes removed: "-std=c++20", "-I", "inc"
  std::string architecture;        // of the current device, used unless -arch says otherwise
  std::string folder;              // base of relative paths; empty: the working folder
};

// Errors: value, with the nearest option's name; Error::place holds the 1-based number of the word in `column`.
CompileOptions parse_options(const OptionsRequest& request);

}  // namespace xcuda::compiler
