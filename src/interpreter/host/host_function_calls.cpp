#include "interpreter/host/host_function_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "arrays/array_math.hpp"
#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/parse.hpp"
#include "cell/type_word.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/containers/moves.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/function_arguments.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/statements.hpp"
#include "language/complaints.hpp"
#include "language/host/stream_types.hpp"

namespace xcuda::interpreter {
namespace {

constexpr int kDeepestCalls = 200;       // a statement in a statement takes some KiB of the stack
constexpr std::size_t kMostCallers = 5;  // that an error names

bool is_place(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&expression.node);
  return std::holds_alternative<cell::Name>(expression.node) || std::holds_alternative<cell::Index>(expression.node) ||
         std::holds_alternative<cell::Member>(expression.node) ||
         (unary != nullptr && unary->op == cell::UnaryOperator::pointee);
}

// What C++ prefers to other conversions.
bool is_promotion(const Type& from, const Type& to) {
  const auto kind = language::kind_of(from), wanted = language::kind_of(to);
  if (!kind || !wanted) return false;
  return *wanted == (*kind == language::Kind::float32 ? language::Kind::float64 : language::promoted(*kind));
}

}  // namespace

// Its text is that of its cell, and its names are its own and those outside of all blocks, until it ends.
class HostFunctionCalls::Body {
 public:
  Body(HostFunctionCalls& calls, const Running& running, cell::Span call)
      : calls_(calls),
        before_(std::exchange(calls.running_, &running)),
        source_(std::exchange(calls.run_.source, running.source())),
        call_(call) {
    ++calls_.depth_;
    read(calls_.run_.source);
    const auto around = calls_.around_.find(running.function->name);  // of a lambda
    calls_.session_.arrays().enter_block(session::BlockKind::function,
                                         around == calls_.around_.end() ? 1 : around->second);
    block_ = std::exchange(calls_.block_, calls_.session_.names().depth());
  }
  ~Body() {
    calls_.session_.arrays().leave_block();
    calls_.run_.source = std::move(source_);
    calls_.run_.current = call_;
    read(calls_.run_.source);
    calls_.running_ = before_;
    calls_.block_ = block_;
    --calls_.depth_;
    auto& callers = calls_.run_.calls;
    if (std::uncaught_exceptions() > exceptions_ && callers.size() < kMostCallers)
      callers.push_back(calls_.run_.source.place(call_));
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

 private:
  void read(const Source& source) { calls_.frame_.text = source; }

  HostFunctionCalls& calls_;
  const Running* before_;
  std::size_t block_;
  Source source_;
  cell::Span call_;
  int exceptions_ = std::uncaught_exceptions();
};

// How well it fits: less than 0 where it does not.
int HostFunctionCalls::fit(const cell::HostFunction& function, const Expressions& given) {
  const auto count = given.size();
  if (!language::takes_arguments(function, count)) return -1;
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& parameter = function.parameters[std::min(i, function.parameters.size() - 1)];
    if (std::holds_alternative<cell::List>(given[i]->node)) continue;
    const auto& form = frame_.expressions.form(*given[i]);
    const auto& declarator = parameter.declarators.front();
    const bool pointer = declarator.pointer || !declarator.extents.empty();
    const auto& written = parameter.type;
    const bool takes_text = (pointer && written == "char") || cell::type_word(written) == cell::TypeWord::text;
    const bool deduced =
        std::any_of(function.template_parameters.begin(), function.template_parameters.end(),
                    [&](const cell::TemplateParameter& parameter) { return parameter.name == written; });
    if (form.kind == language::Form::Kind::text && !deduced) sum += takes_text ? 4 : -4;
    if (!form.is_known() && cell::container_type(form.type.name))
      sum += cell::container_type(written) ? (form.type.name == written ? 4 : 0) : deduced ? 0 : -4;
    if (form.grows && !deduced) sum += !cell::vector_element(written).empty() ? 4 : -4;
    if (form.is_array() && pointer) sum += 2;
    if (!form.is_array() && !pointer) sum += 2;
    const auto type = xcuda::find_type(written);
    if (type && form.has_type()) sum += form.type == *type ? 2 : is_promotion(form.type, *type) ? 1 : 0;
    if (form.kind == language::Form::Kind::object && !deduced) sum += form.type.name == written ? 4 : -4;
    if (deduced) sum += 2;
    if (declarator.rvalue && !deduced) {
      if (is_place(*given[i]) && !is_moved(run_.source, *given[i])) return -1;
      ++sum;
    }
  }
  if (cell::takes_pack(function)) sum -= 1;
  return std::max(2 * sum + (function.template_parameters.empty() ? 1 : 0), 0);  // a struct may be made of a text
}

const session::KnownFunctionPtr& HostFunctionCalls::choose(const std::vector<session::KnownFunctionPtr>& overloads,
                                                           const cell::Call& call, cell::Span span) {
  const session::KnownFunctionPtr* best = nullptr;
  int most = -1;
  for (const auto& one : overloads)
    if (const int fits = overloads.size() == 1      ? 0
                         : one->is_specialization() ? -1  // its template is chosen first
                                                    : fit(*one->function, pointers_to(call.arguments));
        fits > most) {
      best = &one;
      most = fits;
    }
  const auto& chosen = best != nullptr ? *best : overloads.front();
  const auto& function = *chosen->function;
  if (function.body == nullptr) throw language::cannot_call(frame_.text, function, span);
  const auto count = call.arguments.size();
  if (!language::takes_arguments(function, count)) throw language::wrong_count(frame_.text, function, count, span);
  for (const auto& argument : call.arguments)
    if (!argument.name.empty())
      throw error(ErrorKind::type,
                  fmt::format("{} is a function of a cell: pass its arguments by position", function.name),
                  argument.name_span);
  return chosen;
}

namespace {

// Whether template <> void show<float>(float x) is what an instance of its template has become.
bool specializes(const session::KnownFunction& special, const cell::HostFunction& instance,
                 const TemplateArguments::Given& given) {
  const auto written = cell::template_arguments(special.piece.name);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (i >= instance.template_parameters.size()) return false;
    const auto argument = given.find(instance.template_parameters[i].name);
    if (argument == given.end() || argument->second != written[i]) return false;
  }
  const auto& own = special.function->parameters;
  return std::equal(own.begin(), own.end(), instance.parameters.begin(), instance.parameters.end(),
                    [](const cell::Declaration& a, const cell::Declaration& b) {
                      return a.type == b.type && a.declarators.front().pointer == b.declarators.front().pointer;
                    });
}

}  // namespace

HostFunctionCalls::Running HostFunctionCalls::instance(const session::KnownFunctionPtr& known,
                                                       const Overloads& overloads, const cell::Call& call,
                                                       const std::string& name, cell::Span span) {
  const auto& function = known->function;
  if (function->template_parameters.empty()) return {known, function, {}};
  auto given = TemplateArguments(frame_).of({*function, call.arguments, name, span});
  std::string key;
  for (const auto& [parameter, argument] : given) key += parameter + "=" + argument + ";";
  auto& made = known->instances[key];
  if (made == nullptr)
    made = cell::parse_function(
        {*known->text, known->source, &known->piece, known->grammar, known->types, given, {}, known->library});
  for (const auto& one : overloads)
    if (one->is_specialization() && specializes(*one, *made, given)) {
      if (one->function->body == nullptr) throw language::cannot_call(frame_.text, *one->function, span);
      return {one, one->function, {}};
    }
  if (made->body == nullptr) throw language::cannot_call(frame_.text, *made, span);
  return {known, made, std::move(given)};
}

std::optional<Value> HostFunctionCalls::call(const cell::Call& call, const std::string& name, cell::Span span) {
  const auto& overloads = session_.code().functions().find(name);
  if (overloads.empty()) return std::nullopt;
  const auto known = choose(overloads, call, span);
  called_.insert(known);
  require_depth(*known->function, span);
  const auto running = instance(known, overloads, call, name, span);
  return run(running, pointers_to(call.arguments), {}, span);
}

void HostFunctionCalls::require_depth(const cell::HostFunction& function, cell::Span span) const {
  if (depth_ >= kDeepestCalls)
    throw error(
        ErrorKind::value,
        fmt::format("{} is called inside {} other functions: does its recursion never end?", function.name, depth_),
        span);
}

// self: whose function it is.
Value HostFunctionCalls::run(const Running& running, const Expressions& given, Self self, cell::Span span) {
  const auto& parameters = running.function->parameters;
  FunctionArguments arguments(frame_, running.source());
  const auto count = given.size();
  for (std::size_t i = 0; i < count; ++i) arguments.read(parameters[i], *given[i]);
  std::optional<Target> place;
  const auto run_statements = [&] {
    auto* const* record = std::get_if<Variable*>(&self);
    if (record != nullptr && running.function->is_constructor) frame_.records.initialize(**record, *running.function);
    auto result = frame_.statements.run_body(*running.function->body);
    place = std::exchange(referred_, std::nullopt);
    return result;
  };
  const auto run_function = [&] {
    const Body body(*this, running, span);
    const Exceptions::Closed closed(frame_.exceptions, *running.function);
    auto* const* const record = std::get_if<Variable*>(&self);
    for (const auto& [name, value] : running.known->captures) {
      session_.arrays().undefine_here(name);
      session_.names().alias(name, value);
    }
    if (const auto* object = std::get_if<const Pointer*>(&self)) bind_members(**object);
    if (record != nullptr) bind_members(**record);
    for (auto i = count; i < parameters.size(); ++i)
      arguments.read(parameters[i], *parameters[i].declarators.front().init);
    arguments.bind();
    return Exceptions::finishing(run_statements, [&] {
      arguments.take_changes();
      frame_.lifetimes.leave_block();
    });
  };
  auto result = Exceptions::finishing(run_function, [&] { arguments.store_changes(); });
  given_ = place ? std::optional(Given{std::move(*place), span}) : std::nullopt;
  return running.function->result.ends_with('&') ? result : frame_.lifetimes.made(std::move(result));
}

std::optional<Target> HostFunctionCalls::place_given(cell::Span call) {
  auto given = std::exchange(given_, std::nullopt);
  return given && given->call == call ? std::optional(std::move(given->place)) : std::nullopt;
}

// return x; of a function that returns T&.
Value HostFunctionCalls::reference(const cell::Return& statement, cell::Span span) {
  const auto& function = *running_->function;
  if (statement.value == nullptr)
    throw error(ErrorKind::type,
                fmt::format("{} returns {}, but this return has no value", function.name, function.result), span);
  auto place = frame_.references.returned(*statement.value);
  auto* const* variable = place ? std::get_if<Variable*>(&*place) : nullptr;
  const bool own = variable != nullptr && session_.names().ends_within(block_, **variable);
  const bool constant = function.result.starts_with("const ");
  if ((own || !place) && !constant)
    throw error(ErrorKind::value,
                fmt::format("{} returns {}, but {} ends with the call", function.name, function.result,
                            snippet(run_.source, statement.value->span)),
                statement.value->span)
        .advise("Return a value, without the &.");
  if (!place) return evaluate(*statement.value);
  auto value = frame_.references.value_of(*place);
  if (own) return value;  // of a constant that was given as a value, such as 7
  if (auto* pointer = std::get_if<Pointer>(&*place)) pointer->read_only = pointer->read_only || constant;
  referred_ = std::move(place);
  return value;
}

Value HostFunctionCalls::result(const cell::Return& statement, cell::Span span) {
  const auto& function = *running_->function;
  referred_.reset();
  if (function.result.ends_with('&')) return reference(statement, span);
  std::string type = function.result;
  if (type.starts_with("const ")) type.erase(0, 6);
  if (statement.value == nullptr) {
    if (type == "void" || type == "auto") return Nothing{};
    throw error(ErrorKind::type,
                fmt::format("{} returns {}, but this return has no value", function.name, function.result), span);
  }
  const auto& expression = *statement.value;
  if (cell::container_type(type)) frame_.records.require_no_ends(type, statement.value->span);
  if (cell::container_type(type)) return frame_.containers.converted(type, expression);
  if (type == "void") {
    if (std::holds_alternative<cell::Call>(expression.node)) return evaluate(expression), Nothing{};
    const auto* output = std::get_if<cell::Binary>(&expression.node);
    if (language::find_stream(expression)) return Nothing{};
    if (output != nullptr && language::is_stream_output(*output)) return evaluate(expression), Nothing{};
    throw error(ErrorKind::type, fmt::format("{} returns void, but this return has a value", function.name),
                expression.span);
  }
  const auto* list = std::get_if<cell::List>(&expression.node);
  if (list != nullptr && !cell::vector_element(type).empty())
    return frame_.vectors.kept(type, pointers_to(list->elements), Vectors::Form::list, expression.span);
  if (list != nullptr)
    return frame_.elements.value(expression, session_.code().find_type(run_.source, type, function.name_span));
  if (type.ends_with('*')) {
    const bool moved = std::holds_alternative<cell::Binary>(expression.node);
    return moved ? Value(frame_.addresses.of(expression)) : evaluate(expression);
  }
  if (std::holds_alternative<cell::Lambda>(expression.node) && frame_.closures.is_by_reference(expression))
    throw error(ErrorKind::value, fmt::format("what this lambda refers to ends with the call of {}", function.name),
                expression.span)
        .advise("Capture by value: [=].");
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (auto* local = name == nullptr ? nullptr : session_.names().find(name->text);
      local != nullptr && frame_.lifetimes.is_within(block_ - 1, *local))
    return frame_.lifetimes.taken(*local);
  if (cell::is_library_name(type)) {  // std::optional<int> of a number
    const auto wanted = session_.code().find_type(run_.source, type, function.name_span);
    const auto& form = frame_.expressions.form(expression);
    if (form.kind != language::Form::Kind::object || form.type != wanted)
      if (auto value = frame_.library_values.converted(wanted, expression))
        return frame_.lifetimes.owned(std::move(*value), expression.span);
  }
  auto value = evaluate(expression);
  if (std::holds_alternative<Container>(value)) return frame_.containers.owned(std::move(value));
  if (std::holds_alternative<Object>(value)) return frame_.lifetimes.owned(std::move(value), expression.span);
  if (const auto* elements = std::get_if<Pointer>(&value); elements != nullptr && !cell::vector_element(type).empty())
    return frame_.vectors.copy_of(*elements);
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer != nullptr && pointer->is_address && cell::type_word(type) == cell::TypeWord::automatic) return value;
  const bool array = pointer != nullptr || std::holds_alternative<ArrayExpression>(value);
  if (array)
    throw error(
        ErrorKind::type,
        fmt::format("{} returns {}, got {}", function.name, function.result, language::describe(form_of(value))),
        expression.span)
        .advise("Pass the array that it fills as an argument.");
  const auto* number = std::get_if<language::ScalarValue>(&value);
  if (number == nullptr || cell::type_word(type) != cell::TypeWord::none) return value;
  const auto known = session_.code().find_type(run_.source, type, function.name_span);
  return language::kind_of(known) ? Value(language::convert(*number, known)) : value;
}

// The elements of an array that has been declared in this block, in memory that outlives it.
void HostFunctionCalls::keep_elements(const std::string& name) {
  const auto* declared = session_.arrays().find(name);
  if (declared == nullptr) return;
  const auto from = pointer_to(*declared);
  auto kept = frame_.arrays.temporary(from.type, from.shape);
  kept.owner = name;
  kept.whole = true;
  kept.read_only = from.read_only;
  session_.submission().copy(kept.address, from.address, from.bytes);
  session_.arrays().undefine_here(name);
  session_.names().declare(name, {std::move(kept), from.read_only, run_.source.name});
}

std::string HostFunctionCalls::parameter_type(std::string_view name) const {
  if (running_ == nullptr) return {};
  for (const auto& parameter : running_->function->parameters)
    if (parameter.declarators.front().name == name && !parameter.declarators.front().pointer) return parameter.type;
  return {};
}

void HostFunctionCalls::note_lambda(const std::string& name) {
  if (name.starts_with(cell::kHostLambdaPrefix)) around_[name] = session_.names().depth();
}

bool HostFunctionCalls::keep(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (running_ == nullptr || declarator.reference) return false;
  auto& kept = running_->known->kept;
  auto known = kept.find(&declarator);
  if (known == kept.end()) {
    frame_.declarations.once(declaration, declarator);
    if (!declarator.extents.empty()) keep_elements(declarator.name);
    const auto* made = session_.names().find(declarator.name);
    if (made == nullptr) return true;
    known = kept.emplace(&declarator, *made).first;
  }
  session_.names().alias(declarator.name, known->second);
  return true;
}

std::string HostFunctionCalls::template_arguments() const {
  std::string text;
  if (running_ == nullptr) return text;
  for (const auto& parameter : running_->function->template_parameters) {
    if (parameter.pack) continue;
    const auto& argument = running_->given.find(parameter.name)->second;
    text += parameter.kind == cell::TemplateParameter::Kind::type
                ? fmt::format("using {} = {};\n", parameter.name, argument)
                : fmt::format("constexpr auto {} = {};\n", parameter.name, argument);
  }
  return text;
}

std::string HostFunctionCalls::with_template_arguments(std::string text) const {
  if (running_ == nullptr || running_->given.empty()) return text;
  std::string replaced;
  std::size_t done = 0;
  for (const auto& token : cell::tokens_of(text)) {
    const auto given = token.is_identifier() ? running_->given.find(std::string(token.text)) : running_->given.end();
    if (given == running_->given.end()) continue;
    replaced.append(text, done, token.span.begin - done).append(given->second);
    done = token.span.end;
  }
  return replaced.append(text, done);
}

}  // namespace xcuda::interpreter
