// A notebook keeps the style sheet of its outputs once: the first HTML that a session shows has it, and later ones do
// without. A cell that runs again replaces what it showed, and so has it again.
#pragma once

#include <optional>
#include <string>

#include "display/bundle.hpp"

namespace xcuda::kernel {

class PageStyles {
 public:
  // Sets the cell that shows something from now on; nullopt: its outputs do not share a page with others.
  void begin(std::optional<std::string> cell);
  void clear();  // what the cell showed so far goes
  // The data of an output that only its cell replaces. An output that is replaced in place keeps its own rules.
  nlohmann::json dressed(nlohmann::json data);

 private:
  std::optional<std::string> cell_, holder_;  // the running cell; the cell whose outputs have the style sheet
};

}  // namespace xcuda::kernel
