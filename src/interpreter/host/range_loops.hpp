// for (float v : x), for (auto& row : m), for (int i : {1, 2, 4}): the range, and the variable of each pass.
#pragma once

#include <cstdint>
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
  };
  Range range_of(const cell::RangeFor& loop);
  void bind(const cell::Declaration& variable, const Range& range, std::uint64_t pass);

 private:
  Value element(const Range& range, std::uint64_t pass);
};

}  // namespace xcuda::interpreter
