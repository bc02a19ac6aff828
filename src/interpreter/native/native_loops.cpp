#include "interpreter/native/native_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/range_loops.hpp"
#include "interpreter/native/lent_random.hpp"
#include "interpreter/native/native_arguments.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/native/native_statements.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/statements.hpp"
#include "language/changed_names.hpp"
#include "language/constants.hpp"
#include "session/error_output.hpp"
#include "session/own_cell.hpp"

namespace xcuda::interpreter {
namespace {

constexpr const char* kLeft = "xcuda_left";  // the status of exit, -1, or the line of a return
constexpr std::int64_t kReturned = -1000;    // less that line
// A return ends the loop, and its value is not computed here. An `else` may follow it.
constexpr const char* kReturn = "#define return for (xcuda_left = -1000 - __LINE__;;) return\n";
constexpr const char* kReturnValue =
    "struct xcuda_unused { template <class xcuda_T> __device__ void operator=(const xcuda_T&) const {} };\n"
    "#define return for (xcuda_left = -1000 - __LINE__;;) if (true) return; else xcuda_unused{} =\n";
const std::string kProgram =
    fmt::format(
        "#define stdout 1\n"
        "#define stderr 2\n"
        "#define fprintf(file, format, ...) \\\n"
        "  ((file) == stderr ? printf(\"\\x{:02x}\" format \"\\x{:02x}\", ##__VA_ARGS__) \\\n"
        "                    : printf(format, ##__VA_ARGS__))\n",
        session::kErrorsBegin, session::kErrorsEnd) +
    "#define exit(status) do { xcuda_left = (unsigned char)(status); return; } while (false)\n";
// A compile takes as long as some thousand accesses, or some million operations on numbers, of the interpreter.
constexpr std::uint64_t kPassesOverMemory = 512, kPassesOverNumbers = 65536;

// auto scaled = [&](float a) -> float { return a * rand(); };
std::string as_lambda(const session::KnownFunction& known) {
  const std::string_view text = *known.text;
  const auto part = [&](cell::Span span) { return text.substr(span.begin, span.end - span.begin); };
  return fmt::format("\n#line {} \"/{}\"\nauto {} = [&]({}) -> {} {};\n",
                     line_column(text, known.piece.span.begin).line, known.source, known.piece.name,
                     part(known.piece.parameters), known.function->result, part(known.piece.body));
}

// RAND_MAX and other constants that statements know, but for those of kProgram.
std::string constants_of(std::string_view body) {
  std::set<std::string_view> seen;
  std::string text;
  for (const auto& token : cell::tokens_of(body)) {
    if (!token.is_identifier() || !seen.insert(token.text).second) continue;
    const auto constant = language::known_constant(token.text);
    if (!constant || (constant->is_floating() && !std::isfinite(constant->as_real()))) continue;
    if (kProgram.find(fmt::format("#define {} ", token.text)) != kProgram.npos) continue;
    text += fmt::format("#ifndef {0}\n#define {0} (({1}){2})\n#endif\n", token.text, constant->type().name,
                        constant->text());
  }
  return text;
}

// Whether nothing in the loop can end it. To the compiler such a loop does not exist, and a person interrupts it.
bool is_endless(const cell::Statement& loop, std::string_view source) {
  const auto* counted = std::get_if<cell::For>(&loop.node);
  const auto* early = std::get_if<cell::While>(&loop.node);
  const auto* late = std::get_if<cell::DoWhile>(&loop.node);
  if (counted == nullptr && early == nullptr && late == nullptr) return false;
  const auto* condition = (counted != nullptr ? counted->condition
                           : early != nullptr ? early->condition
                                              : late->condition)
                              .get();
  const auto& body = *(counted != nullptr ? counted->body : early != nullptr ? early->body : late->body);
  const auto* truth = condition == nullptr ? nullptr : std::get_if<cell::BoolLiteral>(&condition->node);
  const auto* number = condition == nullptr ? nullptr : std::get_if<cell::IntegerLiteral>(&condition->node);
  const bool always =
      condition == nullptr || (truth != nullptr && truth->value) || (number != nullptr && number->value != 0);
  auto changed = language::names_changed_by(body);
  if (counted != nullptr && counted->step != nullptr) changed.merge(language::names_changed_by(*counted->step));
  if (condition != nullptr) changed.merge(language::names_changed_by(*condition));
  if (!always && !changed.empty()) return false;
  static constexpr std::string_view kEnds[] = {"break", "return", "exit", "goto", "throw"};
  const auto tokens = cell::tokens_of(source.substr(loop.span.begin, loop.span.end - loop.span.begin));
  return std::none_of(tokens.begin(), tokens.end(), [&](const auto& token) {
    return among(token.text, kEnds) || (!always && token.is("("));  // a call may change what is asked
  });
}

}  // namespace

NativeLoops::Known& NativeLoops::known(const cell::Statement& loop) {
  return (frame_.exceptions.is_watched() ? known_in_try_ : known_)[&loop];
}

bool NativeLoops::finish(const cell::Statement& loop) {
  auto& known = this->known(loop);
  if (known.interpreted || known.passes++ < known.enough) return false;
  if (known.enough == 0) {
    const NativeStatements statements(frame_, loop);
    // In a graph that is captured each write is a step of its own.
    const bool captured = session_.submission().capture() != nullptr;
    known.interpreted = captured || is_endless(loop, run_.source.text) || !statements.accepted();
    known.enough = statements.touches_memory() ? kPassesOverMemory : kPassesOverNumbers;
    known.functions = statements.functions();
    known.returns = statements.returns();
    return !known.interpreted && run(loop, When::if_compiled);
  }
  // Numbers alone do not start a device: there may not be one.
  const bool done = session_.chosen().started() && run(loop, When::now);
  this->known(loop).interpreted = !done;
  return done;
}

bool NativeLoops::run(const cell::Statement& loop, When when) {
  auto body = kProgram + frame_.host_function_calls.template_arguments();
  for (const auto& function : known(loop).functions) body += as_lambda(*function);
  const auto& returns = known(loop).returns;
  const bool values = !returns.empty() && std::get<cell::Return>(returns.front()->node).value != nullptr;
  if (!returns.empty()) body += values ? kReturnValue : kReturn;
  body += text_of(loop);
  if (!returns.empty()) body += "#undef return\n";
  // exit(status) leaves the loop and says so to the cell.
  LentRandom random(session_.names());
  const auto& left = session_.names().declare(kLeft, {language::ScalarValue::of(std::int64_t{-1}), false, {}});
  const bool draws = LentRandom::is_used_by(body);
  NativeArguments arguments(frame_);
  arguments.bind_names(body);
  if (draws) arguments.bind_names(CRandom::kName);
  if (!returns.empty() || body.find("exit", kProgram.size()) != std::string::npos)
    arguments.bind_names(kLeft);  // its macro has the name
  body.insert(0, arguments.declarations());
  NativeText text{body, constants_of(body) + std::string(draws ? CRandom::kSource : ""), body,
                  std::move(arguments.all()), loop.span};
  if (when == When::if_compiled && !frame_.native_code.is_compiled(text)) return false;
  const auto run = frame_.native_code.run(text);
  if (!run.complaints.empty() || !run.log.empty()) return false;
  arguments.all() = std::move(text.arguments);
  arguments.bring_back();
  random.take_back();
  const auto status = std::get<language::ScalarValue>(left.value).as_signed();
  if (status > 0) throw error(ErrorKind::assertion, fmt::format("exit({})", status), loop.span);
  if (status == 0) frame_.statements.end();
  for (const auto* one : known(loop).returns)
    if (status == kReturned - line_column(run_.source.text, one->span.begin).line) left_by_ = one;
  return true;
}

// The rest of the loop. A `for` has begun, so that its first part is left out.
std::string NativeLoops::text_of(const cell::Statement& loop) const {
  if (const auto* each = std::get_if<cell::RangeFor>(&loop.node)) {
    const auto pass = RangeLoops::kPass;
    const auto range = std::string_view(run_.source.text)
                           .substr(each->range->span.begin, each->range->span.end - each->range->span.begin);
    return fmt::format("for (; {0} < {1}u; ++{0}) {{\n{2} = {3}[{0}];\n{4}}}", pass,
                       frame_.places.of(*each->range).shape.front(), at_its_place(each->variable_span), range,
                       at_its_place(each->body->span));
  }
  const auto* counted = std::get_if<cell::For>(&loop.node);
  if (counted == nullptr) return at_its_place(loop.span);
  return fmt::format("for (;\n{};\n{})\n{}", counted->condition ? at_its_place(counted->condition->span) : "",
                     counted->step ? at_its_place(counted->step->span) : "", at_its_place(counted->body->span));
}

// With its line and column in the cell, for faults: the same text when the cell runs again.
std::string NativeLoops::at_its_place(cell::Span span) const {
  const auto [line, column] = line_column(run_.source.text, span.begin);
  return fmt::format("\n#line {} \"/{}\"\n{:{}}{}\n", line, session::kOwnCell, "", column - 1,
                     std::string_view(run_.source.text).substr(span.begin, span.end - span.begin));
}

}  // namespace xcuda::interpreter
