// What g++ makes of programs, for tests that compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/sink.hpp"

namespace xcuda::test {

struct HostProgram {
  std::string definitions;  // functions and types
  std::string body;         // statements
};

bool has_host_compiler();
enum class Optimisation : std::uint8_t { none, full };
// What each program prints when g++ has compiled them all: with wrapping signed integers, each floating-point operation
// rounded by itself.
std::vector<std::string> printed_when_compiled(const std::vector<HostProgram>& programs,
                                               Optimisation optimisation = Optimisation::none);
// The sign of a NaN is not C++'s business, and that of a zero is not safe with g++ 12, which makes -x of 0 - x.
std::string comparable(std::string printed);

std::uint64_t fuzz_setting(const char* variable, std::uint64_t otherwise);

// What a program prints; what the compiler remarks is its own business.
class Printed final : public session::Sink {
 public:
  void stream(OutputStream, std::string_view text) override { this->text += text; }
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
  std::string text;
};

}  // namespace xcuda::test
