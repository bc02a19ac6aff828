// Functions of records: their members are names while one runs, and `this` is another name of the record.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/records/records.hpp"
#include "session/container_data.hpp"

namespace xcuda::interpreter {

void HostFunctionCalls::bind_members(Variable& record) {
  const auto& data = *std::get<Container>(record.value).data;
  for (std::size_t i = 0; i < data.record->parts.size(); ++i) {  // of a base that is being made, its own
    const auto& name = data.record->parts[i].name;
    session_.arrays().undefine_here(name);
    session_.names().alias(name, data.items[i]);
  }
  session_.names().alias(std::string(cell::kThis), record);
}

const session::KnownFunctionPtr* HostFunctionCalls::best(const Overloads& overloads, const Expressions& given,
                                                         Whose whose) {
  const session::KnownFunctionPtr* best = nullptr;
  int most = -1;
  for (const auto& one : overloads) {
    const bool reads = one->function->is_const;
    if (whose == Whose::constant && !reads && !one->function->is_constructor) continue;
    int fits = fit(*one->function, given);
    if (fits >= 0) fits = 2 * fits + (reads == (whose == Whose::constant) ? 1 : 0);
    if (fits > most) {
      best = &one;
      most = fits;
    }
  }
  return best;
}

HostFunctionCalls::Result HostFunctionCalls::run_on(const session::KnownFunctionPtr& known, Variable& record,
                                                    const Expressions& given, cell::Span span) {
  called_.insert(known);
  require_depth(*known->function, span);
  Running running{known, known->function, {}};
  const auto type = std::get<Container>(record.value).data->record->name;
  if (const auto arguments = cell::template_arguments(type); !arguments.empty()) {
    const auto own = cell::class_text(*known->text, known->piece.of_class);
    for (std::size_t i = 0; own && i < std::min(arguments.size(), own->template_parameters.size()); ++i)
      running.given[own->template_parameters[i]] = arguments[i];
    auto& made = known->instances[type];
    auto tokens = running.given;
    tokens[type.substr(0, type.find('<'))] = std::string(cell::kRecord) + type;
    if (made == nullptr)
      made = cell::parse_function(
          {*known->text, known->source, &known->piece, known->grammar, known->types, tokens, {}, known->library});
    running.function = made;
  }
  if (running.function->body == nullptr) throw language::cannot_call(frame_.text, *running.function, span);
  const auto self = known->piece.value == "static" ? Self() : Self(&record);
  auto value = run(running, given, self, span);
  auto place = std::exchange(given_, std::nullopt);
  if (!running.function->result.ends_with('&') || !place) return {std::move(value), std::nullopt};
  return {std::move(value), std::move(place->place)};
}

Value HostFunctionCalls::run_free(const session::KnownFunctionPtr& known, const Expressions& given, cell::Span span) {
  called_.insert(known);
  require_depth(*known->function, span);
  if (known->function->body == nullptr) throw language::cannot_call(frame_.text, *known->function, span);
  return run({known, known->function, {}}, given, {}, span);
}

bool HostFunctionCalls::is_within(std::string_view record) const {
  if (running_ == nullptr) return false;
  const std::string_view name = running_->function->name;
  const auto own = record.substr(0, record.find('<'));
  return name.starts_with(own) && name.substr(own.size()).starts_with("::");
}

}  // namespace xcuda::interpreter
