// C++ of a cell that runs on the host: compiled like any cell code and run by one thread of the device in use, on the
// session's arrays themselves.
//
// The text becomes the body of a function over its arguments, and a kernel of one thread around it: values are its
// parameters, variables come back through memory that is read when it is done, arrays are pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "interpreter/frame.hpp"
#include "session/launch_log.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

struct NativeArgument {
  enum class Use : std::uint8_t {
    value,     // a copy, which the text cannot change for the caller
    variable,  // of the host: its final value comes back
    pointer,   // to the first element of an array, or to its first row: float*, float (*)[8]
    whole,     // an array with all its extents: float (&)[4][8]
    element,   // one element: float&
    vector,    // a std::vector, which neither grows nor shrinks there
  };
  Use use = Use::value;
  std::string name;  // in the text
  Type type;         // of the value, the variable, or an element
  std::vector<std::byte> bytes;
  Pointer memory;  // of pointer, whole and element
  bool read_only = false;
};

struct NativeText {
  std::string body;                       // statements; what they return is the result
  std::string declarations;               // before the function whose body it is
  std::string names;                      // a text whose identifiers cells may define
  std::vector<NativeArgument> arguments;  // variables are brought up to date
  cell::Span span;                        // of what is run, for errors and the log of launches
  std::string includes = {};              // lines in front of everything
};

// The result of a run; a text that does not compile does not run.
struct NativeRun {
  Value result;                                  // Nothing where the body returns nothing
  std::vector<compiler::Diagnostic> complaints;  // why it does not compile; it did not run then
  std::string log;
};

class NativeCode : public Part {
 public:
  explicit NativeCode(Frame& frame) : Part(frame) {}

  bool is_compiled(const NativeText& text) const;  // if so, a run costs no more than a launch
  // Posts the text after all earlier work; waits for it when something comes back. Errors: those of a launch.
  NativeRun run(NativeText& text);
  void wait();  // for runs that were not waited for
  // What a statement prints comes after what native code before it has printed.
  void print(OutputStream which, std::string_view text);

 private:
  enum class Processor : std::uint8_t { host, gpu };  // gpu: where there is no worker for host code
  Processor own_processor() const;
  OperationSource source(const NativeText& text, Processor processor) const;
  Value result_of(const std::string& type, std::span<const std::byte> bytes, cell::Span span);

  bool posted_ = false;  // a run was not waited for
};

}  // namespace xcuda::interpreter
