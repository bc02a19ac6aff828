// The cell that runs, or an expression that a client asks for.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cell/tree.hpp"
#include "language/check.hpp"
#include "session/place.hpp"
#include "session/sink.hpp"

namespace xcuda::session {

struct CellRun {
  Source source;
  std::string cell_id;
  Sink& sink;
  cell::Cell* cell = nullptr;
  language::Forms forms = {};                   // of the cell, by its check
  std::vector<cell::Word> compiler_words = {};  // as given to parse_options, which counts its words in its errors
  cell::Span current = {};                      // what runs; the place of errors that have none
  std::vector<Place> calls = {};                // of functions of the host that an error ended, the innermost first
  std::string text = {};                        // the source's, where it is not the cell's own
};

struct Current {
  CellRun* run = nullptr;  // none between cells
};

}  // namespace xcuda::session
