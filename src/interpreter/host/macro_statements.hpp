// Calls of function-like macros that expand to statements: #define CHECK(call) do { ... } while (0)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cell/tree.hpp"
#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class MacroStatements : public Part {
 public:
  explicit MacroStatements(Frame& frame) : Part(frame) {}

  struct Expansion {
    std::string text, name;  // name: of the text, for the places of errors in it
    std::vector<cell::StatementPtr> statements;
    cell::Span call;
  };
  // The expansion of a statement that calls such a macro; null when it does not, or when the macro is an expression.
  const Expansion* of(const cell::Expression& statement);

  // The text of a call after the preprocessor; empty if no macro has this name.
  std::string expand(std::string_view name, cell::Span call) const;

  // While it lives, spans are those of the expansion's text.
  class Reading {
   public:
    Reading(MacroStatements& macros, const Expansion& expansion);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    void read(Source source) const;

    MacroStatements& macros_;
    Source source_;
    cell::Span call_;
    int exceptions_;
  };

 private:
  std::string named_places(std::string_view text, cell::Span call) const;

  // The expansions by place in the cell's tree, which outlives this.
  std::unordered_map<const cell::Call*, std::unique_ptr<Expansion>> known_;
};

}  // namespace xcuda::interpreter
