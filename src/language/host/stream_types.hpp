// std::cout << x << std::endl: the operands that the streams of C++'s library take.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::language {

enum class StreamName : std::uint8_t { out, errors };  // std::cout; std::cerr and std::clog

// The operands of << from the left, where the first is one of the streams; nothing for other expressions.
struct StreamOutput {
  StreamName stream;
  std::vector<const cell::Expression*> operands;
};
std::optional<StreamOutput> stream_output(const cell::Binary& binary);
bool is_stream_output(const cell::Binary& binary);

std::optional<StreamName> find_stream(const cell::Expression& expression);

enum class Manipulator : std::uint8_t {
  flag,       // of std::ios_base, such as std::fixed
  line_end,   // std::endl
  flush,      // std::flush
  null,       // std::ends
  width,      // std::setw(n)
  precision,  // std::setprecision(n)
  fill,       // std::setfill(c)
};
struct ManipulatorRow {
  std::string_view name;  // "std::fixed"
  Manipulator does = Manipulator::flag;
  bool takes_argument() const { return does >= Manipulator::width; }
};
const ManipulatorRow* find_manipulator(std::string_view name);
// The row of std::fixed, or of a call of std::setw(8); null for other expressions. A name without std:: may be a
// manipulator unless a variable has that name.
const ManipulatorRow* manipulator_of(const cell::Expression& expression);

// std::cout.precision(3): the manipulator that does the same; null for other functions.
const ManipulatorRow* manipulator_of_member(std::string_view member);

}  // namespace xcuda::language
