#include "ptx/scopes.hpp"

#include <fmt/format.h>

#include <utility>

namespace xcuda::ptx {
namespace {

constexpr std::size_t kScopeLimit = 256;

}  // namespace

void Scopes::open() {
  if (scopes_.size() == kScopeLimit) reader_.fail(fmt::format("scopes are nested deeper than {} levels", kScopeLimit));
  scopes_.emplace_back();
}

void Scopes::close() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const PendingLabel& pending : scope.pending) {
    const auto found = scope.labels.find(pending.name);
    if (found == scope.labels.end()) {
      if (scopes_.empty()) {
        reader_.location = pending.location;
        reader_.fail(fmt::format("label `{}` is not declared", pending.name), pending.line);
      }
      scopes_.back().pending.push_back(pending);
    } else if (pending.operand != kNoIndex) {
      function_.operands[pending.operand].index = found->second;
    } else {
      function_.target_lists[pending.list][pending.element] = found->second;
    }
  }
}

void Scopes::declare(std::string_view name, Named named) {
  if (!scopes_.back().names.emplace(name, named).second) reader_.fail(fmt::format("`{}` is declared twice", name));
}

void Scopes::declare_copy(std::string name, Named named) {
  copies_.push_back(std::move(name));
  declare(copies_.back(), named);
}

void Scopes::declare_label(const Token& name) {
  const auto label = static_cast<Index>(function_.labels.size());
  if (!scopes_.back().labels.emplace(name.text, label).second)
    reader_.fail(fmt::format("label `{}` is declared twice", name.text), name.line);
  function_.labels.push_back({std::string(name.text), static_cast<Index>(function_.instructions.size())});
}

void Scopes::move_awaited(std::size_t first, Index operands) {
  auto& pending = scopes_.back().pending;
  for (std::size_t i = first; i < pending.size(); ++i) pending[i].operand += operands;
}

std::optional<Named> Scopes::find(std::string_view name) const {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::string_view prefix = name.substr(0, digits);
  const std::size_t length = name.size() - digits;
  const bool numbered = length > 0 && length <= 9 && (length == 1 || name[digits] != '0');
  Index number = 0;
  if (numbered)
    for (std::size_t i = digits; i < name.size(); ++i) number = number * 10 + static_cast<Index>(name[i] - '0');
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const Scope& scope = scopes_[i];
    if (numbered)
      for (const NamedRange& range : scope.ranges)
        if (range.prefix == prefix && number < range.count)
          return Named{Named::Kind::reg, SymbolKind::none, range.first + number};
    if (scope.names.empty()) continue;
    if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
  }
  return std::nullopt;
}

Register Scopes::register_named(const Token& token) const {
  if (token.is_word())
    if (const auto named = find(token.text); named && named->kind == Named::Kind::reg) return named->index;
  reader_.fail(fmt::format("`{}` is not a register", token.text), token.line);
}

}  // namespace xcuda::ptx
