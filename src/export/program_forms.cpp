// The form of an expression in an exported program: an array and its number of dimensions, or a number; and its type.
#include <algorithm>

#include "cell/expression_root.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {

const cell::Name* ProgramWriter::root(const cell::Expression& expression) const {
  return std::get_if<cell::Name>(&cell::root_of(expression).node);
}

namespace {

language::Form of_array(Type type, std::size_t rank) {
  auto form = language::Form::array(std::move(type), language::Extents(rank));
  form.memory = language::Form::Memory::whole;
  return form;
}

Type named(const std::string& type) { return xcuda::find_type(type).value_or(Type{type}); }

}  // namespace

// The program's names, as the checker asks for them.
class ProgramWriter::Names final : public language::Environment {
 public:
  explicit Names(const ProgramWriter& writer) : writer_(writer), program_(writer.session_.code().program()) {}

  std::optional<language::Form> find(const std::string& name) override {
    if (const auto* symbol = writer_.find(name)) {
      switch (symbol->kind) {
        case Kind::array: return of_array(named(symbol->type), static_cast<std::size_t>(symbol->rank));
        case Kind::number: {
          const auto type = xcuda::find_type(symbol->type);
          return type && language::kind_of(*type) ? language::Form::number(*type) : language::Form();
        }
        case Kind::stream: return language::Form::of(language::Form::Kind::stream);
        case Kind::event: return language::Form::of(language::Form::Kind::event);
        case Kind::dimensions: return language::Form::of(language::Form::Kind::dim3);
        case Kind::object: return language::Form();
        case Kind::kernel: return language::Form();
      }
    }
    const auto* piece = writer_.variable(name);
    if (piece == nullptr) return language::Form();
    if (!piece->extents.empty()) return of_array(named(plain_type(piece->type)), piece->extents.size());
    const auto type = xcuda::find_type(plain_type(piece->type));
    return type && language::kind_of(*type) ? language::Form::number(*type) : language::Form();
  }
  TypeAnswer find_type(const std::string& spelling, cell::Span) override { return {named(spelling), {}}; }
  std::optional<std::vector<Member>> members_of(const Type&) override { return std::nullopt; }
  bool is_function(std::string_view name) override { return program_.is_function(name); }
  bool is_macro(std::string_view name) override { return program_.function_macro(name).has_value(); }
  Type result_type(std::string_view) override { return {}; }
  bool is_device_code(const std::string&) override { return false; }
  std::vector<std::string> kernels() override { return {}; }
  std::vector<std::string> names() override { return {}; }
  std::optional<Error> refuse(const cell::Launch&, cell::Span, std::span<const language::Form>) override {
    return std::nullopt;
  }

 private:
  const ProgramWriter& writer_;
  const compiler::Program& program_;
};

language::Checked ProgramWriter::checked(const cell::Expression& expression) const {
  Names names(*this);
  return language::check(expression, source_, names);
}

language::Form ProgramWriter::form(const cell::Expression& expression) const {
  return checked(expression).forms.at(&expression);
}

bool ProgramWriter::is_special(const cell::Expression& expression) const {
  const auto all = checked(expression).forms;
  return std::any_of(all.begin(), all.end(), [](const auto& one) {
    const auto& type = one.second.type;
    return type.lanes == 1 &&
           (type.scalar == Scalar::float16 || type.scalar == Scalar::bfloat16 || type.scalar >= Scalar::complex64);
  });
}

bool ProgramWriter::is_constant(const cell::Expression& expression) const {
  struct Visitor {
    const ProgramWriter& self;
    bool operator()(const cell::IntegerLiteral&) const { return true; }
    bool operator()(const cell::FloatingLiteral&) const { return true; }
    bool operator()(const cell::BoolLiteral&) const { return true; }
    bool operator()(const cell::CharLiteral&) const { return true; }
    bool operator()(const cell::Name& name) const {
      return self.find(name.text) == nullptr && self.variable(name.text) == nullptr;
    }
    bool operator()(const cell::Unary& unary) const {
      return cell::is_of_values(unary.op) && self.is_constant(*unary.operand);
    }
    bool operator()(const cell::Binary& binary) const {
      return self.is_constant(*binary.left) && self.is_constant(*binary.right);
    }
    bool operator()(const cell::Cast& cast) const { return self.is_constant(*cast.operand); }
    bool operator()(const cell::SizeOf& size) const { return size.operand == nullptr; }
    bool operator()(const cell::Assignment&) const { return false; }
    bool operator()(const cell::Ternary&) const { return false; }
    bool operator()(const cell::Call&) const { return false; }
    bool operator()(const cell::Index&) const { return false; }
    bool operator()(const cell::Member&) const { return false; }
    bool operator()(const cell::List&) const { return false; }
    bool operator()(const cell::Lambda&) const { return false; }
    bool operator()(const cell::LaunchText&) const { return false; }
    bool operator()(const cell::StringLiteral&) const { return false; }
  };
  return std::visit(Visitor{*this}, expression.node);
}

}  // namespace xcuda::exporter
