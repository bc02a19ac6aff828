// The names of a function's body: registers, parameters, variables, prototypes and labels, by scope.
//
// `{ }` opens a scope (inline asm and calls bring many). A label may come after the branch to it, so branches wait
// until their scope closes, and go on waiting in the enclosing one.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/reader.hpp"

namespace xcuda::ptx {

struct Named {
  enum class Kind : std::uint8_t { reg, symbol, prototype, label_list, call_list } kind = Kind::reg;
  SymbolKind symbol = SymbolKind::none;
  Index index = kNoIndex;
};

struct NamedRange {
  std::string_view prefix;
  Register first = 0;
  Index count = 0;
};

// Somewhere a label's index has to go.
struct PendingLabel {
  std::string_view name;
  std::uint32_t line = 0;
  Index location = kNoIndex;
  Index operand = kNoIndex;                   // of Function::operands
  Index list = kNoIndex, element = kNoIndex;  // of Function::target_lists
};

class Scopes {
 public:
  Scopes(Reader& reader, Function& function) : reader_(reader), function_(function) { scopes_.emplace_back(); }

  bool all_closed() const { return scopes_.empty(); }
  void open();
  void close();  // gives the labels of this scope to the branches that wait for them

  void declare(std::string_view name, Named named);  // the text holds the name
  void declare_copy(std::string name, Named named);
  void declare_range(const NamedRange& range) { scopes_.back().ranges.push_back(range); }
  void declare_label(const Token& name);  // of the next instruction
  // Throws Error(compile) at the end of the function if the label is never declared.
  void await(const PendingLabel& label) { scopes_.back().pending.push_back(label); }
  std::size_t awaited() const { return scopes_.back().pending.size(); }
  void move_awaited(std::size_t first, Index operands);  // from this one on, their operands' places are relative

  std::optional<Named> find(std::string_view name) const;
  Register register_named(const Token& token) const;

 private:
  struct Scope {
    std::unordered_map<std::string_view, Named> names;
    std::vector<NamedRange> ranges;
    std::unordered_map<std::string_view, Index> labels;
    std::vector<PendingLabel> pending;
  };

  Reader& reader_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::deque<std::string> copies_;  // what the keys of scopes view, where the text does not hold them
};

}  // namespace xcuda::ptx
