// for (float v : x), for (auto& row : m), for (int i : {1, 2, 4}): the range, and the variable of each pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class RangeLoops : public Part {
 public:
  explicit RangeLoops(Frame& frame) : Part(frame) {}

  // The pass of the loop around, as a variable; native code goes on from it.
  static constexpr std::string_view kPass = "xcuda_pass";

  struct Range {
    const cell::List* list = nullptr;  // or:
    Pointer array;                     // or:
    std::vector<Value> values;         // of a std::array, or a string
    std::uint64_t count = 0;
    Variable* text = nullptr;         // the string whose characters the loop may change: for (char& c : s)
    bool read_only = false;           // the elements of a const string or container, which auto& sees as const
    std::optional<Iterator> at = {};  // in a container, whose number of elements the body may change
    ItemPtr item = nullptr;           // that the pass visits
  };
  bool goes_on(Range& range, std::uint64_t pass, cell::Span span);  // whether there is such a pass
  // A pass over a string: a character that the loop has changed is the string's when the pass ends, in any way.
  class Pass {
   public:
    Pass(Session& session, const cell::RangeFor& loop, const Range& range, std::uint64_t number);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Session& session_;
    const cell::RangeFor& loop_;
    const Range& range_;
    std::uint64_t number_;
    std::optional<char> bound_;  // the character that the pass begins with
  };
  Range range_of(const cell::RangeFor& loop);
  void bind(const cell::Declaration& variable, const Range& range, std::uint64_t pass);

 private:
  Value element(const Range& range, std::uint64_t pass);
  static std::optional<char> character(const Range& range, std::uint64_t pass);  // of the string, as it is now
};

}  // namespace xcuda::interpreter
