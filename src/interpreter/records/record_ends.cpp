// How records end: destructors of their own, of bases and of members.
#include <fmt/format.h>

#include <algorithm>

#include "cell/container_types.hpp"
#include "cell/method.hpp"
#include "cell/methods.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/statements.hpp"

namespace xcuda::interpreter {
namespace {

std::string destructor_of(std::string_view record) {
  const auto own = record.substr(0, record.find('<'));
  return fmt::format("{0}::~{0}", own);
}

}  // namespace

bool Records::has_ends(const cell::Record& record) {
  auto& functions = session_.code().functions();
  const auto ends = [&](const std::string& type) { return !functions.find(destructor_of(type)).empty(); };
  if (ends(record.name) || std::any_of(record.bases.begin(), record.bases.end(), ends)) return true;
  return std::any_of(record.parts.begin(), record.parts.end(), [&](const cell::Record::Part& part) {
    const auto name = cell::record_name(part.type);
    const auto inner = name.empty() ? nullptr : functions.record(name);
    return inner != nullptr && has_ends(*inner);
  });
}

void Records::require_no_ends(const std::string& type, cell::Span span) {
  const auto name = cell::record_name(type);
  const auto record = name.empty() ? nullptr : session_.code().functions().record(name);
  if (record == nullptr || !has_ends(*record) || record->is_a("std::exception")) return;
  throw error(ErrorKind::unsupported,
              fmt::format("{} has a destructor: statements hold its values in variables alone", record->name), span)
      .advise(fmt::format("Declare it: {} name(...);. A cell with %%cuda runs all of C++.", record->name));
}

// As C++ has it: the destructor's body, the members from the last to the first, then the base.
void Records::end(Variable& object, cell::Span span) {
  const auto container = std::get<Container>(object.value);
  const auto record = container.data->record;
  if (!has_ends(*record)) return;
  const Statements::Aside aside(frame_.statements);
  auto& functions = session_.code().functions();
  auto& items = container.data->items;
  object.read_only = false;
  auto last = items.size();
  auto types = record->bases;
  types.insert(types.begin(), record->name);
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (const auto& own = functions.find(destructor_of(types[i])); !own.empty())
      frame_.host_function_calls.run_on(own.front(), object, {}, span);
    const auto base = i + 1 < types.size() ? functions.record(types[i + 1]) : nullptr;
    const auto first = base == nullptr ? 0 : std::min(base->parts.size(), last);
    while (last > first) {
      const auto* part = std::get_if<Container>(&items[--last]->value);
      if (part != nullptr && part->data->record != nullptr) end(*items[last], span);
    }
  }
}

const cell::Expression* Records::inherited(const cell::Call& call, cell::Span span) {
  const auto* name = std::get_if<cell::Name>(&call.callee->node);
  const auto* self = session_.names().find(std::string(cell::kThis));
  const auto* object = self == nullptr ? nullptr : std::get_if<Container>(&self->value);
  if (name == nullptr || object == nullptr || object->data->record == nullptr) return nullptr;
  const auto& record = *object->data->record;
  const auto known = inherited_.find(&call);
  if (known != inherited_.end()) return known->second.get();
  const auto& functions = session_.code().functions();
  const bool has = std::any_of(record.bases.begin(), record.bases.end(), [&](const std::string& base) {
    const bool named = name->text.starts_with(base + "::");  // Base::f()
    return !functions.find(named ? name->text : fmt::format("{}::{}", base, name->text)).empty();
  });
  if (!has && !(name->text == "what" && record.is_a("std::exception"))) return nullptr;
  const cell::Expression written{span, cell::Name{}};
  auto tree = cell::copy_of(written);
  cell::Call method;
  for (const auto& one : call.arguments)
    method.arguments.push_back({one.name, one.name_span, cell::copy_of(*one.value)});
  auto self_name = std::make_unique<cell::Expression>(cell::Expression{span, cell::Name{std::string(cell::kThis)}});
  method.callee = std::make_unique<cell::Expression>();
  method.callee->span = call.callee->span;
  method.callee->height = 2;
  method.callee->node = cell::Member{std::move(self_name), name->text, true};
  tree->height = 3;
  tree->node = std::move(method);
  return (inherited_[&call] = std::move(tree)).get();
}

}  // namespace xcuda::interpreter
