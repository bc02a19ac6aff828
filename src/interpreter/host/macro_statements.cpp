#include "interpreter/host/macro_statements.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/macro.hpp"
#include "cell/parse.hpp"
#include "interpreter/host/host_function_calls.hpp"

namespace xcuda::interpreter {

std::string MacroStatements::expand(std::string_view name, cell::Span call) const {
  const auto macro = [&](std::string_view one) { return session_.code().program().function_macro(one); };
  if (!macro(name)) return {};
  run_.current = call;  // where a macro without an end is reported
  const auto text = frame_.host_function_calls.with_template_arguments(
      std::string(run_.source.text.substr(call.begin, call.end - call.begin)));
  const auto library = run_.cell == nullptr ? session_.code().program().library_scope() : cell::LibraryScope();
  const auto& known = run_.cell == nullptr ? library : run_.cell->library;
  const auto constant = [&](std::string_view one) { return known.constant_macro(one); };
  return named_places(cell::expand_macros(text, macro, constant), call);
}

// __LINE__ and __FILE__ are those of the call.
std::string MacroStatements::named_places(std::string_view text, cell::Span call) const {
  std::string named;
  std::size_t done = 0;
  for (const auto& token : cell::tokens_of(text)) {
    const bool line = token.is("__LINE__");
    if (!line && !token.is("__FILE__")) continue;
    named += text.substr(done, token.span.begin - done);
    named +=
        line ? std::to_string(line_column(run_.source.text, call.begin).line) : fmt::format("\"{}\"", run_.source.name);
    done = token.span.end;
  }
  return named.append(text.substr(done));
}

const MacroStatements::Expansion* MacroStatements::of(const cell::Expression& statement) {
  const auto* call = std::get_if<cell::Call>(&statement.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr) return nullptr;
  const auto [at, fresh] = known_.try_emplace(call);
  if (!fresh) return at->second.get();
  const auto macro = session_.code().program().function_macro(callee->text);
  if (!macro || !macro->takes(call->arguments.size())) return nullptr;
  auto text = expand(callee->text, statement.span);
  const auto expression = cell::try_parse_expression(text);
  if (expression != nullptr && !std::holds_alternative<cell::LaunchText>(expression->node)) return nullptr;
  auto made = std::make_unique<Expansion>();
  made->text = std::move(text.append(";"));
  made->name = fmt::format("{} in {}", callee->text, run_.source.name);
  made->call = statement.span;
  auto parsed = cell::try_parse_cell(made->text, made->name, nullptr, session_.code().program().library_scope());
  if (parsed.error || !parsed.cell.device.empty() || parsed.cell.magic) return nullptr;
  made->statements = std::move(parsed.cell.statements);
  return (known_[call] = std::move(made)).get();
}

void MacroStatements::Reading::read(Source source) const {
  macros_.run_.source = std::move(source);
  macros_.frame_.text = macros_.run_.source;
}

MacroStatements::Reading::Reading(MacroStatements& macros, const Expansion& expansion)
    : macros_(macros), source_(macros.run_.source), call_(expansion.call), exceptions_(std::uncaught_exceptions()) {
  read({expansion.name, expansion.text});
}

MacroStatements::Reading::~Reading() {
  read(std::move(source_));
  macros_.run_.current = call_;
  if (std::uncaught_exceptions() > exceptions_) macros_.run_.calls.push_back(macros_.run_.source.place(call_));
}

}  // namespace xcuda::interpreter
