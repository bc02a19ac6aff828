#include "interpreter/executor.hpp"

#include <fmt/format.h>

#include "arrays/array_math.hpp"
#include "base/text.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/launches.hpp"
#include "interpreter/streams.hpp"
#include "interpreter/texture_declarations.hpp"

namespace xcuda::interpreter {
namespace {

// Names declared in a block end with it, however it is left.
class BlockScope {
 public:
  explicit BlockScope(Session& session) : session_(session) { session_.enter_block(); }
  ~BlockScope() { session_.leave_block(); }
  BlockScope(const BlockScope&) = delete;
  BlockScope& operator=(const BlockScope&) = delete;

 private:
  Session& session_;
};

}  // namespace

void Executor::run(const std::vector<cell::StatementPtr>& statements) {
  for (const auto& statement : statements) {
    session_.progress().count(Progress::Unit::passes, 0);
    execute(*statement);
  }
}

void Executor::execute(const cell::Statement& statement) { flow(statement); }

Executor::Flow Executor::block(const std::vector<cell::StatementPtr>& statements) {
  BlockScope scope(session_);
  for (const auto& statement : statements)
    if (const auto result = flow(*statement); result != Flow::next) return result;
  return Flow::next;
}

Executor::Flow Executor::loop_body(const cell::Statement& body) {
  session_.interrupt_flag().check();
  session_.progress().count(Progress::Unit::passes, ++passes_);
  return flow(body);
}

bool Executor::truth(const cell::Expression& condition) { return number(condition, "a condition").truth(); }

void Executor::perform(const cell::Expression& expression) {
  if (!scalar(expression)) evaluate(expression);
}

Executor::Flow Executor::flow(const cell::Statement& statement) {
  session_.interrupt_flag().check();
  run_.current = statement.span;
  struct Visitor {
    Executor& self;
    const cell::Statement& statement;
    Flow unsupported(std::string what, std::string advice) const {
      throw self.error(ErrorKind::unsupported, std::move(what), statement.span).advise(std::move(advice));
    }
    Flow operator()(const cell::Declaration& s) const {
      self.frame_.declarations.declare(s);
      return Flow::next;
    }
    Flow operator()(const cell::Launch& s) const {
      self.frame_.launches.run(s, statement.span);
      return Flow::next;
    }
    Flow operator()(const cell::ExpressionStatement& s) const {
      if (!s.shown) return self.perform(*s.expression), Flow::next;
      auto value = self.evaluate(*s.expression);
      if (!std::holds_alternative<Nothing>(value))
        self.run_.sink.result(self.bundle(value, self.written(*s.expression)));
      return Flow::next;
    }
    Flow operator()(const cell::Block& s) const { return self.block(s.statements); }
    Flow operator()(const cell::If& s) const {
      if (self.truth(*s.condition)) return self.flow(*s.then);
      return s.otherwise != nullptr ? self.flow(*s.otherwise) : Flow::next;
    }
    Flow operator()(const cell::For& s) const {
      BlockScope scope(self.session_);
      if (s.init != nullptr) self.flow(*s.init);
      while (s.condition == nullptr || self.truth(*s.condition)) {
        if (self.loop_body(*s.body) == Flow::leave) break;
        if (s.step != nullptr) self.perform(*s.step);
      }
      return Flow::next;
    }
    Flow operator()(const cell::RangeFor&) const {
      return unsupported("a loop over the elements of an array does not run on the host",
                         "Write a kernel over the elements, or for (int i = 0; i < n; ++i) with x[i].");
    }
    Flow operator()(const cell::While& s) const {
      while (self.truth(*s.condition))
        if (self.loop_body(*s.body) == Flow::leave) break;
      return Flow::next;
    }
    Flow operator()(const cell::DoWhile& s) const {
      do {
        if (self.loop_body(*s.body) == Flow::leave) break;
      } while (self.truth(*s.condition));
      return Flow::next;
    }
    Flow operator()(const cell::Break&) const { return Flow::leave; }
    Flow operator()(const cell::Continue&) const { return Flow::again; }
    Flow operator()(const cell::Return&) const {
      return unsupported("return has no meaning in a cell",
                         "A cell ends with its last statement; if (...) { ... } skips the rest.");
    }
    Flow operator()(const cell::Empty&) const { return Flow::next; }
    Flow operator()(const cell::Magic& s) const {
      self.frame_.streams.forbid_in_capture("a command", statement.span);
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

std::string Executor::written(const cell::Expression& expression) const {
  constexpr std::size_t kLongest = 60;
  const auto [begin, end] = expression.span;
  std::string text;
  for (const char c : std::string_view(frame_.text.text).substr(begin, end - begin)) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return code_points_of_bytes(text, text.size()) <= kLongest
             ? text
             : text.substr(0, bytes_of_code_points(text, kLongest)) + "…";
}

std::optional<Pointer> Executor::elements(const Value& value) {
  if (const auto* pointer = std::get_if<Pointer>(&value)) return frame_.arrays.contiguous(*pointer);
  if (const auto* expression = std::get_if<ArrayExpression>(&value)) return frame_.arrays.evaluate(expression->node);
  return std::nullopt;
}

display::Bundle Executor::bundle(const Value& value, std::string_view text) {
  struct Visitor {
    Executor& self;
    std::string_view text;
    display::Bundle array(const Value& value) const {
      auto view = self.session_.view(*self.elements(value));
      if (!text.empty() && !view.name.empty()) view.name = text;  // a slice is named as it is written
      return display::array_bundle(view);
    }
    display::Bundle operator()(const Nothing&) const { return display::text_bundle(""); }
    display::Bundle operator()(const cell::Value& number) const {
      std::byte bytes[16] = {};
      number.store(bytes);
      return display::scalar_bundle(number.type(), std::span(bytes).first(number.type().size));
    }
    display::Bundle operator()(const device::Dim3& dim) const {
      return display::text_bundle(fmt::format("dim3{{{}, {}, {}}}", dim.x, dim.y, dim.z));
    }
    display::Bundle operator()(const Object& object) const {
      display::ArrayView view{.type = object.type,
                              .bytes = object.type.size,
                              .elements = object.bytes,
                              .fields = self.session_.fields_of(object.type)};
      return display::record_bundle(view);
    }
    display::Bundle operator()(const Stream& stream) const { return display::text_bundle("stream " + stream.name); }
    display::Bundle operator()(const Event& event) const { return display::text_bundle("event " + event.name); }
    display::Bundle operator()(const Texture& texture) const {
      return display::text_bundle(description(self.session_, texture));
    }
    display::Bundle operator()(const Pointer& pointer) const { return array(pointer); }
    display::Bundle operator()(const ArrayExpression& expression) const { return array(expression); }
    display::Bundle operator()(const NullPointer&) const { return display::text_bundle("nullptr"); }
    display::Bundle operator()(const std::string& text) const { return display::text_bundle(text); }
  };
  return std::visit(Visitor{*this, text}, value);
}

}  // namespace xcuda::interpreter
