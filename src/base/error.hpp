// The one error type that ends a cell.
//
// An expected outcome (a failed compile, a refused launch) is a value of its own type. What ends the cell is one
// Error, thrown, and caught in few places, which tests/layout lists (CATCHES).
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda {

// Where in a source text something is. Lines and columns count from 1; columns count bytes of UTF-8.
struct Place {
  std::string source;   // the cell's name, "In[7]", or a file's path; empty when unknown
  int line = 0;         // 0 when unknown
  int column = 0;       // 0 when only the line is known
  int width = 0;        // bytes to underline from column on; 0 is one caret
  std::string excerpt;  // the text of that line, without its newline; empty when not at hand
};

// The kinds are the `ename` that a Jupyter client shows, see kind_name().
enum class ErrorKind : std::uint8_t {
  syntax,       // the cell's text does not parse
  name,         // an unknown name
  type,         // a wrong type, argument or conversion
  value,        // a value out of its range: extents, indices, options
  memory,       // not enough memory
  compile,      // device code that NVRTC or the device refuses
  launch,       // a launch that was refused before it ran
  device,       // the device faulted, or its process died
  assertion,    // a failed assert, in the cell or on the device
  interrupted,  // the user's interrupt, or a time limit
  io,           // files, sockets, processes
  unsupported,  // correct, but not there (yet) on this device or in this language
  internal,     // a broken promise of this program
};

// "SyntaxError", "KeyboardInterrupt", ...: what `ename` holds.
std::string_view kind_name(ErrorKind kind);

// The parts of a message: what was attempted and on what (message), what the library said (library),
// what to do now (advice). place and notes are optional.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind(kind), message(std::move(message)) {}

  Error&& said(std::string text) && {
    library = std::move(text);
    return std::move(*this);
  }
  Error&& advise(std::string text) && {
    advice = std::move(text);
    return std::move(*this);
  }
  Error&& at(Place where) && {
    place = std::move(where);
    return std::move(*this);
  }
  Error&& note(std::string text) && {
    notes.push_back(std::move(text));
    return std::move(*this);
  }

  const char* what() const noexcept override { return message.c_str(); }

  ErrorKind kind;
  std::string message;
  std::string library;
  std::string advice;
  std::optional<Place> place;
  std::vector<std::string> notes;
};

// Text of errno for a message: "No space left on device (ENOSPC)".
std::string errno_text(int number);

}  // namespace xcuda
