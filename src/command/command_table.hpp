// The one table of commands. Running, help, completion, inspection, docs/commands.md and the test that runs every
// example read it; a new command is a new row.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::command {

struct Invocation;  // command/invocation.hpp

enum class OptionType : std::uint8_t {
  flag,      // no value
  integer,   // 64 bits, at least `minimum`
  number,    // floating point
  duration,  // "5", "5s", "500ms": seconds without a unit
  bytes,     // "4096", "16k", "2MiB"
  text,
  choice,  // one of `choices`
};

inline constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::min();

struct Option {
  std::string_view name;  // "--repeat"
  OptionType type = OptionType::flag;
  std::string_view value;  // the placeholder of the value in help: "N"; empty for flags
  std::string_view help;   // one sentence without a full stop
  std::vector<std::string_view> choices = {};
  std::int64_t minimum = 0;
};

enum class Shape : std::uint8_t {
  line,          // %name
  cell,          // %%name
  line_or_cell,  // both
  notation,      // no magic: name?, !command
};

// What follows the options: decides what completion offers and how many words are taken.
enum class Operand : std::uint8_t {
  none,
  array,
  arrays,
  kernel,
  name,
  command,
  setting,
  device,
  path,
  arrays_and_path,
  copy,
  statements,
  declarations,
  device_code,
  text,
  program,  // nvcc's options and files; after -- the arguments of the program
  raw,      // the line as it is written, with words that look like options: Magic::line
  folder,
  variable,  // of the environment; the line as it is written
};

struct Command {
  std::string_view name;  // "launch"; of a notation "name?"
  Shape shape = Shape::line;
  Operand operand = Operand::none;
  std::string_view usage;    // "%free x y ...", without options
  std::string_view summary;  // one sentence without a full stop
  std::string_view details;  // paragraphs of plain text; may be empty
  std::vector<Option> options;
  // Options of the same command elsewhere, and what to write here.
  std::vector<std::pair<std::string_view, std::string_view>> refused_options = {};
  bool takes_setup = false;            // statements on the line of %%name, which run before those of the cell
  bool compiler_options = false;       // NVRTC's options are accepted too (compiler/options.hpp has their table)
  std::string_view setup;              // a cell that the example needs to have run; may be empty
  std::string_view example;            // a whole cell that runs unchanged, after setup
  void (*run)(Invocation&) = nullptr;  // none for notations
};

const std::vector<Command>& table();  // in the order that help shows
const Command* find(std::string_view name);
cell::MagicText grammar(std::string_view name, cell::MagicShape shape);  // what the parser asks

}  // namespace xcuda::command
