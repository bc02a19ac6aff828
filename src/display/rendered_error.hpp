// The error that ended a cell, as clients get it.
#pragma once

#include <string>
#include <vector>

#include "display/bundle.hpp"

namespace xcuda::display {

struct RenderedError {
  // Jupyter's `error` message: the traceback is the whole text, with colours for a terminal.
  std::string ename, evalue;
  std::vector<std::string> traceback;
  Bundle bundle = {};  // the error as a value: text/plain without colours, text/html, and the JSON form
};

}  // namespace xcuda::display
