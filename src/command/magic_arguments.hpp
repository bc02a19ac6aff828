// The words after a magic's name, read by the options of its row in the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cell/tree.hpp"
#include "command/command_table.hpp"

namespace xcuda::command {

class Arguments {
 public:
  bool has(std::string_view option) const { return find(option) != nullptr; }
  std::optional<std::int64_t> integer(std::string_view option) const;  // integer and bytes
  std::optional<double> number(std::string_view option) const;         // number, and duration in seconds
  std::optional<std::string> text(std::string_view option) const;      // text and choice
  std::optional<cell::Word> word(std::string_view option) const;       // the value as written, for its place
  std::vector<cell::Word> words(std::string_view option) const;        // of each time that it is given

  std::vector<cell::Word> operands;      // words that are not options
  std::vector<cell::Word> compiler;      // words for NVRTC, in order, values included
  std::optional<cell::Span> statements;  // where the statements of a line magic begin and end in the cell's text

 private:
  struct Given {
    std::string_view option;
    cell::Word word;
    double number = 0;
    std::int64_t integer = 0;
  };
  const Given* find(std::string_view option) const;
  std::vector<Given> given_;
  friend class ArgumentReader;
};

struct ArgumentText {
  std::string_view source;  // the cell's name
  std::string_view text;    // the cell's text, for places
};

// Errors: name (an unknown option, with the nearest one), value (missing, of a wrong type or too small), each at its
// column.
Arguments read_arguments(const Command& command, const cell::Magic& magic, const ArgumentText& where);

// "4096", "16k", "2MiB", "1.5 GB": bytes. "5", "5s", "500ms", "2min": seconds. Nothing when it is neither.
std::optional<std::int64_t> parse_bytes(std::string_view text);
std::optional<double> parse_duration(std::string_view text);

}  // namespace xcuda::command
