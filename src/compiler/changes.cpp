// Modules that were compiled with other cells' definitions that have changed since.
#include <algorithm>

#include "base/text.hpp"
#include "compiler/assembly.hpp"
#include "compiler/program_state.hpp"

namespace xcuda::compiler {

const Unit* Program::State::unit_of(const Origin& origin) const {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit->id == origin.unit; });
  return found == units.end() ? nullptr : found->get();
}

// The definitions that count now for what a module was compiled from.
std::map<std::string, std::string> Program::State::used_now(const Origin& origin) const {
  if (!origin.instance.empty()) {
    const CompileOptions options;  // they decide nothing here
    Assembly assembly(all_but(nullptr), nullptr, options);
    for (const auto& at : kernel_templates(trim(origin.instance.substr(0, origin.instance.find('<')))))
      if (!is_header(at.unit)) assembly.need_kernel(at);
    assembly.need_text(origin.instance);
    assembly.need_text(origin.declarations);
    return assembly.used();
  }
  const auto* unit = unit_of(origin);
  if (unit == nullptr) return {};
  Assembly assembly(all_but(unit), unit, unit->options);
  assembly.restrict_to(origin.used);
  return assembly.used();
}

// A name that is gone has not changed: what was compiled with it stays as it is.
std::vector<Changed> Program::changes(Origin& origin) const {
  std::vector<Changed> changed;
  if (origin.revision == state_->revision) return changed;
  const auto now = state_->used_now(origin);
  for (const auto& [name, text] : origin.used)
    if (const auto found = now.find(name); found != now.end() && found->second != text) {
      changed.push_back({name, {}});
      for (const auto& unit : state_->units)
        for (const auto& piece : unit->pieces)
          if (!piece.dead && unit->id != origin.unit && definition_name(piece) == name)
            changed.back().source = unit->name;
    }
  if (changed.empty()) origin.revision = state_->revision;
  return changed;
}

std::optional<Changed> Program::replaced_own(const Origin& origin, std::string_view name) const {
  const auto* unit = state_->unit_of(origin);
  if (unit == nullptr) return std::nullopt;
  std::string own, now;
  bool dead = false;
  for (const auto& piece : unit->pieces)
    if (definition_name(piece) == name) {
      own += unit->text_of(piece);
      dead = dead || piece.dead;
    }
  if (!dead) return std::nullopt;
  Changed changed{std::string(name), {}};
  for (const auto& other : state_->units)
    for (const auto& piece : other->pieces)
      if (!piece.dead && definition_name(piece) == name) {
        now += other->text_of(piece);
        changed.source = other->name;
      }
  return now.empty() || now == own ? std::nullopt : std::optional(std::move(changed));
}

CompileRequest Program::again(const Origin& origin) const {
  const auto* unit = state_->unit_of(origin);
  if (unit == nullptr) return instantiate(origin.instance, origin.declarations);
  Assembly assembly(state_->all_but(unit), unit, unit->options);
  assembly.restrict_to(origin.used);
  return of_cell(*unit, std::move(assembly));
}

Origin Program::compiled_now(const Origin& origin) const {
  return {origin.unit, origin.instance, origin.declarations, state_->used_now(origin), state_->revision};
}

}  // namespace xcuda::compiler
