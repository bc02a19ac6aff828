// std::string in algorithms: its characters are in memory of the session while one runs, and back in the text after it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/operations.hpp"
#include "interpreter/native/native_arguments.hpp"

namespace xcuda::interpreter {

class TextRanges : public Part {
 public:
  TextRanges(Frame& frame, NativeArguments& arguments) : Part(frame), arguments_(arguments) {}

  // An iterator that an algorithm gives would lead to what is gone: the call has no value then.
  static constexpr const char* kDeclarations =
      "template <class T> constexpr bool xcuda_is_iterator = false;\n"
      "template <class T> constexpr bool xcuda_is_iterator<T*> = true;\n";
  static constexpr const char* kWithoutIterator =
      "auto xcuda_call = [&] {{ {}; }};\n"
      "if constexpr (xcuda_is_iterator<decltype(xcuda_call())>) xcuda_call(); else return xcuda_call()";

  // Whether this is the name of a std::string.
  static bool is_text(session::Session& session, const cell::Expression& expression);
  // s.begin(), s.end() - 1 in native code; nothing for other expressions.
  std::optional<std::string> place(const cell::Expression& expression);
  void bring_back();
  bool used() const { return !texts_.empty(); }

 private:
  struct Text {
    Variable* variable = nullptr;
    std::unique_ptr<Temporary> memory;
    std::string name;  // in native code
  };
  struct Position {
    Variable* variable;
    std::int64_t at;  // characters from its first
  };
  const Text& text(Variable& variable);
  std::optional<Position> position(const cell::Expression& expression);

  NativeArguments& arguments_;
  std::vector<Text> texts_;
};

}  // namespace xcuda::interpreter
