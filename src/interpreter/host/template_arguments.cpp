#include "interpreter/host/template_arguments.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/parse.hpp"
#include "cell/parser.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {
namespace {

// "<float, 2 * N>" of a name: the arguments, as written.
std::vector<std::string> written_arguments(std::string_view name) {
  std::vector<std::string> list;
  const auto open = name.find('<');
  if (open == name.npos || !name.ends_with('>')) return list;
  int depth = 0;
  auto from = open + 1;
  for (auto at = from; at + 1 < name.size(); ++at) {
    if (name[at] == '<' || name[at] == '(') ++depth;
    if (name[at] == '>' || name[at] == ')') --depth;
    if (name[at] != ',' || depth > 0) continue;
    list.emplace_back(trim(name.substr(from, at - from)));
    from = at + 1;
  }
  list.emplace_back(trim(name.substr(from, name.size() - 1 - from)));
  return list;
}

// What a parameter is where "Vec<T, N>" is "Vec<float, 3>"; empty where the two differ, or it is not in it.
std::string matched(std::string_view pattern, std::string_view type, std::string_view parameter) {
  const auto wanted = cell::tokens_of(pattern), given = cell::tokens_of(type);
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].is("const")) continue;
    if (at < given.size() && wanted[i].text == given[at].text) {
      ++at;
      continue;
    }
    const auto* after = i + 1 < wanted.size() ? &wanted[i + 1] : nullptr;
    std::vector<cell::Token> part;
    while (at < given.size() && (after == nullptr || given[at].text != after->text)) part.push_back(given[at++]);
    if (part.empty() || !wanted[i].is_identifier()) return {};
    if (wanted[i].text == parameter) result = cell::join(part);
  }
  return at == given.size() ? result : std::string();
}

}  // namespace

using language::Form;

Form TemplateArguments::form_of_argument(const cell::Expression& argument) {
  if (std::holds_alternative<cell::List>(argument.node)) return {};
  if (frame_.lookup.function(argument)) return Form::of(Form::Kind::function);
  if (std::holds_alternative<cell::Lambda>(argument.node))
    return {.kind = Form::Kind::object, .type = frame_.closures.value(argument).type};
  if (const auto* name = std::get_if<cell::Name>(&argument.node))
    if (const auto* variable = session_.names().find(name->text)) return form_of(variable->value);
  auto form = frame_.expressions.form(argument);
  const bool place =
      std::holds_alternative<cell::Member>(argument.node) || std::holds_alternative<cell::Index>(argument.node);
  if (!form.has_type() && place)  // a pointer in memory
    return {.kind = Form::Kind::object, .type = frame_.targets.type_of(frame_.targets.of(argument))};
  return form;
}

std::string TemplateArguments::deduced(const std::string& parameter, const Request& request) {
  const auto& parameters = request.function.parameters;
  for (std::size_t i = 0; i < request.arguments.size() && i < parameters.size(); ++i)
    if (!parameters[i].declarators.front().pack)
      if (auto found = deduced(parameter, parameters[i], *request.arguments[i].value); !found.empty()) return found;
  return {};
}

// From one argument; empty where it says nothing of the parameter.
std::string TemplateArguments::deduced(const std::string& parameter, const cell::Declaration& declared,
                                       const cell::Expression& argument) {
  const auto form = form_of_argument(argument);
  if (form.kind == Form::Kind::function && declared.type == parameter) return "auto";
  const auto& declarator = declared.declarators.front();
  const bool pointer = declarator.pointer || !declarator.extents.empty();
  if (form.kind == Form::Kind::text && declared.type == parameter && !pointer) return "std::string";
  if (!form.has_type()) return {};
  const bool span = declared.type.find("span<") != std::string::npos;
  if (const auto element = cell::vector_element(declared.type); !element.empty())
    return matched(form.is_array() ? std::string(element) : declared.type, form.type.name, parameter);
  if (!declarator.row.empty() && declarator.reference) {  // T (&x)[N]
    for (std::size_t d = 0; form.extents && d < declarator.row.size() && d < form.extents->size(); ++d) {
      const auto* extent = std::get_if<cell::Name>(&declarator.row[d]->node);
      if (extent != nullptr && extent->text == parameter && (*form.extents)[d])
        return std::to_string(*(*form.extents)[d]);
    }
    return declared.type == parameter ? form.type.name : std::string();
  }
  if (declared.type == parameter) {
    if (form.grows && !pointer) return fmt::format("std::vector<{}>", form.type.name);
    if (form.is_array() && !pointer) return form.type.name + "*";
    const bool pointee = pointer && form.type.name.ends_with('*');
    return form.type.name.substr(0, form.type.name.size() - (pointee ? 1 : 0));
  }
  if (form.is_array() && span)
    return matched(declared.type.substr(declared.type.find("span<") + 4), "<" + form.type.name + ">", parameter);
  return matched(declared.type, form.type.name, parameter);
}

// Of the arguments from where the pack of parameters is.
void TemplateArguments::add_pack(const cell::TemplateParameter& pack, std::size_t written, const Request& request,
                                 Given& given) {
  const auto& [parameter, fallback, kind, is_pack] = pack;
  const auto& function = request.function;
  const auto explicit_arguments = written_arguments(request.name);
  std::size_t count = 0;
  const auto first = function.parameters.size() - 1;
  if (cell::takes_pack(function))
    for (auto i = first; i < request.arguments.size(); ++i, ++count) {
      auto text = written + count < explicit_arguments.size()
                      ? explicit_arguments[written + count]
                      : deduced(parameter, function.parameters.back(), *request.arguments[i].value);
      if (text.empty())
        throw error(ErrorKind::type, fmt::format("cannot deduce {} of {}", parameter, function.name),
                    request.arguments[i].value->span)
            .advise("Give it a variable of that type.");
      given[cell::pack_element(parameter, count)] = std::move(text);
    }
  given[parameter + "#"] = std::to_string(count);
}

std::size_t TemplateArguments::written_in(std::string_view name) { return written_arguments(name).size(); }

TemplateArguments::Given TemplateArguments::of(const Request& request) {
  Given given;
  const auto written = written_arguments(request.name);
  const auto& function = request.function;
  const auto& parameters = function.template_parameters;
  const bool has_pack = !parameters.empty() && parameters.back().pack;
  if (written.size() > parameters.size() && !has_pack)
    throw error(ErrorKind::type,
                fmt::format("{} has {} template parameter{}, but {} are given", function.name, parameters.size(),
                            parameters.size() == 1 ? "" : "s", written.size()),
                request.span);
  using Kind = cell::TemplateParameter::Kind;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [parameter, fallback, kind, pack] = parameters[i];
    if (pack) {
      add_pack(parameters[i], i, request, given);
      continue;
    }
    auto text = i < written.size() ? written[i] : std::string();
    if (text.empty()) text = deduced(parameter, request);
    if (text.empty()) text = fallback;
    if (text.empty())
      throw error(ErrorKind::type, fmt::format("cannot deduce {} of {}", parameter, function.name), request.span)
          .advise(fmt::format("Name it: {}<{}>.", function.name, kind == Kind::type ? "float" : "256"));
    if (const auto expression = kind == Kind::value ? cell::try_parse_expression(text) : nullptr) {
      SessionNames names(session_, run_, nullptr);
      const auto form = language::form_of(*expression, {run_.source.name, text}, names);
      if (form.value) text = form.value->text();
    }
    given[parameter] = text;
  }
  return given;
}

}  // namespace xcuda::interpreter
