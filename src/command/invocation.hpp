// One magic that runs: its row of the table, its arguments, and the cell it is in.
#pragma once

#include <string>
#include <string_view>

#include "cell/tree.hpp"
#include "command/command_table.hpp"
#include "command/magic_arguments.hpp"
#include "session/session.hpp"

namespace xcuda::command {

class Runner;

struct Invocation {
  session::Session& session;
  session::CellRun& run;
  const cell::Magic& magic;
  const Command& command;
  Arguments arguments;
  Runner& runner;

  std::string title() const { return (magic.whole_cell ? "%%" : "%") + std::string(command.name); }
  // An error at a word; without one at the command's name.
  Error error(ErrorKind kind, std::string message) const;
  Error error(ErrorKind kind, std::string message, const cell::Word& word) const;
  void show(const display::Bundle& bundle) { run.sink.display(bundle); }
  // The statements of a %%magic's body, or after a %magic.
  const std::vector<cell::StatementPtr>& statements() const;
  // Takes exactly this many words; Error(value) with the usage otherwise.
  void expect_operands(std::size_t least, std::size_t most) const;

  // What a word names. Errors: name (with the nearest one), type.
  session::Array& array(const cell::Word& word) const;       // a whole array, by its name
  session::Pointer any_array(const cell::Word& word) const;  // an array, a row, a slice, an expression
  session::Kernel kernel(const cell::Word& word) const;      // one of the cells or of a module
};

}  // namespace xcuda::command
