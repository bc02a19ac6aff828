// Records that have another one as their base, such as exceptions.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/container_types.hpp"
#include "cell/lexer.hpp"
#include "cell/methods.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"

namespace xcuda::interpreter {
namespace {

const cell::StandardException& row_of(std::string_view name) {
  const auto& rows = cell::standard_exceptions();
  return *std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return name.substr(5) == row.name; });
}

// While its base is made, an object is of the type of that.
class AsBase {
 public:
  AsBase(ContainerData& data, cell::RecordPtr base) : data_(data), own_(std::exchange(data.record, std::move(base))) {}
  ~AsBase() { data_.record = std::move(own_); }
  AsBase(const AsBase&) = delete;
  AsBase& operator=(const AsBase&) = delete;

 private:
  ContainerData& data_;
  cell::RecordPtr own_;
};

// Whether a struct declares the function virtual, or says that it overrides one.
bool is_virtual(std::string_view type, std::string_view function) {
  bool word = false, named = false;
  const auto tokens = cell::tokens_of(type);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is(";") || token.is("{") || token.is("}")) word = named = false;
    word = word || token.is("virtual");
    named = named || (token.is(function) && tokens[i + 1].is("("));
    if (named && (word || token.is("override") || token.is("final"))) return true;
  }
  return false;
}

}  // namespace

cell::RecordPtr Records::owner_of(std::string_view function, const cell::RecordPtr& record,
                                  const cell::Expression& through) {
  if (record->bases.empty()) return record;
  auto declared = std::string(cell::record_name(frame_.exceptions.declared_type(through)));
  const auto* name = std::get_if<cell::Name>(&through.node);
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  if (name != nullptr && name->text == cell::kThis) declared = frame_.host_function_calls.running_class();
  if (declared.empty() && variable != nullptr) declared = variable->written;  // B& r = d;
  if (declared.empty() || declared == record->name || !record->is_a(declared)) return record;
  const auto base = session_.code().functions().record(declared);
  if (base == nullptr || function == "what") return record;
  auto types = base->bases;
  types.push_back(declared);
  for (const auto& type : types)
    for (const auto& known : session_.code().functions().find(type + "::")) {  // its text
      const auto own = known->piece.of_class;
      if (is_virtual(std::string_view(*known->text).substr(own.begin, own.end - own.begin), function)) return record;
    }
  return base;
}

void Records::construct_base(Variable& object, const Given& given, cell::Span span) {
  auto& data = *std::get<Container>(object.value).data;
  const auto own = data.record;
  const auto base = session_.code().functions().record(own->bases.front());
  const bool same = base != nullptr && base->parts.size() <= own->parts.size() &&
                    std::equal(base->parts.begin(), base->parts.end(), own->parts.begin(),
                               [](const auto& a, const auto& b) { return a.name == b.name && a.type == b.type; });
  if (!same)
    throw error(ErrorKind::type,
                fmt::format("{} was defined before its base {} was changed", own->name, own->bases.front()), span)
        .advise(fmt::format("Run the cell that defines {} again.", own->name));
  const AsBase as_base(data, base);
  if (base->name.starts_with("std::")) return construct_standard(data, given, span);
  if (!constructors(*base).empty()) return construct(object, given, span);
  if (!given.empty()) {
    if (!base->inherits_constructors)
      throw error(ErrorKind::type, fmt::format("{} has no constructor for {} arguments", base->name, given.size()),
                  span);
    construct_base(object, given, span);
  }
  construct_without_own(object, span);
}

void Records::construct_standard(ContainerData& data, const Given& given, cell::Span span) {
  const auto& name = data.record->name;
  const bool takes_text = row_of(name).text.empty();
  if (given.size() == 1 && !std::holds_alternative<cell::List>(given.front()->node)) {
    auto value = evaluate(*given.front());
    const auto* other = std::get_if<Container>(&value);
    if (other != nullptr && other->data->record != nullptr && other->data->record->is_a(name)) {
      const auto base = base_of(*other, data.record);
      for (std::size_t i = 0; i < base.data->items.size(); ++i) data.items[i]->value = base.data->items[i]->value;
      return;
    }
    if (auto text = takes_text ? frame_.texts.of(value) : std::nullopt) {
      data.items.front()->value = std::move(*text);
      return;
    }
  }
  if (!takes_text && given.empty()) return;
  throw error(ErrorKind::type, fmt::format("{} is made of {}", name, takes_text ? "one text" : "no values"), span)
      .advise(takes_text ? fmt::format("{}(\"what happened\")", name)
                         : "std::runtime_error and std::logic_error have a text.");
}

Container Records::base_of(const Container& exception, const cell::RecordPtr& base) {
  auto own = frame_.containers.copy_of(exception);
  auto data = std::make_shared<ContainerData>();
  data->name = std::string(cell::kRecord) + base->name;
  data->type = own.data->type;
  data->type.arguments.resize(base->parts.size());
  data->record = base;
  for (std::size_t i = 0; i < base->parts.size(); ++i) data->items.push_back(own.data->items[i]);
  return {std::move(data)};
}

std::string Records::standard_text(const ContainerData& exception) {
  const auto& record = *exception.record;
  const auto standard = record.name.starts_with("std::")
                            ? record.name
                            : *std::find_if(record.bases.begin(), record.bases.end(),
                                            [](const auto& one) { return one.starts_with("std::"); });
  const auto& text = row_of(standard).text;
  if (!text.empty()) return std::string(text);
  const auto* own = std::get_if<std::string>(&exception.items.front()->value);
  return own != nullptr ? *own : std::string();
}

const std::vector<KnownFunctionPtr>& Records::function_of(const cell::Record& record, std::string_view function) {
  auto& functions = session_.code().functions();
  const auto* found = &functions.find(fmt::format("{}::{}", record.name.substr(0, record.name.find('<')), function));
  for (auto base = record.bases.begin(); found->empty() && base != record.bases.end(); ++base)
    found = &functions.find(fmt::format("{}::{}", *base, function));
  return *found;
}

std::string Records::what(const Container& exception, cell::Span span) {
  const auto& own = function_of(*exception.data->record, "what");
  if (own.empty()) return standard_text(*exception.data);
  Variable object{exception, true, run_.source.name};
  const auto* known = frame_.host_function_calls.best(own, {}, HostFunctionCalls::Whose::constant);
  if (known == nullptr) return standard_text(*exception.data);
  const auto value = frame_.host_function_calls.run_on(*known, object, {}, span).value;
  const auto text = frame_.texts.of(value);
  return text ? *text : std::string();
}

}  // namespace xcuda::interpreter
