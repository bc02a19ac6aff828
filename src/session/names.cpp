#include "session/names.hpp"

#include <algorithm>
#include <utility>

namespace xcuda::session {

NameTable::Symbol NameTable::symbol(const std::string& name) {
  const auto [known, fresh] = symbols_.try_emplace(name, Symbol{static_cast<std::uint32_t>(bound_.size())});
  if (fresh) {
    texts_.push_back(&known->first);
    bound_.push_back(nullptr);
  }
  return known->second;
}

const Variable* NameTable::find(const std::string& name) const {
  const auto known = symbols_.find(name);
  return known == symbols_.end() ? nullptr : bound(known->second);
}

Variable* NameTable::find(const std::string& name) { return const_cast<Variable*>(std::as_const(*this).find(name)); }

NameTable::Local* NameTable::local_here(Symbol symbol) {
  for (auto i = locals_.size(); i-- > blocks_.back();)
    if (locals_[i].symbol == symbol) return &locals_[i];
  return nullptr;
}

Variable& NameTable::declare(const std::string& name, Variable variable) {
  const auto known = symbol(name);
  if (blocks_.empty()) return *(binding(known) = &outermost_.insert_or_assign(name, std::move(variable)).first->second);
  if (auto* local = local_here(known)) {
    local->variable = std::move(variable);
    return *(binding(known) = &local->variable);
  }
  auto& local = locals_.emplace_back(Local{known, depth(), std::move(variable), binding(known)});
  return *(binding(known) = &local.variable);
}

bool NameTable::ends_within(std::size_t depth, const Variable& variable) const {
  return std::any_of(locals_.begin(), locals_.end(),
                     [&](const Local& one) { return &one.variable == &variable && one.depth >= depth; });
}

void NameTable::alias(const std::string& name, Variable& variable) {
  const auto known = symbol(name);
  if (!blocks_.empty() && local_here(known) == nullptr) locals_.emplace_back(Local{known, depth(), {}, binding(known)});
  binding(known) = &variable;
}

void NameTable::hide(const std::string& name) {
  const auto known = symbol(name);
  if (blocks_.empty() && !outermost_.contains(name)) binding(known) = nullptr;  // an alias
  if (binding(known) == nullptr || blocks_.empty()) return;
  locals_.emplace_back(Local{known, depth(), {}, binding(known)});
  binding(known) = nullptr;
}

bool NameTable::is_declared_here(const std::string& name) const {
  if (blocks_.empty()) return outermost_.contains(name);
  const auto known = symbols_.find(name);
  if (known == symbols_.end()) return false;
  return std::any_of(
      locals_.begin() + static_cast<std::ptrdiff_t>(blocks_.back()), locals_.end(),
      [&](const Local& local) { return local.symbol == known->second && bound(known->second) == &local.variable; });
}

void NameTable::remove(const std::string& name) {
  const auto known = symbols_.find(name);
  if (known == symbols_.end()) return;
  auto& visible = binding(known->second);
  if (visible == nullptr) return;
  for (auto& other : bound_)  // its aliases
    if (other == visible && &other != &visible) other = nullptr;
  for (auto& local : locals_)
    if (&local.variable == visible) {  // its place is kept until the block ends
      visible = std::exchange(local.hidden, nullptr);
      local.variable = {};
      local.symbol = symbol("");
      return;
    }
  visible = nullptr;
  outermost_.erase(name);
}

void NameTable::enter_function() {
  const auto callers = locals_.size();
  enter();
  for (std::size_t i = 0; i < callers; ++i) {
    const auto symbol = locals_[i].symbol;
    if (local_here(symbol) != nullptr) continue;
    const auto outer = outermost_.find(name_of(symbol));
    locals_.emplace_back(Local{symbol, depth(), {}, binding(symbol)});
    binding(symbol) = outer == outermost_.end() ? nullptr : &outer->second;
  }
}

void NameTable::leave() {
  for (; locals_.size() > blocks_.back(); locals_.pop_back()) binding(locals_.back().symbol) = locals_.back().hidden;
  blocks_.pop_back();
}

void NameTable::clear() {
  outermost_.clear();
  locals_.clear();
  blocks_.clear();
  std::fill(bound_.begin(), bound_.end(), nullptr);
}

void NameTable::for_each(const std::function<void(Variable&)>& visit) {
  for (auto& [name, variable] : outermost_) visit(variable);
  for (auto& local : locals_) visit(local.variable);
}

std::vector<std::string> NameTable::all() const {
  std::vector<std::string> names;
  for (const auto& [name, variable] : outermost_) names.push_back(name);
  for (const auto& local : locals_)
    if (bound(local.symbol) == &local.variable) names.push_back(name_of(local.symbol));
  return names;
}

}  // namespace xcuda::session
