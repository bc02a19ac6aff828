// What texts, output streams and vectors cannot do.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "cell/snippet.hpp"
#include "cell/type_word.hpp"
#include "language/complaints.hpp"
#include "language/host/container_rules.hpp"
#include "language/host/text_types.hpp"
#include "language/host/vector_types.hpp"

namespace xcuda::language {

using cell::Source;
using cell::Span;

bool can_be_streamed(const Form& form) {
  return !form.is_known() || form.kind == Form::Kind::number || form.kind == Form::Kind::text || form.is_array() ||
         form.kind == Form::Kind::null;
}

Error not_streamed(const Source& source, const Form& given, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} is {}, which a stream of statements cannot print", cell::snippet(source.text, span),
                               describe(given)),
                   span)
      .advise("Print its members, or its name alone on the last line. A cell with %%cuda runs all of C++.");
}

Error unknown_stream_member(const Source& source, const cell::Member& member, Span callee) {
  return complaint(source, ErrorKind::unsupported,
                   fmt::format("statements have no {}", cell::snippet(source.text, callee)), callee)
      .advise(fmt::format("{} has <<, precision(n), width(n), fill(c) and flush(). A cell with %%cuda runs all of C++.",
                          cell::snippet(source.text, member.base->span)));
}

namespace {

// A name that is another one, but for a letter or two, is a typing error; another may be C++ that statements lack.
std::optional<Error> mistyped(const Source& source, std::string_view of, std::string_view method,
                              const std::string& methods, Span callee) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < methods.size();) {
    const auto end = std::min(methods.find(", ", begin), methods.size());
    names.push_back(methods.substr(begin, end - begin));
    begin = end + 2;
  }
  const auto near = nearest(method, names);
  if (near.empty() || near == method) return std::nullopt;
  return complaint(source, ErrorKind::name, fmt::format("{} has no {}()", of, method), callee)
      .advise(fmt::format("Did you mean {}()? It has {}.", near, methods));
}

}  // namespace

Error unknown_text_method(const Source& source, const cell::Member& member, Span callee) {
  if (auto typing = mistyped(source, "a string", member.member, text_methods(), callee)) return std::move(*typing);
  return complaint(source, ErrorKind::unsupported,
                   fmt::format("a string has no {} with these arguments in statements", member.member), callee)
      .advise(fmt::format("It has {}. A cell with %%cuda runs all of C++.", text_methods()));
}

bool can_be_in_vector(std::string_view element) {
  const auto word = cell::type_word(element);
  return cell::is_callable_type(element) || word == cell::TypeWord::stream || word == cell::TypeWord::event ||
         (word == cell::TypeWord::none && !cell::is_host_library_name(element));
}

Error no_vectors_of(const Source& source, std::string_view element, Span span) {
  return complaint(source, ErrorKind::unsupported, fmt::format("statements have no std::vector<{}>", element), span)
      .advise(
          "Vectors hold numbers, structs and pointers; an array may have several extents: float m[a][b]. A cell "
          "with %%cuda runs all of C++.");
}

Error unknown_container_method(const Source& source, const cell::ContainerType& type, const cell::Member& member,
                               const cell::Call& call) {
  const auto name = cell::snippet(source.text, member.base->span);
  const auto count = call.arguments.size();
  if (auto typing = mistyped(source, name, member.member, container_methods(type), call.callee->span))
    return std::move(*typing);
  return complaint(source, ErrorKind::unsupported,
                   fmt::format("{} has no {} with {} argument{} in statements", name, member.member, count,
                               count == 1 ? "" : "s"),
                   call.callee->span)
      .advise(fmt::format("It has {}. A cell with %%cuda runs all of C++.", container_methods(type)));
}

Error unknown_vector_method(const Source& source, const cell::Member& member, Span callee) {
  if (auto typing = mistyped(source, "a std::vector", member.member, vector_methods(), callee))
    return std::move(*typing);
  return complaint(source, ErrorKind::unsupported,
                   fmt::format("a std::vector has no {} with these arguments in statements", member.member), callee)
      .advise(
          fmt::format("It has {}, and the functions of arrays. A cell with %%cuda runs all of C++.", vector_methods()));
}

}  // namespace xcuda::language
