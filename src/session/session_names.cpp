// Constants of device code that statements may use.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "session/executor.hpp"
#include "session/session.hpp"

namespace xcuda::session {

Session::NestedEvaluation::NestedEvaluation(Session& session, const cell::Expression& expression)
    : session_(session), height_(expression.height) {
  if (session.nested_height_ + height_ > cell::kMaxHeight)
    throw Error(ErrorKind::unsupported,
                fmt::format("what constants and macros stand for is nested deeper than {} levels", cell::kMaxHeight))
        .advise("Write one of them as a number.");
  session.nested_height_ += height_;
}

Session::NestedEvaluation::~NestedEvaluation() { session_.nested_height_ -= height_; }

// What is noted while a constant is evaluated; a failure leaves no trace of it.
struct Session::ConstantUnderWay {
  ConstantUnderWay(Session& of, const std::string& constant, bool varies)
      : session(of), name(constant), outer(std::exchange(of.constant_varies_, varies)) {
    session.constants_[name] = std::nullopt;  // also what a constant that names itself sees
  }
  ~ConstantUnderWay() {
    session.constants_.erase(name);
    session.constant_varies_ = outer || session.constant_varies_;
  }
  ConstantUnderWay(const ConstantUnderWay&) = delete;
  ConstantUnderWay& operator=(const ConstantUnderWay&) = delete;

  Session& session;
  const std::string& name;
  bool outer;
};

std::optional<Session::HostConstant> Session::host_constant(const std::string& name) {
  if (const auto known = constants_.find(name); known != constants_.end())
    return known->second ? std::optional(HostConstant{*known->second}) : std::nullopt;
  const auto constant = program_.host_constant(name);
  const auto expression = constant ? cell::try_parse_expression(constant->expression) : nullptr;
  if (expression == nullptr) {  // no constant, or a macro that is no expression
    constants_[name] = std::nullopt;
    return std::nullopt;
  }
  const NestedEvaluation nested(*this, *expression);
  const auto tokens = cell::tokens_of(constant->expression);
  const bool names_variables = std::any_of(tokens.begin(), tokens.end(), [&](const cell::Token& token) {
    const std::string word(token.text);
    return token.is_identifier() &&
           (names_.find(word) != nullptr || arrays_.find(word) != nullptr || variables_.find(word).has_value());
  });
  Value value;
  bool varies = false;
  {
    const ConstantUnderWay under_way(*this, name, names_variables);
    CellRun elsewhere{{constant->source, constant->expression}, {}, run_->sink};
    value = Executor(*this, elsewhere).evaluate(*expression);
    varies = constant_varies_;
  }
  const auto type =
      constant->type.empty() || constant->type == "auto" ? std::nullopt : xcuda::find_type(constant->type);
  if (const auto* number = std::get_if<cell::Value>(&value); number != nullptr && type)
    value = cell::convert(*number, *type);
  if (varies) return HostConstant{std::move(value), HostConstant::Kind::varying};
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
