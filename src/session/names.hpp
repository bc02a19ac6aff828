// Host variables by name, in nested blocks: a name declared inside a block hides an outer one until the block ends.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "session/statement_value.hpp"

namespace xcuda::session {

class NameTable {
 public:
  enum class Symbol : std::uint32_t {};  // a name's permanent number

  Variable* find(const std::string& name);
  const Variable* find(const std::string& name) const;
  Variable& declare(const std::string& name, Variable variable);  // in the innermost block; replaces one there
  // In the innermost block, makes the name another name of a variable that outlives the block: int& k = n;
  void alias(const std::string& name, Variable& variable);
  void alias(const std::string& name, const ItemPtr& variable);          // which the name keeps
  void keep(const std::string& name, std::shared_ptr<const void> what);  // as long as the name means what it does now
  void hide(const std::string& name);  // something other than a variable takes the name, or an alias's, in this block
  bool is_declared_here(const std::string& name) const;  // in the innermost block
  void remove(const std::string& name);                  // the visible one
  void enter() { blocks_.push_back(locals_.size()); }
  // enter() for the body of a function: it sees its own variables, and those that were there at this depth(): 1 is
  // outside of all blocks.
  void enter_function(std::size_t seen = 1);
  void leave();
  // Whether it belongs to a block that is left before the one outside of `depth`.
  bool ends_within(std::size_t depth, const Variable& variable) const;
  std::size_t depth() const { return blocks_.size() + 1; }  // 1 outside all blocks
  void clear();
  std::vector<std::string> all() const;
  void for_each(const std::function<void(Variable&)>& visit);  // also hidden ones
  const std::map<std::string, Variable>& outermost() const { return outermost_; }

  // For code that looks a name up again and again.
  Symbol symbol(const std::string& name);
  Variable* bound(Symbol symbol) const {  // null: no variable
    auto* variable = bound_[static_cast<std::size_t>(symbol)];
    if (variable != nullptr && variable->seen != nullptr) refresh(*variable);
    return variable;
  }
  std::size_t symbols() const { return bound_.size(); }
  // A name that no cell writes, while something is evaluated.
  class Lent {
   public:
    Lent(NameTable& names, Symbol symbol, Variable* variable)
        : names_(names), symbol_(symbol), before_(std::exchange(names.binding(symbol), variable)) {}
    ~Lent() { names_.binding(symbol_) = before_; }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

   private:
    NameTable& names_;
    Symbol symbol_;
    Variable* before_;
  };

 private:
  struct Local {
    Symbol symbol{};
    std::size_t depth = 0;
    Variable variable;
    Variable* hidden = nullptr;  // what the name meant outside
    std::shared_ptr<const void> kept = nullptr;
  };
  static void refresh(Variable& reference);
  Variable*& binding(Symbol symbol) { return bound_[static_cast<std::size_t>(symbol)]; }
  Local* local_here(Symbol symbol);
  const std::string& name_of(Symbol symbol) const { return *texts_[static_cast<std::size_t>(symbol)]; }

  std::map<std::string, Variable> outermost_;
  std::map<std::string, std::shared_ptr<const void>> kept_;  // by names outside of all blocks
  std::deque<Local> locals_;                                 // of all open blocks; a deque, so that they stay in place
  std::vector<std::size_t> blocks_;                          // where each open block begins in it
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<const std::string*> texts_;  // by symbol
  std::vector<Variable*> bound_;           // by symbol: the visible variable
};

}  // namespace xcuda::session
