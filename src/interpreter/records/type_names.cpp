// What the checker asks of the types that cells define: enumerations, and private members of structs.
#include <algorithm>

#include "cell/declared.hpp"
#include "cell/lexer.hpp"
#include "cell/methods.hpp"
#include "interpreter/session_names.hpp"
#include "session/device_code.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {
namespace {

bool is_enumeration(const cell::DevicePiece& piece) {
  return piece.kind == cell::DeviceKind::type && piece.type.starts_with("enum");
}

bool is_member(const std::vector<cell::Token>& declaration, std::string_view name) {
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    static constexpr std::string_view kAfter[] = {",", "=", "[", "{", ":"};
    const bool ends = i + 1 == declaration.size() || std::any_of(std::begin(kAfter), std::end(kAfter), [&](auto after) {
                        return declaration[i + 1].is(after);
                      });
    if (declaration[i].is(name) && ends) return true;
    if (declaration[i].is("=") || declaration[i].is("{")) return false;
  }
  return false;
}

bool is_friend(std::string_view text, std::string_view function) {
  bool declared = false;
  for (const auto& token : cell::tokens_of(text)) {
    if (token.is("friend")) declared = true;
    if (token.is(";") || token.is("{")) declared = false;
    if (declared && token.is(function)) return true;
  }
  return false;
}

}  // namespace

// The newest type that fits, of the cell first.
std::optional<TypeText> SessionNames::newest_type(const std::function<bool(const cell::DevicePiece&)>& holds) const {
  if (run_.cell != nullptr)
    for (auto piece = run_.cell->device.rbegin(); piece != run_.cell->device.rend(); ++piece)
      if (!piece->container && holds(*piece))
        return TypeText{&*piece, run_.source.text.substr(piece->span.begin, piece->span.end - piece->span.begin)};
  const auto& known = session_.code().definitions();
  for (auto one = known.rbegin(); one != known.rend(); ++one)
    if (holds(one->piece)) return TypeText{&one->piece, one->text};
  return std::nullopt;
}

language::Environment::Enumeration SessionNames::enumeration(std::string_view type) {
  if (type.empty()) return Enumeration::none;
  const auto found = newest_type([&](const cell::DevicePiece& one) { return is_enumeration(one) && one.name == type; });
  if (!found) return Enumeration::none;
  const auto& head = found->piece->type;
  return head.starts_with("enum class") || head.starts_with("enum struct") ? Enumeration::scoped : Enumeration::plain;
}

std::string SessionNames::enumeration_of(const std::string& enumerator) {
  const auto found = newest_type([&](const cell::DevicePiece& one) {
    return is_enumeration(one) && std::any_of(one.enumerators.begin(), one.enumerators.end(),
                                              [&](const auto& known) { return known.first == enumerator; });
  });
  return found ? found->piece->name : std::string();
}

std::string_view SessionNames::access_of(const Type& type, std::string_view member, std::string_view function) {
  auto name = type.name.empty() ? type.written : std::string_view(type.name);
  name = name.substr(0, name.find('<'));
  if (name.empty()) return {};
  const auto found = newest_type([&](const cell::DevicePiece& one) {
    return one.kind == cell::DeviceKind::type && one.name == name &&
           (one.type.starts_with("struct") || one.type.starts_with("class"));
  });
  if (!found || (!function.empty() && is_friend(found->text, function))) return {};
  const auto own = cell::class_text(found->text, {0, static_cast<std::uint32_t>(found->text.size())});
  if (!own) return {};
  if (const auto all = std::count(own->functions.begin(), own->functions.end(), member); all > 0)  // of its overloads
    return std::count(own->hidden.begin(), own->hidden.end(), member) == all ? "private" : "";
  for (const auto& one : own->members)
    if (one.hidden &&
        is_member(cell::tokens_of(found->text.substr(one.span.begin, one.span.end - one.span.begin)), member))
      return "private";
  return {};
}

}  // namespace xcuda::interpreter
