// Constants of device code that statements may use.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "session/executor.hpp"
#include "session/session.hpp"

namespace xcuda::session {

std::optional<Session::HostConstant> Session::host_constant(const std::string& name) {
  if (const auto known = constants_.find(name); known != constants_.end())
    return known->second ? std::optional(HostConstant{*known->second}) : std::nullopt;
  constants_[name] = std::nullopt;  // also what a constant that names itself sees
  const auto all = program_.host_constants();
  const auto constant =
      std::find_if(all.rbegin(), all.rend(), [&](const compiler::HostConstant& c) { return c.name == name; });
  if (constant == all.rend()) return std::nullopt;
  const auto expression = cell::try_parse_expression(constant->expression);
  if (expression == nullptr) return std::nullopt;  // a macro that is no expression
  const auto tokens = cell::tokens_of(constant->expression);
  const bool outer =
      std::exchange(constant_varies_, std::any_of(tokens.begin(), tokens.end(), [&](const cell::Token& token) {
                      const std::string word(token.text);
                      return token.is_identifier() && (names_.find(word) != nullptr || arrays_.find(word) != nullptr ||
                                                       variables_.find(word).has_value());
                    }));
  CellRun elsewhere{{constant->source, constant->expression}, {}, run_->sink};
  auto value = Executor(*this, elsewhere).evaluate(*expression);
  const auto type =
      constant->type.empty() || constant->type == "auto" ? std::nullopt : xcuda::find_type(constant->type);
  if (const auto* number = std::get_if<cell::Value>(&value); number != nullptr && type)
    value = cell::convert(*number, *type);
  const bool varies = std::exchange(constant_varies_, outer || constant_varies_);
  if (varies) {
    constants_.erase(name);
    return HostConstant{std::move(value), HostConstant::Kind::varying};
  }
  constants_[name] = value;
  return HostConstant{std::move(value)};
}

// Its declaration names them, with constants that statements see, too; else it is as long as its size says.
std::vector<std::uint64_t> Session::extents_of(const ModuleVariables::Found& variable, const Type& type) {
  const auto count = type.size == 0 ? 1 : variable.size / type.size;
  std::vector<std::uint64_t> shape;
  const auto definition = std::find_if(definitions_.rbegin(), definitions_.rend(), [&](const Definition& d) {
    return d.piece.name == variable.name && d.piece.device_variable;
  });
  if (definition == definitions_.rend() || run_ == nullptr) return count > 1 ? std::vector{count} : shape;
  std::uint64_t known = 1;
  for (const auto& extent : definition->piece.extents) {
    const auto expression = extent.empty() ? nullptr : cell::try_parse_expression(extent);
    if (expression == nullptr) {
      shape.push_back(0);  // "[]", the first one
      continue;
    }
    CellRun elsewhere{{variable.source, extent}, {}, run_->sink};
    const auto value = Executor(*this, elsewhere).number(*expression, "an extent");
    shape.push_back(value.is_negative() ? 0 : value.as_unsigned());
    known *= shape.back();
  }
  if (!shape.empty() && shape.front() == 0 && known > 0) shape.front() = count / known, known = count;
  if (known != count)
    return count > 1 ? std::vector{count} : std::vector<std::uint64_t>{};  // a constant that changed since
  return shape;
}

}  // namespace xcuda::session
