// Host variables by name, in nested blocks: a name declared inside a block hides an outer one until the block ends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "session/value.hpp"

namespace xcuda::session {

class NameTable {
 public:
  Variable* find(const std::string& name);
  const Variable* find(const std::string& name) const;
  Variable& declare(const std::string& name, Variable variable);  // in the innermost block; replaces one there
  bool is_declared_here(const std::string& name) const;           // in the innermost block
  void remove(const std::string& name);                           // the visible one
  void enter() { blocks_.emplace_back(); }
  void leave() { blocks_.pop_back(); }
  std::size_t depth() const { return blocks_.size(); }            // 1 outside all blocks
  void clear() { blocks_.assign(1, {}); }
  std::vector<std::string> all() const;
  const std::map<std::string, Variable>& outermost() const { return blocks_.front(); }

 private:
  std::vector<std::map<std::string, Variable>> blocks_{1};
};

}  // namespace xcuda::session
