// How the lines of isa.hpp are written down, chapter by chapter of the PTX ISA.
#pragma once

#include <fmt/format.h>

#include "tests/opcodes/isa.hpp"

namespace xcuda::opcodes {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Value = std::function<u32(u32)>;

class List {
 public:
  void runs(std::string name, std::string body, Value value, std::string module = {}) {
    all_.push_back({std::move(name), std::move(body), std::move(value), {}, 80, std::move(module)});
  }
  // Leaves nothing to see: all lanes come to its end.
  void passes(std::string name, std::string body) {
    runs(std::move(name), body + " add.u32 %d, %lane, 3;", [](u32 lane) { return lane + 3; });
  }
  // Of a later GPU, and here all the same.
  void runs_on(int architecture, std::string name, std::string body, Value value) {
    all_.push_back({std::move(name), std::move(body), std::move(value), {}, architecture, {}});
  }
  // Of compute_80, and not here: `why` is part of the message.
  void refuses(std::string name, std::string body, std::string why, std::string module = {}) {
    all_.push_back({std::move(name), std::move(body), {}, std::move(why), 80, std::move(module)});
  }
  // Needs a later GPU, and says so.
  void later(int architecture, std::string name, std::string body) {
    all_.push_back({std::move(name),
                    std::move(body),
                    {},
                    fmt::format("compute capability {}.{}", architecture / 10, architecture % 10),
                    architecture,
                    {}});
  }
  // With words that the parser does not know.
  void unknown(int architecture, std::string name, std::string body) {
    all_.push_back({std::move(name), std::move(body), {}, "unknown modifier", architecture, {}});
  }
  std::vector<Line> done() { return std::move(all_); }

 private:
  std::vector<Line> all_;
};

// Predicate p as a number.
inline std::string from(const char* predicate) { return fmt::format(" selp.u32 %d, 1, 0, {};", predicate); }

void list_arithmetic(List& list);  // isa_arithmetic.cpp
void list_memory(List& list);      // isa_memory.cpp
void list_control(List& list);     // isa_control.cpp

}  // namespace xcuda::opcodes
