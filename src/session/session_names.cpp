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

// Its declaration names them, with constants that statements see, too; else it is as long as its size says.
std::vector<std::uint64_t> Session::extents_of(const ModuleVariables::Found& variable, const Type& type) {
  const auto count = type.size == 0 ? 1 : variable.size / type.size;
  std::vector<std::uint64_t> shape;
  const auto definition = std::find_if(definitions_.rbegin(), definitions_.rend(),
                                       [&](const Definition& d) { return d.piece.name == variable.name && d.piece.device_variable; });
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
  if (known != count) return count > 1 ? std::vector{count} : std::vector<std::uint64_t>{};  // a constant that changed since
  return shape;
}

}  // namespace xcuda::session
