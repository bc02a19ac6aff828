#include "command/program/host_module_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "cell/lexer.hpp"

namespace xcuda::command {
namespace {

using cell::DeviceKind;
using cell::DevicePiece;

std::string_view part(const cell::Cell& cell, cell::Span span) {
  return std::string_view(cell.text).substr(span.begin, span.end - span.begin);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto tokens = cell::tokens_of(text);
  return std::any_of(tokens.begin(), tokens.end(), [&](const auto& token) { return token.text == word; });
}

enum class Use : std::uint8_t { none, function, function_template };

bool in_nameless_namespace(const cell::Cell& cell, const DevicePiece& piece) {
  return std::any_of(cell.device.begin(), cell.device.end(), [&](const auto& outer) {
    return outer.container && outer.kind == DeviceKind::name_space && outer.name_span.begin == outer.name_span.end &&
           outer.span.begin <= piece.span.begin && piece.span.end <= outer.span.end;
  });
}

// How statements use a function: those with external linkage that run on the host can be called, but no member that is
// defined outside of its class.
Use use_of(const cell::Cell& cell, const DevicePiece& piece) {
  if (piece.kind != DeviceKind::function || piece.kernel || piece.name.find("operator") != piece.name.npos)
    return Use::none;
  const auto head = part(cell, {piece.span.begin, piece.name_span.begin});
  if (trim(head).ends_with("::")) return Use::none;
  for (const auto* word : {"static", "friend", "consteval"})
    if (has_word(head, word)) return Use::none;
  if (has_word(head, "__device__") && !has_word(head, "__host__")) return Use::none;
  if (in_nameless_namespace(cell, piece)) return Use::none;
  return piece.is_template || has_word(part(cell, piece.parameters), "auto") ? Use::function_template : Use::function;
}

struct WrittenParameter {
  std::string_view text;  // "int n"
  bool has_default = false;
};

// The parameters of "float* x, int n = f(1, 2)".
std::vector<WrittenParameter> split_parameters(std::string_view parameters) {
  std::vector<WrittenParameter> split;
  std::size_t begin = 0;
  int depth = 0;
  std::optional<std::size_t> end;  // where a default begins
  const auto add = [&](std::size_t at) {
    const auto text = trim(parameters.substr(begin, end.value_or(at) - begin));
    if (!text.empty() && text != "void") split.push_back({text, end.has_value()});
    begin = at + 1;
    end.reset();
  };
  for (const auto& token : cell::tokens_of(parameters)) {
    if (token.is("(") || token.is("[") || token.is("{") || token.is("<")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || token.is(">")) --depth;
    if (depth > 0) continue;
    if (token.is("=") && !end) end = token.span.begin;
    if (token.is(",")) add(token.span.begin);
  }
  add(parameters.size());
  return split;
}

std::string joined(const std::vector<WrittenParameter>& parameters, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::string(parameters[i].text);
  return text;
}

// What registers the function, and what its default arguments make of it: a function of fewer parameters each.
enum class Overloads : std::uint8_t { none, some };
std::string entries_of(const cell::Cell& cell, const DevicePiece& piece, Overloads overloads, std::size_t number) {
  const auto name = part(cell, piece.name_span);
  const auto parameters = split_parameters(part(cell, piece.parameters));
  std::string text;
  const auto add = [&](const std::string& how, std::size_t count) {
    std::string names;
    for (std::size_t i = 0; i < count && i < piece.parameter_names.size(); ++i) names += piece.parameter_names[i] + ",";
    text += fmt::format(" static const ::xcuda_module::Entry xcuda_entry_{}_{}(::xcuda_module::{}, \"{}\", \"{}\"));",
                        number, count, how, piece.name, names);
  };
  const auto signature =
      overloads == Overloads::some ? fmt::format("Signature<void({})>::", joined(parameters, parameters.size())) : "";
  add(fmt::format("{}of(&{}", signature, name), parameters.size());
  for (auto count = parameters.size(); count-- > 0 && parameters[count].has_default;) {
    std::string given;
    const auto first = piece.parameter_names.begin();
    if (piece.parameter_names.size() < count || std::find(first, first + count, "") != first + count) break;
    for (std::size_t i = 0; i < count; ++i) given += (i == 0 ? "" : ", ") + piece.parameter_names[i];
    add(fmt::format("of(+[]({}) -> decltype(auto) {{ return {}({}); }}", joined(parameters, count), name, given),
        count);
  }
  return text;
}

}  // namespace

HostModuleText host_module_text(const cell::Cell& cell, std::size_t begin) {
  HostModuleText made;
  std::map<std::string, int> overloads;
  for (const auto& piece : cell.device)
    if (piece.kind == DeviceKind::function) ++overloads[piece.name];
  std::size_t copied = begin;
  for (const auto& piece : cell.device) {
    const auto use = use_of(cell, piece);
    if (use == Use::function_template) made.templates.push_back(piece.name);
    if (use != Use::function) continue;
    made.text += cell.text.substr(copied, piece.body.end - copied);
    made.text +=
        entries_of(cell, piece, overloads[piece.name] > 1 ? Overloads::some : Overloads::none, made.functions.size());
    copied = piece.body.end;
    made.functions.push_back(piece.name);
    auto& text = made.texts[piece.name];
    text += (text.empty() ? "" : "\n") + std::string(part(cell, {piece.span.begin, piece.body.end}));
  }
  made.text += cell.text.substr(copied);
  return made;
}

}  // namespace xcuda::command
