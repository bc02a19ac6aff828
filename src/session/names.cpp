#include "session/names.hpp"

namespace xcuda::session {

Variable* NameTable::find(const std::string& name) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
    if (const auto found = block->find(name); found != block->end()) return &found->second;
  return nullptr;
}

const Variable* NameTable::find(const std::string& name) const { return const_cast<NameTable*>(this)->find(name); }

Variable& NameTable::declare(const std::string& name, Variable variable) {
  return blocks_.back().insert_or_assign(name, std::move(variable)).first->second;
}

bool NameTable::is_declared_here(const std::string& name) const { return blocks_.back().contains(name); }

void NameTable::remove(const std::string& name) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
    if (block->erase(name) != 0) return;
}

std::vector<std::string> NameTable::all() const {
  std::vector<std::string> names;
  for (const auto& block : blocks_)
    for (const auto& [name, variable] : block) names.push_back(name);
  return names;
}

}  // namespace xcuda::session
