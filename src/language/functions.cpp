#include "language/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.hpp"
#include "cell/lexer.hpp"

namespace xcuda::language {
namespace {

using cell::Source;

Takes takes_of(std::string_view type, std::string_view name) {
  if (type == "array") return Takes::array;
  if (type == "arrays") return Takes::arrays;
  if (type == "matrix") return Takes::matrix;
  if (type == "bool") return name == "condition" ? Takes::any : Takes::truth;
  if (type == "extents") return Takes::extents;
  if (type == "function") return Takes::function;
  if (type == "const char*") return Takes::text;
  if (type == "word") return Takes::word;
  if (type == "stream") return Takes::stream;
  if (type == "event") return Takes::event;
  if (type == "name") return Takes::name;
  return type == "T" ? Takes::any : Takes::number;
}

// "bool keep = false", "seed", "int axis".
Parameter read_parameter(std::string_view text, Parameter::Need need) {
  Parameter parameter{.need = need};
  if (const auto equals = text.find('='); equals != std::string_view::npos) {
    auto words = trim(text.substr(equals + 1));
    text = trim(text.substr(0, equals));
    parameter.otherwise = words.substr(0, words.find('|'));
    while (words.find('|') != std::string_view::npos || !parameter.choices.empty()) {
      const auto end = words.find('|');
      const auto word = words.substr(0, end);
      parameter.choices.push_back(word.substr(1, word.size() - 2));  // without its quotes
      if (end == std::string_view::npos) break;
      words.remove_prefix(end + 1);
    }
  }
  const auto blank = text.rfind(' ');
  parameter.name = blank == std::string_view::npos ? text : text.substr(blank + 1);
  parameter.type = blank == std::string_view::npos ? std::string_view() : trim(text.substr(0, blank));
  parameter.takes = takes_of(parameter.type, parameter.name);
  return parameter;
}

Signature read_signature(std::string_view text) {
  Signature signature{.text = text, .result = {}, .parameters = {}};
  const auto open = text.find('(');
  signature.result = text.substr(0, text.rfind(' ', open));
  auto need = Parameter::Need::required;
  for (auto rest = text.substr(open + 1, text.rfind(')') - open - 1); !rest.empty();) {
    const auto end = rest.find_first_of(",[]");
    const auto one = trim(rest.substr(0, end));
    if (one == "...")
      signature.open = true;
    else if (!one.empty())
      signature.parameters.push_back(read_parameter(one, need));
    if (end == std::string_view::npos) break;
    if (rest[end] == '[') need = Parameter::Need::optional;
    rest.remove_prefix(end + 1);
  }
  return signature;
}

struct Index {
  std::vector<const Function*> all;
  std::unordered_map<std::string_view, const Function*> by_name;
  std::unordered_map<const Function*, std::vector<Signature>> signatures;

  Index() {
    for (const auto rows :
         {functions_of_numbers(), functions_of_arrays(), functions_of_matrices(), functions_of_shapes(),
          functions_of_series(), functions_of_random_numbers(), functions_of_transforms(), functions_of_solvers(),
          functions_of_sparse_matrices(), functions_of_devices(), functions_of_statements(), functions_of_runtime(),
          functions_of_streams(), functions_of_c_library()})
      for (const auto& row : rows) {
        all.push_back(&row);
        by_name.emplace(row.name, &row);
        for (const auto line : split_lines(row.signatures)) signatures[&row].push_back(read_signature(line));
      }
    std::sort(all.begin(), all.end(), [](const Function* a, const Function* b) { return a->name < b->name; });
  }
  static const Index& get() {
    static const Index index;
    return index;
  }
};

// "x" of no kind is expected where any is.
std::string_view expected(Takes takes) {
  switch (takes) {
    case Takes::number: return "a number";
    case Takes::array: return "an array";
    case Takes::matrix: return "a matrix";
    case Takes::arrays: return "a list of arrays";
    case Takes::any: return "a value";
    case Takes::truth: return "true or false";
    case Takes::extents: return "an extent";
    case Takes::function: return "a function of device code";
    case Takes::text: return "a string";
    case Takes::word: return "a word";
    case Takes::stream: return "a stream";
    case Takes::event: return "an event";
    case Takes::name: return "a name";
  }
  return "";
}

}  // namespace

std::vector<std::string_view> Signature::names() const {
  std::vector<std::string_view> names;
  for (const auto& parameter : parameters) names.push_back(parameter.name);
  return names;
}

std::size_t Signature::required() const {
  return static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(), [](const Parameter& one) {
    return one.need == Parameter::Need::required;
  }));
}

const std::vector<const Function*>& all_functions() { return Index::get().all; }
const std::vector<Signature>& signatures_of(const Function& function) { return Index::get().signatures.at(&function); }

std::vector<std::string_view> choices_of(const Function& function, std::string_view parameter) {
  for (const auto& signature : signatures_of(function))
    for (const auto& one : signature.parameters)
      if (one.name == parameter && !one.choices.empty()) return one.choices;
  return {};
}

std::vector<std::string_view> types_in_name(std::string_view name) {
  const auto whole = name.substr(0, name.find('<'));
  const auto scope = name.rfind("::");
  if (scope == std::string_view::npos || scope == 0) return {whole};
  return {whole, name.substr(0, std::min(scope, name.find('<')))};
}

std::string_view scope_of(std::string_view name) {
  const auto at = name.rfind("::");
  if (at == std::string_view::npos || name.find('>', at) != std::string_view::npos) return {};
  const auto scope = name.substr(0, at);
  return scope.ends_with('>') ? scope.substr(0, scope.find('<')) : scope;
}

std::string_view without_std(std::string_view name) {
  for (const std::string_view scope : {"::", "cuda::", "std::"})
    if (name.starts_with(scope)) name.remove_prefix(scope.size());
  return name;
}

std::optional<FunctionName> find_function(std::string_view written) {
  const auto& rows = Index::get().by_name;
  FunctionName found;
  auto name = without_std(written);
  if (const auto angle = name.find('<'); angle != std::string_view::npos && name.ends_with('>')) {
    found.type = name.substr(angle + 1, name.size() - angle - 2);
    name = name.substr(0, angle);
  }
  auto row = rows.find(name);
  if (row == rows.end() && name.ends_with('f')) {
    row = rows.find(name.substr(0, name.size() - 1));
    if (row != rows.end() && !row->second->has(Trait::single)) row = rows.end();
    found.single = true;
  }
  if (row == rows.end()) return std::nullopt;
  found.row = row->second;
  return found;
}

std::optional<FunctionName> initial_function(const cell::Call& call) {
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  const auto found = callee == nullptr ? std::nullopt : find_function(callee->text);
  return found && is_initial_value(found->row->operation) ? found : std::nullopt;
}

const cell::Call* call_of(const cell::Expression& expression, Operation operation) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  const auto found = callee == nullptr ? std::nullopt : find_function(callee->text);
  return found && found->row->operation == operation ? call : nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto* function : all_functions()) {
    names.emplace_back(function->name);
    if (function->has(Trait::single) && function->numbers != nullptr)
      names.push_back(std::string(function->name) + "f");
  }
  return names;
}

bool is_element_function(std::string_view name) {
  const auto found = find_function(name);
  return found && !found->single && found->type.empty() && found->row->has(Trait::of_elements);
}

bool is_device_intrinsic(std::string_view name) {
  if (name.starts_with("__")) return name.size() > 2 && name[2] != '_';
  const auto found = find_function(name);
  return found && found->single && found->row->has(Trait::of_elements);
}

// --- arguments -----------------------------------------------------------------------------------------------------

const Signature* fitting(const Function& function, const std::vector<cell::Argument>& arguments) {
  for (const auto& signature : signatures_of(function)) {
    const auto names = signature.names();
    const bool known = std::all_of(arguments.begin(), arguments.end(), [&](const cell::Argument& one) {
      return one.name.empty() || std::find(names.begin(), names.end(), one.name) != names.end();
    });
    const bool all_names =
        std::none_of(arguments.begin(), arguments.end(), [](const cell::Argument& one) { return !one.name.empty(); });
    const bool enough = arguments.size() >= signature.required() || !all_names;
    if (known && enough && (signature.open || arguments.size() <= names.size())) return &signature;
  }
  return nullptr;
}

bool takes_whole_arrays(const Function& function, const std::vector<cell::Argument>& arguments) {
  if (function.operation == Operation::numbers || function.operation == Operation::where) return false;
  if (function.numbers == nullptr) {
    const auto& parameters = signatures_of(function).front().parameters;
    return std::any_of(parameters.begin(), parameters.end(), [](const Parameter& one) {
      return one.takes == Takes::array || one.takes == Takes::matrix || one.takes == Takes::arrays ||
             one.takes == Takes::extents;
    });
  }
  const auto* signature = fitting(function, arguments);
  const bool named =
      std::any_of(arguments.begin(), arguments.end(), [](const cell::Argument& one) { return !one.name.empty(); });
  return signature == nullptr ? named || arguments.size() == 1 : signature != &signatures_of(function).front();
}

namespace {

Error unknown_parameter(const Source& source, std::string_view function, const cell::Argument& argument,
                        std::span<const std::string_view> parameters) {
  auto error = Error(ErrorKind::name, fmt::format("{} has no parameter {}", function, argument.name))
                   .at(source.place(argument.name_span));
  // NumPy's and PyTorch's words.
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"keepdims", "keep"}, {"keepdim", "keep"},          {"dim", "axis"},
      {"offset", "k"},      {"constant_values", "value"}, {"min", "lo"},
      {"max", "hi"},        {"correction", "ddof"},       {"repeats", "n"},
      {"reps", "n"},        {"fill_value", "value"}};
  for (const auto& [theirs, ours] : kElsewhere)
    if (theirs == argument.name && std::find(parameters.begin(), parameters.end(), ours) != parameters.end())
      return std::move(error).advise(fmt::format("Write {} = ...; {}? explains it.", ours, function));
  const auto near = nearest(argument.name, {parameters.begin(), parameters.end()});
  if (!near.empty()) return std::move(error).advise(fmt::format("Did you mean {}?", near));
  const auto all = parameters.empty() ? "nothing" : fmt::format("{}", fmt::join(parameters, ", "));
  return std::move(error).advise(fmt::format("It takes {}.", all));
}

}  // namespace

TriedBound try_bind(const Source& source, std::string_view function, const std::vector<cell::Argument>& arguments,
                    std::span<const std::string_view> parameters) {
  const auto at = [&](ErrorKind kind, std::string message, cell::Span span) {
    return Error(kind, std::move(message)).at(source.place(span));
  };
  const auto failed = [](Error error) { return TriedBound{{}, std::move(error)}; };
  Bound bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    std::size_t index = i;
    if (!argument.name.empty()) {
      const auto found = std::find(parameters.begin(), parameters.end(), argument.name);
      if (found == parameters.end()) return failed(unknown_parameter(source, function, argument, parameters));
      index = static_cast<std::size_t>(found - parameters.begin());
    } else if (i > 0 && !arguments[i - 1].name.empty()) {
      return failed(at(ErrorKind::type, "a positional argument follows a named one", argument.value->span));
    }
    if (index >= parameters.size())
      return failed(at(ErrorKind::type,
                       fmt::format("{} takes at most {} argument{}", function, parameters.size(),
                                   parameters.size() == 1 ? "" : "s"),
                       argument.value->span)
                        .advise(function == "transpose" ? "swapaxes(x, 0, 1) exchanges two axes, permute_dims(x, 1, 0) "
                                                          "names the order of all."
                                                        : ""));
    if (bound[index] != nullptr)
      return failed(at(ErrorKind::type, fmt::format("{} of {} is passed twice", parameters[index], function),
                       argument.value->span));
    bound[index] = argument.value.get();
  }
  return {std::move(bound), {}};
}

TriedBound try_bind(const Source& source, const Function& function, const cell::Call& call, cell::Span span) {
  const auto& signatures = signatures_of(function);
  const auto* fits = fitting(function, call.arguments);
  const auto& signature = fits != nullptr ? *fits : signatures.back();
  const auto names = signature.names();
  Bound bound;
  if (signature.open) {
    for (const auto& argument : call.arguments) {
      if (!argument.name.empty() && std::find(names.begin(), names.end(), argument.name) == names.end())
        return {{}, unknown_parameter(source, function.name, argument, names)};
      bound.push_back(argument.value.get());
    }
    bound.resize(std::max(bound.size(), names.size()));
  } else {
    auto tried = try_bind(source, function.name, call.arguments, names);
    if (tried.error) return tried;
    bound = std::move(tried.given);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (bound[i] == nullptr && signature.parameters[i].need == Parameter::Need::required)
      return {{},
              Error(ErrorKind::type, fmt::format("{}() takes {}: its argument {} is missing", function.name,
                                                 expected(signature.parameters[i].takes), names[i]))
                  .at(source.place(span))
                  .note(std::string(signature.text))};
  return {std::move(bound), {}};
}

namespace {

Bound or_throw(TriedBound tried) {
  if (tried.error) throw std::move(*tried.error);
  return std::move(tried.given);
}

}  // namespace

Bound bind_arguments(const Source& source, std::string_view function, const std::vector<cell::Argument>& arguments,
                     std::span<const std::string_view> parameters) {
  return or_throw(try_bind(source, function, arguments, parameters));
}
Bound bind_arguments(const Source& source, const Function& function, const cell::Call& call, cell::Span span) {
  return or_throw(try_bind(source, function, call, span));
}

const cell::Expression* given(const cell::Call& call, const Function& function, std::string_view parameter) {
  for (const auto& argument : call.arguments)
    if (argument.name == parameter) return argument.value.get();
  const auto* fits = fitting(function, call.arguments);
  const auto names = (fits != nullptr ? *fits : signatures_of(function).back()).names();
  const auto position = static_cast<std::size_t>(std::find(names.begin(), names.end(), parameter) - names.begin());
  return position < call.arguments.size() && call.arguments[position].name.empty()
             ? call.arguments[position].value.get()
             : nullptr;
}

// --- calls of numbers ----------------------------------------------------------------------------------------------

ScalarValue call_numbers(const FunctionName& function, std::span<const ScalarValue> arguments, const Where& where) {
  const auto& row = *function.row;
  const auto count = signatures_of(row).front().parameters.size();
  const auto name = std::string(row.name) + (function.single ? "f" : "");
  if (arguments.size() != count)
    throw Error(ErrorKind::type,
                fmt::format("{}() takes {} argument{}, not {}", name, count, count == 1 ? "" : "s", arguments.size()))
        .at(where.get());
  for (const auto& argument : arguments)
    if (is_complex(argument.kind()) && !row.has(Trait::complex))
      throw Error(ErrorKind::type, fmt::format("{}() is not defined for {} in a statement", name, argument.type().name))
          .at(where.get());
  if (!function.single && function.type.empty()) return row.numbers(arguments, where);
  const auto type = function.single ? type_of(Kind::float32) : find_type(function.type).value_or(Type());
  const auto kind = type.name.empty() ? std::nullopt : kind_of(type);
  if (!kind) throw Error(ErrorKind::type, fmt::format("{} is not the type of a number", function.type)).at(where.get());
  std::array<ScalarValue, 4> converted;
  std::transform(arguments.begin(), arguments.end(), converted.begin(),
                 [&](const ScalarValue& one) { return convert(one, *kind); });
  const auto value = row.numbers(std::span(converted).first(count), where);
  return function.single ? value : convert(value, *kind);
}

namespace {

// Nothing where the arguments do not fit.
std::optional<Kind> type_of_call(const FunctionName& function, std::span<const Kind> arguments) {
  const auto& row = *function.row;
  if (row.numbers == nullptr || arguments.size() != signatures_of(row).front().parameters.size()) return std::nullopt;
  if (!function.type.empty() && !find_type(function.type)) return std::nullopt;
  const bool of_complex = std::any_of(arguments.begin(), arguments.end(), [](Kind kind) { return is_complex(kind); });
  if (of_complex && !row.has(Trait::complex)) {  // as the device has it: of complex numbers
    auto kind = arguments[0];
    for (const auto other : arguments) kind = common_kind(kind, other);
    return kind;
  }
  std::array<ScalarValue, 4> ones;  // the type is the same for all numbers of these types
  std::transform(arguments.begin(), arguments.end(), ones.begin(),
                 [](Kind kind) { return convert(ScalarValue::of(1), kind); });
  return call_numbers(function, std::span(ones).first(arguments.size()), Place()).kind();
}

Form element_result(const FunctionName& function, std::span<const Form> given) {
  std::vector<Kind> kinds;
  Extents extents;
  bool array = false, known = true;
  for (const auto& one : given) {
    if (!one.is_known()) return {};
    const auto kind = one.has_type() ? kind_of(one.type) : std::nullopt;
    if (kind) kinds.push_back(*kind);
    if (!one.is_array()) continue;
    array = true;
    const auto whole = one.extents ? broadcast(extents, *one.extents) : std::nullopt;
    known = known && whole;
    if (whole) extents = *whole;
  }
  const auto kind = kinds.size() == given.size() ? type_of_call(function, kinds) : std::nullopt;
  if (!array) return kind ? Form::number(*kind) : Form();
  const bool is_short = kind && (*kind == Kind::float16 || *kind == Kind::bfloat16);
  const auto type = !kind                                          ? Type()
                    : is_short && function.row->has(Trait::widens) ? type_of(Kind::float32)
                                                                   : type_of(*kind);
  return Form::array(type, known ? std::optional(extents) : std::nullopt);
}

}  // namespace

Form result_of(const FunctionName& function, std::span<const Form> given) {
  const auto& row = *function.row;
  const bool of_elements = row.numbers != nullptr && given.size() == signatures_of(row).front().parameters.size() &&
                           (row.operation == Operation::numbers || given.back().kind != Form::Kind::nothing) &&
                           (row.result == nullptr || given.size() == 2);
  if (of_elements) return element_result(function, given);
  if (row.result == nullptr || given.size() < signatures_of(row).front().required()) return {};
  auto form = row.result(given);
  if (!function.type.empty() && form.is_array())
    form.type = find_type(function.type).value_or(Type());  // zeros<float>(n)
  return form;
}

}  // namespace xcuda::language
