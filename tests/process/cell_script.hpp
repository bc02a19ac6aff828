// Scripts of cells with what they are to give, tests/cells/*.cells:
//
//   === cell
//   float x[3] = {1, 2, 3};
//   x
//   === output
//   ...
//   [1. 2. 3.]
//   === error NameError 2:1
//   there is no variable
//
// Output is every stream and every text/plain of the cell, in order. A line "..." stands for any lines, "..." inside a
// line for any text. Behind `error` stand the kind and the place; each line below must occur in the message, in order.
// "=== cell cpu" is run on the CPU device only: what it shows is a matter of the device.
// A cell without an output section must give none; without an error section it must succeed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpreter/run_cell.hpp"

namespace xcuda::test {

struct ScriptCell {
  int line = 0;        // in the file
  std::string device;  // the kind it is for, "cpu"; empty for all
  std::string code;
  std::optional<std::string> output;
  struct Failure {
    std::string kind, place, text;
  };
  std::optional<Failure> error;
};
std::vector<ScriptCell> read_script(const std::string& path);

// Whether text is what the pattern with "..." says.
bool matches(const std::string& pattern, const std::string& text);

class TextSink final : public session::Sink {
 public:
  void stream(OutputStream which, std::string_view text) override;
  void display(const display::Bundle& bundle) override;
  void result(const display::Bundle& bundle) override { display(bundle); }
  void page(const display::Bundle& bundle) override { display(bundle); }
  std::string text;
};

// What is wrong with the cell's outcome; empty when nothing is.
std::string compare(const ScriptCell& expected, const std::string& output,
                    const std::optional<display::ErrorView>& error);

}  // namespace xcuda::test
