// Functions of records: their members are names while one runs, and `this` is another name of the record.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/method.hpp"
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
  const auto running = instance(known, given, span);
  if (running.function->body == nullptr) throw language::cannot_call(frame_.text, *running.function, span);
  return run(running, given, {}, span);
}

namespace {

// The class of this name in a text.
std::optional<cell::ClassText> class_named(std::string_view name, std::string_view text) {
  const auto tokens = cell::tokens_of(text);
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].is(";") || tokens[i].is("}")) begin = i + 1;
    if (!tokens[i + 1].is(name) || !cell::begins_struct(tokens[i].text, i == 0 ? "" : tokens[i - 1].text)) continue;
    const cell::Span span{tokens[begin].span.begin, static_cast<std::uint32_t>(text.size())};
    if (auto found = cell::class_text(text, span)) return found;
  }
  return std::nullopt;
}

}  // namespace

// Of a template, and of a friend of a class template: as its arguments make it.
HostFunctionCalls::Running HostFunctionCalls::instance(const session::KnownFunctionPtr& known, const Expressions& given,
                                                       cell::Span span) {
  if (!known->function->template_parameters.empty()) {
    auto& call = operator_calls_[{known.get(), given}];
    if (call.arguments.empty())
      for (const auto* one : given) call.arguments.push_back({{}, {}, cell::copy_of(*one)});
    return instance(known, {}, call, known->function->name, span);
  }
  for (const auto* one : given) {
    const auto* name = std::get_if<cell::Name>(&one->node);
    const auto* held = name == nullptr ? nullptr : session_.names().find(name->text);
    const auto* record = held == nullptr ? nullptr : std::get_if<Container>(&held->value);
    if (record == nullptr || record->data->record == nullptr) continue;
    const auto& type = record->data->record->name;
    const auto arguments = cell::template_arguments(type);
    const auto own_name = type.substr(0, type.find('<'));
    const auto own = arguments.empty() ? std::nullopt : class_named(own_name, *known->text);
    if (!own) continue;
    Running running{known, nullptr, {}};
    for (std::size_t i = 0; i < std::min(arguments.size(), own->template_parameters.size()); ++i)
      running.given[own->template_parameters[i]] = arguments[i];
    auto tokens = running.given;
    tokens[own_name] = std::string(cell::kRecord) + type;
    auto& made = known->instances[type];
    if (made == nullptr)
      made = cell::parse_function(
          {*known->text, known->source, &known->piece, known->grammar, known->types, tokens, {}, known->library});
    running.function = made;
    return running;
  }
  return {known, known->function, {}};
}

bool HostFunctionCalls::is_within(std::string_view record) const {
  if (running_ == nullptr) return false;
  const std::string_view name = running_->function->name;
  const auto own = record.substr(0, record.find('<'));
  return name.starts_with(own) && name.substr(own.size()).starts_with("::");
}

}  // namespace xcuda::interpreter
