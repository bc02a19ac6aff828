// Loops over elements and numbers that run long: after some passes the rest of the loop is compiled and runs as native
// code of the host. Its changes so far count, and the variables come back.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {

class NativeLoops : public Part {
 public:
  explicit NativeLoops(Frame& frame) : Part(frame) {}

  // Called before each pass: for a `for` or `while` before the condition, for a `do` before the body. True when it has
  // run the loop to its end. Errors: those of a launch.
  bool finish(const cell::Statement& loop);
  // The return statement that ended the loop that finish() has run, once; null: none did.
  const cell::Statement* take_return() { return std::exchange(left_by_, nullptr); }

 private:
  struct Known {
    std::uint64_t passes = 0;  // of all its runs
    std::uint64_t enough = 0;  // passes after which it is compiled; 0: not known yet
    bool interpreted = false;  // for good: it has statements that only a session runs, or does not compile
    std::vector<session::KnownFunctionPtr> functions = {};  // of cells, that become part of its code
    std::vector<const cell::Statement*> returns = {};
  };

  enum class When : std::uint8_t { now, if_compiled };
  bool run(const cell::Statement& loop, When when);
  std::string text_of(const cell::Statement& loop) const;
  std::string at_its_place(cell::Span span) const;

  Known& known(const cell::Statement& loop);

  // In the block of a try a loop may not be compiled that is outside of one: each is judged on its own. The tree
  // outlives this.
  std::unordered_map<const cell::Statement*, Known> known_, known_in_try_;
  const cell::Statement* left_by_ = nullptr;
};

}  // namespace xcuda::interpreter
