#include "interpreter/statements.hpp"

#include <fmt/format.h>

#include <utility>

#include "arrays/array_math.hpp"
#include "arrays/array_node.hpp"
#include "cell/library_names.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/loop_passes.hpp"
#include "interpreter/host/macro_statements.hpp"
#include "interpreter/host/range_loops.hpp"
#include "interpreter/launches/launches.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/native/native_loops.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/results.hpp"
#include "interpreter/scalars.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

// Names declared in a block end with it, however it is left.
class BlockScope {
 public:
  explicit BlockScope(Session& session) : session_(session) { session_.arrays().enter_block(); }
  ~BlockScope() { session_.arrays().leave_block(); }
  BlockScope(const BlockScope&) = delete;
  BlockScope& operator=(const BlockScope&) = delete;

 private:
  Session& session_;
};

// The name of the label of goto name; or name: empty for other statements.
std::string_view label_of(const cell::ExpressionStatement& statement, std::string_view which) {
  const auto* call = std::get_if<cell::Call>(&statement.expression->node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr || callee->text != which) return {};
  return std::get<cell::StringLiteral>(call->arguments.front().value->node).value;
}

std::optional<std::size_t> label_in(const std::vector<cell::StatementPtr>& statements, std::string_view label) {
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (const auto* one = std::get_if<cell::ExpressionStatement>(&statements[i]->node);
        one != nullptr && label_of(*one, cell::kLabel) == label)
      return i;
  return std::nullopt;
}

}  // namespace

// A loop that runs; `passes` of it are to come, where that is known.
class Statements::Loop {
 public:
  Loop(Statements& statements, std::optional<std::uint64_t> passes) : statements_(statements) {
    if (++statements_.loops_ > 1) return;
    statements_.passes_ = 0;
    statements_.total_ = passes.value_or(0);
  }
  ~Loop() { --statements_.loops_; }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

 private:
  Statements& statements_;
};

// Runs statements in a block of their own, whose objects end with it.
template <class Run> Statements::Flow Statements::scoped(const Run& run) {
  BlockScope scope(session_);
  return Exceptions::finishing(run, [&] { frame_.lifetimes.leave_block(); });
}

void Statements::run(const std::vector<cell::StatementPtr>& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    session_.progress().count(Progress::Unit::passes, 0);
    const auto result = flow(*statements[i]);
    if (result == Flow::ended) return;
    if (result != Flow::jumped) continue;
    const auto to = label_in(statements, label_);
    if (!to) throw no_way_to_label(*statements[i]);
    i = *to;
  }
}

Statements::Flow Statements::block(const std::vector<cell::StatementPtr>& statements) {
  return scoped([&] { return sequence(statements); });
}

Statements::Flow Statements::sequence(const std::vector<cell::StatementPtr>& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto result = flow(*statements[i]);
    const auto to = result == Flow::jumped ? label_in(statements, label_) : std::nullopt;
    if (to)
      i = *to;
    else if (result != Flow::next)
      return result;
  }
  return Flow::next;
}

// A goto to a label inside of a block that it is not in.
Error Statements::no_way_to_label(const cell::Statement& statement) {
  return error(ErrorKind::unsupported, fmt::format("goto {0} jumps into a block: {0} is not around it", label_),
               statement.span)
      .advise("Put the label into a block that the goto is in.");
}

Statements::Flow Statements::loop_body(const cell::Statement& body) {
  session_.interrupt_flag().check();
  if (total_ == 0)
    session_.progress().count(Progress::Unit::passes, ++passes_);
  else if (loops_ == 1)
    session_.progress().count(Progress::Unit::passes, passes_++, total_);  // those that are done
  return flow(body);
}

std::optional<std::uint64_t> Statements::passes_of(const cell::For& loop) {
  return interpreter::passes_of(loop, [&](const std::string& name) -> std::optional<double> {
    const auto* variable = session_.names().find(name);
    const auto* value = variable != nullptr ? std::get_if<language::ScalarValue>(&variable->value) : nullptr;
    return value != nullptr ? std::optional(value->as_real()) : std::nullopt;
  });
}

bool Statements::truth(const cell::Expression& condition) {
  const auto before = frame_.lifetimes.mark();
  const bool truth = frame_.scalars.truth(condition);
  frame_.lifetimes.end_temporaries(before);
  return truth;
}

void Statements::perform(const cell::Expression& expression) {
  if (frame_.scalars.by_program(expression)) return;
  const auto before = frame_.lifetimes.mark();
  const auto value = evaluate(expression);
  // Elements are computed when something takes them; here nothing does, and the functions in them are called all the
  // same.
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) frame_.arrays.perform(computed->node);
  frame_.lifetimes.end_temporaries(before);
}

Value Statements::run_body(const cell::Statement& body) {
  auto outer = std::exchange(returned_, Nothing{});
  if (flow(body) == Flow::jumped) throw no_way_to_label(body);
  return std::exchange(returned_, std::move(outer));
}

// The body of main() ends with return 0; or return EXIT_SUCCESS;
Statements::Flow Statements::leave(const cell::Return& statement, cell::Span span) {
  if (frame_.host_function_calls.is_running()) {
    returned_ = frame_.host_function_calls.result(statement, span);
    return Flow::ended;
  }
  if (statement.value != nullptr)
    if (const auto status = number(*statement.value, "the status"); status.truth())
      throw error(ErrorKind::assertion, fmt::format("return {}", status.as_signed()), span);
  end();
  return Flow::ended;
}

Statements::Flow Statements::after_loop() {
  const auto* left_by = frame_.native_loops.take_return();
  return left_by == nullptr ? Flow::next : leave(std::get<cell::Return>(left_by->node), left_by->span);
}

Statements::Flow Statements::loop_over(const cell::RangeFor& loop, const cell::Statement& whole) {
  for (const auto& pointer : loop.each) {
    const Loop running(*this, std::nullopt);
    const auto result = scoped([&] {
      flow(*pointer);
      return loop_body(*loop.body);
    });
    if (leaves_loop(result)) return result;
    if (result == Flow::leave) break;
  }
  if (!loop.each.empty()) return Flow::next;
  auto range = frame_.range_loops.range_of(loop);
  return scoped([&] { return passes_over(loop, range, whole); });
}

Statements::Flow Statements::passes_over(const cell::RangeFor& loop, RangeLoops::Range& range,
                                         const cell::Statement& whole) {
  const Loop running(*this, range.count);
  auto& pass = session_.names().declare(std::string(RangeLoops::kPass),
                                        {language::ScalarValue::of(std::uint64_t{0}), false, {}});
  for (std::uint64_t i = 0; frame_.range_loops.goes_on(range, i, loop.range->span); ++i) {
    if (frame_.native_loops.finish(whole)) break;
    frame_.range_loops.bind(loop.variable, range, i);
    const RangeLoops::Pass ends(session_, loop, range, i);
    const auto result = loop_body(*loop.body);
    if (leaves_loop(result)) return result;
    if (result == Flow::leave) break;
    pass.value = language::ScalarValue::of(i + 1);
  }
  return after_loop();
}

Statements::Flow Statements::loop(const cell::For& loop, const cell::Statement& whole) {
  if (loop.init != nullptr) flow(*loop.init);
  const Loop running(*this, loops_ == 0 ? passes_of(loop) : std::nullopt);
  while (!frame_.native_loops.finish(whole) && (loop.condition == nullptr || truth(*loop.condition))) {
    const auto result = loop_body(*loop.body);
    if (leaves_loop(result)) return result;
    if (result == Flow::leave) break;
    if (loop.step != nullptr) perform(*loop.step);
  }
  return after_loop();
}

// As C++ converts them: the value to int or wider, the labels to its type.
Statements::Flow Statements::choose(const cell::Switch& chosen) {
  const auto integer = [&](const cell::Expression& expression, std::string_view what) {
    const auto value = number(expression, what);
    if (!value.is_integer()) throw language::dimension_not_integer(frame_.text, what, value.type(), expression.span);
    return value;
  };
  const auto value = language::unary(cell::UnaryOperator::plus, integer(*chosen.value, "the value of a switch"),
                                     where(chosen.value->span));
  const cell::CaseLabel* taken = nullptr;
  for (const auto& label : chosen.labels) {
    if (label.value == nullptr) {
      if (taken == nullptr) taken = &label;
      continue;
    }
    const auto of_label = [&](const cell::Expression& bound) {
      return language::convert(integer(bound, "the value of a case"), value.kind());
    };
    const auto one = of_label(*label.value);
    if (label.last != nullptr) {
      const auto at = where(label.span);
      const bool from = language::binary(cell::BinaryOperator::at_least, value, one, at).truth();
      if (!from || !language::binary(cell::BinaryOperator::at_most, value, of_label(*label.last), at).truth()) continue;
    } else if (one.as_unsigned() != value.as_unsigned()) {
      continue;
    }
    taken = &label;
    break;
  }
  if (taken == nullptr) return Flow::next;
  return scoped([&] { return from_label(chosen, taken->before); });
}

Statements::Flow Statements::from_label(const cell::Switch& chosen, std::size_t first) {
  for (auto i = first; i < chosen.statements.size(); ++i) {
    const auto result = flow(*chosen.statements[i]);
    const auto to = result == Flow::jumped ? label_in(chosen.statements, label_) : std::nullopt;
    if (to)
      i = *to;
    else if (result != Flow::next)
      return result == Flow::leave ? Flow::next : result;
  }
  return Flow::next;
}

// What it declares belongs to the block that the call is in.
Statements::Flow Statements::expanded(const MacroStatements::Expansion& expansion) {
  const MacroStatements::Reading reading(frame_.macro_statements, expansion);
  return sequence(expansion.statements);
}

Statements::Flow Statements::on_device(const cell::OnDevice& there) {
  frame_.streams.forbid_in_capture("on (d) { }", there.device->span);
  const DeviceOrder::Use use(session_.chosen().order(), frame_.devices.number_of(*there.device));
  return flow(*there.body);
}

Statements::Flow Statements::attempt(const cell::Try& tried) {
  const auto callers = run_.calls.size();
  auto result = Flow::next;
  const auto caught = frame_.exceptions.attempt(tried, [&] { result = flow(*tried.body); });
  if (!caught) return result;
  run_.calls.resize(callers);
  returned_ = Nothing{};
  const auto handle = [&] {
    return scoped([&] {
      const Exceptions::Handling handling(frame_.exceptions, *caught);
      return flow(*caught->handler->body);
    });
  };
  return Exceptions::finishing(handle, [&] { frame_.exceptions.finish(*caught); });
}

Statements::Flow Statements::flow(const cell::Statement& statement) {
  const auto result = one(statement);
  return ended_ ? Flow::ended : result;
}

Statements::Flow Statements::one(const cell::Statement& statement) {
  const auto before = frame_.lifetimes.mark();
  return Exceptions::finishing([&] { return visit(statement); }, [&] { frame_.lifetimes.end_temporaries(before); });
}

Statements::Flow Statements::visit(const cell::Statement& statement) {
  session_.interrupt_flag().check();
  run_.current = statement.span;
  struct Visitor {
    Statements& self;
    const cell::Statement& statement;
    Flow operator()(const cell::Declaration& s) const {
      self.frame_.declarations.declare(s);
      return Flow::next;
    }
    Flow operator()(const cell::Launch& s) const {
      self.frame_.launches.run(s, statement.span);
      return Flow::next;
    }
    Flow operator()(const cell::ExpressionStatement& s) const {
      if (const auto label = label_of(s, cell::kGoto); !label.empty()) return self.label_ = label, Flow::jumped;
      if (!label_of(s, cell::kLabel).empty()) return Flow::next;
      if (const auto* expansion = self.frame_.macro_statements.of(*s.expression)) return self.expanded(*expansion);
      if (!s.shown) return self.perform(*s.expression), Flow::next;
      auto value = self.evaluate(*s.expression);
      if (!std::holds_alternative<Nothing>(value))
        self.run_.sink.result(self.frame_.results.bundle(value, self.frame_.results.written(*s.expression)));
      return Flow::next;
    }
    Flow operator()(const cell::Block& s) const { return self.block(s.statements); }
    Flow operator()(const cell::If& s) const {
      if (self.truth(*s.condition)) return self.flow(*s.then);
      return s.otherwise != nullptr ? self.flow(*s.otherwise) : Flow::next;
    }
    Flow operator()(const cell::For& s) const {
      return self.scoped([&] { return self.loop(s, statement); });
    }
    Flow operator()(const cell::RangeFor& s) const { return self.loop_over(s, statement); }
    Flow operator()(const cell::Switch& s) const { return self.choose(s); }
    Flow operator()(const cell::While& s) const {
      const Loop running(self, std::nullopt);
      while (!self.frame_.native_loops.finish(statement) && self.truth(*s.condition)) {
        const auto result = self.loop_body(*s.body);
        if (leaves_loop(result)) return result;
        if (result == Flow::leave) break;
      }
      return self.after_loop();
    }
    Flow operator()(const cell::DoWhile& s) const {
      const Loop running(self, std::nullopt);
      do {
        if (self.frame_.native_loops.finish(statement)) break;
        const auto result = self.loop_body(*s.body);
        if (leaves_loop(result)) return result;
        if (result == Flow::leave) break;
      } while (self.truth(*s.condition));
      return self.after_loop();
    }
    Flow operator()(const cell::OnDevice& s) const { return self.on_device(s); }
    Flow operator()(const cell::Try& s) const { return self.attempt(s); }
    Flow operator()(const cell::Break&) const { return Flow::leave; }
    Flow operator()(const cell::Continue&) const { return Flow::again; }
    Flow operator()(const cell::Return& s) const { return self.leave(s, statement.span); }
    Flow operator()(const cell::Empty&) const { return Flow::next; }
    Flow operator()(const cell::Magic& s) const {
      self.frame_.streams.forbid_in_capture("a command", statement.span);
      self.session_.host().device_changed();  // by what a command reads, or lets others write
      self.session_.commands().run(self.session_, self.run_, s);
      return Flow::next;
    }
    Flow operator()(const cell::Shell& s) const {
      self.session_.commands().shell(self.session_, self.run_, s, statement.span);
      return Flow::next;
    }
    Flow operator()(const cell::Help& s) const {
      self.session_.commands().help(self.session_, self.run_, s, statement.span);
      return Flow::next;
    }
  };
  return std::visit(Visitor{*this, statement}, statement.node);
}

}  // namespace xcuda::interpreter
