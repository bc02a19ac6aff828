// Constants of device code that statements may use.
#include <fmt/format.h>

#include <algorithm>

#include "cell/parse.hpp"
#include "session/executor.hpp"
#include "session/session.hpp"

namespace xcuda::session {

std::optional<Value> Session::host_constant(Executor& executor, const std::string& name) {
  (void)executor;
  if (const auto known = constants_.find(name); known != constants_.end()) return known->second;
  constants_[name] = std::nullopt;  // also what a constant that names itself sees
  const auto all = program_.host_constants();
  const auto constant = std::find_if(all.rbegin(), all.rend(), [&](const compiler::HostConstant& c) { return c.name == name; });
  if (constant == all.rend()) return std::nullopt;
  const auto expression = cell::try_parse_expression(constant->expression);
  if (expression == nullptr) return std::nullopt;  // a macro that is no expression
  CellRun elsewhere{{constant->source, constant->expression}, {}, run_->sink};
  Executor evaluator(*this, elsewhere);
  auto value = evaluator.evaluate(*expression);
  const auto type = constant->type.empty() || constant->type == "auto" ? std::nullopt : xcuda::find_type(constant->type);
  if (const auto* number = std::get_if<cell::Value>(&value); number != nullptr && type) value = cell::convert(*number, *type);
  constants_[name] = value;
  return value;
}

}  // namespace xcuda::session
