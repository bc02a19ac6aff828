#include "interpreter/host_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "cell/type_word.hpp"
#include "interpreter/interpreter.hpp"

namespace xcuda::interpreter {

NestedEvaluation::NestedEvaluation(Session& session, const cell::Expression& expression)
    : constants_(session.code().constants()), height_(expression.height) {
  if (constants_.nested_height + height_ > cell::kMaxHeight)
    throw Error(ErrorKind::unsupported,
                fmt::format("constants and macros are nested deeper than {} levels", cell::kMaxHeight))
        .advise("Replace one of them with its value.");
  constants_.nested_height += height_;
}

NestedEvaluation::~NestedEvaluation() { constants_.nested_height -= height_; }

namespace {

// What is noted while a constant is evaluated; a failure leaves no trace of it.
struct ConstantUnderWay {
  ConstantUnderWay(ConstantTable& table, const std::string& constant, bool varies)
      : constants(table), name(constant), outer(std::exchange(table.varies, varies)) {
    constants.values[name] = std::nullopt;  // also what a constant that names itself sees
  }
  ~ConstantUnderWay() {
    constants.values.erase(name);
    constants.varies = outer || constants.varies;
  }
  ConstantUnderWay(const ConstantUnderWay&) = delete;
  ConstantUnderWay& operator=(const ConstantUnderWay&) = delete;

  ConstantTable& constants;
  const std::string& name;
  bool outer;
};

}  // namespace

std::optional<HostConstant> host_constant(Session& session, Sink& sink, const std::string& name) {
  auto& constants = session.code().constants();
  if (const auto known = constants.values.find(name); known != constants.values.end())
    return known->second ? std::optional(HostConstant{*known->second}) : std::nullopt;
  const auto constant = session.code().program().host_constant(name);
  const auto expression = constant ? cell::try_parse_expression(constant->expression) : nullptr;
  if (expression == nullptr) {  // not a constant, or a macro that is not an expression
    constants.values[name] = std::nullopt;
    return std::nullopt;
  }
  const NestedEvaluation nested(session, *expression);
  const auto tokens = cell::tokens_of(constant->expression);
  const bool names_variables = std::any_of(tokens.begin(), tokens.end(), [&](const cell::Token& token) {
    const std::string word(token.text);
    return token.is_identifier() && (session.names().find(word) != nullptr || session.arrays().find(word) != nullptr ||
                                     session.variables().find(word).has_value());
  });
  Value value;
  bool varies = false;
  {
    const ConstantUnderWay under_way(constants, name, names_variables);
    CellRun elsewhere{{constant->source, constant->expression}, {}, sink};
    value = Interpreter(session, elsewhere).evaluate(*expression);
    varies = constants.varies;
  }
  const auto type = constant->type.empty() || cell::type_word(constant->type) == cell::TypeWord::automatic
                        ? std::nullopt
                        : xcuda::find_type(constant->type);
  if (const auto* number = std::get_if<language::ScalarValue>(&value); number != nullptr && type)
    value = language::convert(*number, *type);
  if (varies) return HostConstant{std::move(value), HostConstant::Kind::varying};
  constants.values[name] = value;
  return HostConstant{std::move(value)};
}

// Its declaration names them, with constants that statements see, too; else it is as long as its size says.
std::vector<std::uint64_t> extents_of(Session& session, Sink& sink, const ModuleVariables::Found& variable,
                                      const Type& type) {
  const auto count = type.size == 0 ? 1 : variable.size / type.size;
  std::vector<std::uint64_t> shape;
  const auto definition =
      std::find_if(session.code().definitions().rbegin(), session.code().definitions().rend(),
                   [&](const Definition& d) { return d.piece.name == variable.name && d.piece.device_variable; });
  if (definition == session.code().definitions().rend()) return count > 1 ? std::vector{count} : shape;
  std::uint64_t known = 1;
  for (const auto& extent : definition->piece.extents) {
    const auto expression = extent.empty() ? nullptr : cell::try_parse_expression(extent);
    if (expression == nullptr) {
      shape.push_back(0);  // "[]", the first one
      continue;
    }
    CellRun elsewhere{{variable.source, extent}, {}, sink};
    const auto value = Interpreter(session, elsewhere).number(*expression, "an extent");
    shape.push_back(value.is_negative() ? 0 : value.as_unsigned());
    known *= shape.back();
  }
  if (!shape.empty() && shape.front() == 0 && known > 0) shape.front() = count / known, known = count;
  if (known != count)
    return count > 1 ? std::vector{count} : std::vector<std::uint64_t>{};  // a constant that changed since
  return shape;
}

}  // namespace xcuda::interpreter
