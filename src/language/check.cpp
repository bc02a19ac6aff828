#include "language/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/snippet.hpp"
#include "cell/type_word.hpp"
#include "language/addresses.hpp"
#include "language/changed_names.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/handles.hpp"
#include "language/host/container_rules.hpp"

namespace xcuda::language {

using cell::Span;
using cell::TypeWord;

Checked check(const std::vector<cell::StatementPtr>& statements, const cell::Source& source, Environment& environment,
              const std::vector<cell::HostFunctionPtr>& functions) {
  Checker checker(environment, source);
  checker.statements(statements);
  for (const auto& function : functions) checker.function(*function);
  return checker.take();
}

Checked check(const cell::Expression& expression, const cell::Source& source, Environment& environment) {
  Checker checker(environment, source);
  checker.form(expression);
  return checker.take();
}

Form form_of(const cell::Expression& expression, const cell::Source& source, Environment& environment) {
  Checker checker(environment, source);
  checker.trust();
  return checker.form(expression);
}

Checked Checker::take() {
  std::stable_sort(checked_.errors.begin(), checked_.errors.end(), [](const Error& a, const Error& b) {
    return std::pair(a.place->line, a.place->column) < std::pair(b.place->line, b.place->column);
  });
  for (auto& [call, function] : methods_) checked_.made.push_back(std::move(function));
  return std::move(checked_);
}

void Checker::say(Error error) {
  // An unknown name is said once, where it is used first.
  const auto said = [&](const Error& other) { return other.message == error.message; };
  if (error.kind == ErrorKind::name && std::any_of(checked_.errors.begin(), checked_.errors.end(), said)) return;
  if (checked_.errors.size() < kMostErrors) checked_.errors.push_back(std::move(error));
}

// --- names ---------------------------------------------------------------------------------------------------------

std::optional<Form> Checker::find(const std::string& name) {
  std::optional<Form> form;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && !form; ++scope)
    if (const auto found = scope->names.find(name); found != scope->names.end()) form = found->second;
  const bool of_session = !form;
  if (of_session) form = forgotten_ ? Form() : environment_.find(name);
  const bool may_change = inside_function_ || (of_session && called_);
  if (form && may_change && !form->read_only) form->value.reset();
  return form;
}

// What a number is from now on; nothing where that is not known.
void Checker::assign(const std::string& name, const std::optional<ScalarValue>& value) {
  auto form = find(name);
  if (!form || form->kind != Form::Kind::number) return;
  const bool known = value && certain() && !aliased_.contains(name);
  form->value = known ? std::optional(convert(*value, form->type)) : std::nullopt;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->names.find(name); found != scope->names.end()) {
      found->second = std::move(*form);
      return;
    }
  if (!environment_.enumeration_of(name).empty()) return;  // an enumerator stays one
  scopes_.front().names.insert_or_assign(name, std::move(*form));
}

void Checker::forget_values(const cell::Statement& changed) {
  for (const auto& name : names_changed_by(changed)) assign(name, std::nullopt);
}
void Checker::forget_values(const cell::Expression& changed) {
  for (const auto& name : names_changed_by(changed)) assign(name, std::nullopt);
}

void Checker::forget_everything() {
  forgotten_ = true;
  for (auto& scope : scopes_) scope.names.clear();
}

// --- statements ----------------------------------------------------------------------------------------------------

void Checker::statements(const std::vector<cell::StatementPtr>& statements) {
  for (const auto& one : statements) statement(*one);
}

void Checker::statement(const cell::Statement& statement) {
  struct Visitor {
    Checker& self;
    const cell::Statement& whole;
    void operator()(const cell::Declaration& s) const { self.declare(s); }
    void operator()(const cell::Launch& s) const { self.launch(s, whole.span); }
    void operator()(const cell::ExpressionStatement& s) const {
      const auto value = self.form(*s.expression);
      self.forget_what_a_macro_may_change(*s.expression);
      self.value_of_statement(s, value);
    }
    void operator()(const cell::Block& s) const {
      self.scopes_.emplace_back();
      self.statements(s.statements);
      self.scopes_.pop_back();
    }
    void operator()(const cell::If& s) const {
      self.condition(*s.condition);
      self.branch(*s.then);
      if (s.otherwise != nullptr) self.branch(*s.otherwise);
    }
    void operator()(const cell::For& s) const {
      self.scopes_.emplace_back();
      if (s.init != nullptr) self.statement(*s.init);
      ++self.uncertain_;
      self.forget_values(whole);
      if (s.condition != nullptr) self.condition(*s.condition);
      self.branch(*s.body);
      if (s.step != nullptr) self.form(*s.step);
      --self.uncertain_;
      self.scopes_.pop_back();
    }
    void operator()(const cell::RangeFor& s) const { self.loop_over(s, whole); }
    void operator()(const cell::Switch& s) const { self.choose(s, whole); }
    void operator()(const cell::While& s) const {
      ++self.uncertain_;
      self.forget_values(whole);
      self.condition(*s.condition);
      self.branch(*s.body);
      --self.uncertain_;
    }
    void operator()(const cell::DoWhile& s) const {
      ++self.uncertain_;
      self.forget_values(whole);
      self.branch(*s.body);
      self.condition(*s.condition);
      --self.uncertain_;
    }
    void operator()(const cell::OnDevice& s) const {
      self.number(*s.device, "a device");
      self.statement(*s.body);
    }
    void operator()(const cell::Try& s) const { self.attempt(s, whole); }
    void operator()(const cell::Break&) const {}
    void operator()(const cell::Continue&) const {}
    void operator()(const cell::Return& s) const {
      if (s.value == nullptr) return;
      if (self.inside_function_) {
        const bool typed = !std::holds_alternative<cell::List>(s.value->node);
        if (typed && !std::holds_alternative<cell::Lambda>(s.value->node)) self.form(*s.value);
        if (const auto type = typed ? xcuda::find_type(self.result_) : std::nullopt; type && kind_of(*type))
          self.converts(*s.value, *type);
        return;
      }
      const auto status = self.number(*s.value, "the status");
      if (self.certain() && status.value && status.value->truth()) self.say(return_statement(self.source_, whole.span));
    }
    void operator()(const cell::Empty&) const {}
    void operator()(const cell::Magic& s) const {
      self.environment_.check(s);
      if (s.statements.empty()) return self.forget_everything();
      self.statements(s.statements);
    }
    void operator()(const cell::Shell&) const {}
    void operator()(const cell::Help&) const {}
  };
  std::visit(Visitor{*this, statement}, statement.node);
}

void Checker::launch(const cell::Launch& launch, Span span) {
  const auto& parts = launch.configuration;
  const auto* cover = call_of(*parts[0], Operation::cover);
  const auto before = checked_.errors.size();
  std::vector<Form> arguments;
  for (const auto& argument : launch.arguments) {
    const auto& node = argument.value->node;
    const bool made = std::holds_alternative<cell::List>(node) || std::holds_alternative<cell::Lambda>(node);
    arguments.push_back(made ? Form() : form(*argument.value));  // as its parameter wants it
  }
  // A command may have loaded a kernel.
  if (launch.callee != nullptr) {
    const auto held = form(*launch.callee);
    if (held.is_known() && held.kind != Form::Kind::function) say(not_a_kernel(source_, held, launch.kernel_span));
  } else if (checked_.errors.size() == before && !forgotten_ && !points_to_function(launch.kernel.text))
    if (auto refused = environment_.refuse(launch, span, arguments)) say(std::move(*refused));
  if (cover != nullptr) {
    for (const auto& argument : cover->arguments) integer(*argument.value, "an extent of cover");
  } else {
    dimension(*parts[0], "the grid");
    if (parts.size() < 2) say(kNoBlock(source_, launch.kernel.text, launch.configuration_span));
  }
  if (parts.size() > 1) dimension(*parts[1], "the block");
  if (parts.size() > 2) number(*parts[2], "the shared memory of a launch");
  if (parts.size() > 3) form(*parts[3]);
}

// --- declarations --------------------------------------------------------------------------------------------------

std::optional<Type> Checker::named_type(const std::string& spelling, Span span) {
  auto answer = environment_.find_type(spelling, span);
  if (!answer.error) return std::move(answer.type);
  if (!forgotten_) say(std::move(*answer.error));
  return std::nullopt;
}

std::vector<Form> Checker::parts(const Form& of, std::size_t names, Span span) {
  const auto part = [](const Type& type, Extents extents) {
    if (extents.empty()) return element(type);
    auto array = Form::array(type, std::move(extents));
    array.memory = Form::Memory::whole;
    return array;
  };
  const auto some = [&](std::uint64_t count, const auto& form_of_part) {
    std::vector<Form> list(names);
    if (count != names) return say(wrong_number_of_parts(source_, span, count, names)), list;
    for (std::size_t i = 0; i < names; ++i) list[i] = form_of_part(i);
    return list;
  };
  if (of.is_array() && !of.is_address && of.has_type() && of.extents && !of.extents->empty() && of.extents->front())
    return some(*of.extents->front(), [&](std::size_t) {
      return part(of.type, {of.extents->begin() + 1, of.extents->end()});
    });
  if (of.kind != Form::Kind::object || !of.has_type()) return std::vector<Form>(names);
  if (of.type.lanes > 1)
    return some(static_cast<std::uint64_t>(of.type.lanes),
                [&](std::size_t) { return part(type_of(of.type.scalar), {}); });
  const auto members = environment_.members_of(of.type);
  if (!members || members->empty()) return std::vector<Form>(names);
  if (cell::is_library_array(of.type.name)) {
    const auto& elements = members->front();
    return some(elements.shape.front(), [&](std::size_t) { return part(elements.type, {}); });
  }
  return some(members->size(), [&](std::size_t i) {
    const auto& member = (*members)[i];
    return part(member.type, {member.shape.begin(), member.shape.end()});
  });
}

// auto [a, b] = f(x): the function's row says what the first one is.
void Checker::declare_several(const cell::Declaration& declaration) {
  const auto& names = declaration.declarators;
  const auto* call = std::get_if<cell::Call>(&declaration.unpacked->node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  const auto found = callee == nullptr ? std::nullopt : find_function(callee->text);
  const auto span = declaration.unpacked->span;
  auto first = form(*declaration.unpacked);
  const bool of_language = found && !environment_.is_function(without_std(callee->text));
  if (!of_language) {
    auto known = parts(call == nullptr || first.kind == Form::Kind::object ? first : Form(), names.size(), span);
    for (std::size_t i = 0; i < names.size(); ++i) {
      known[i].read_only = declaration.is_const;
      enter(names[i].name, std::move(known[i]));
    }
    return;
  }
  const bool of_each = found->row->operation == Operation::meshgrid;
  const auto results = of_each ? call->arguments.size() : found->row->results;
  if (results < names.size()) say(too_few_results(source_, span, results, names.size()));
  if (first.is_array()) first.memory = Form::Memory::whole;
  if (found && found->row->operation == Operation::split && first.is_array() && first.extents && names.size() > 1)
    first.extents->erase(first.extents->begin());  // the pieces themselves
  for (const auto& one : names) enter(one.name, &one == &names.front() ? first : Form());
}

void Checker::declare(const cell::Declaration& declaration) {
  if (declaration.unpacked != nullptr) return declare_several(declaration);
  for (const auto& declarator : declaration.declarators) {
    if (declarator.init != nullptr) first_of_several(*declarator.init, declarator.name);
    if (declaration.is_static && !inside_function_ && scopes_.size() > 1)
      return say(declared_static(source_, declaration.type_span));
    if (declarator.reference) {
      declare_reference(declaration, declarator);
      continue;
    }
    if (declare_function(declaration, declarator)) continue;
    if (declarator.pointer && !declarator.extents.empty()) {
      declare_array(declaration, declarator, declaration.type + (declaration.is_const ? " const*" : "*"));
    } else if (declarator.pointer) {
      declare_address(declaration, declarator);
    } else if (!declarator.extents.empty()) {
      declare_array(declaration, declarator, declaration.type);
    } else {
      auto made = declared(declaration, declarator);
      made.read_only = declaration.is_const;
      if (made.kind == Form::Kind::number && !certain()) made.value.reset();
      enter(declarator.name, std::move(made));
    }
  }
}

std::optional<std::uint64_t> length_of_text(const cell::Declarator& declarator) {
  const auto* text = declarator.init == nullptr ? nullptr : std::get_if<cell::StringLiteral>(&declarator.init->node);
  return text == nullptr ? std::nullopt : std::optional<std::uint64_t>(text->value.size() + 1);
}

Extents Checker::extents(const std::vector<cell::ExpressionPtr>& given_extents, const cell::Declarator& declarator) {
  Extents extents;
  for (const auto& extent : given_extents) {
    if (extent == nullptr) {  // "[]": as many as the list has
      if (const auto length = length_of_text(declarator)) {
        extents.emplace_back(*length);
        continue;
      }
      const auto* list = declarator.init == nullptr ? nullptr : std::get_if<cell::List>(&declarator.init->node);
      if (list == nullptr || list->elements.empty())
        say(missing_extent(source_, declarator));
      else
        extents.emplace_back(list->elements.size());
      continue;
    }
    const auto given = number(*extent, "an extent");
    if (given.kind == Form::Kind::number && given.has_type() && !given.type.is_integer())
      say(extent_not_integer(source_, declarator.name, given.type, extent->span));
    const bool usable = given.value && given.value->is_integer() && !given.value->is_negative() && given.value->truth();
    extents.push_back(usable ? Extent(given.value->as_unsigned()) : std::nullopt);
  }
  return extents;
}

void Checker::declare_array(const cell::Declaration& declaration, const cell::Declarator& declarator,
                            const std::string& type) {
  if (cell::is_of_host(type)) return enter(declarator.name, declared_container(declaration, declarator));
  const auto word = cell::type_word(type);
  if (word == TypeWord::automatic) return say(array_without_type(source_, declaration, declarator));
  const bool handles = word == TypeWord::stream || word == TypeWord::event;
  if (word != TypeWord::none && !handles) return say(no_arrays_of(source_, declaration));
  if (!declarator.constructor.empty()) return say(array_with_constructor(source_, declarator));
  auto made =
      Form::array(named_type(type, declaration.type_span).value_or(Type()), extents(declarator.extents, declarator));
  made.memory = Form::Memory::whole;
  if (!made.has_type()) made.type.written = declaration.type;
  if (declarator.init != nullptr) initial_value(*declarator.init, made, declarator);
  made.read_only = declaration.is_const;
  enter(declarator.name, std::move(made));
}

void Checker::initial_value(const cell::Expression& init, const Form& array, const cell::Declarator& declarator) {
  if (std::holds_alternative<cell::List>(init.node)) return elements(init, array.type);
  if (const auto* call = std::get_if<cell::Call>(&init.node))
    if (const auto initial = initial_function(*call)) {
      given(*initial, *call, init.span);
      return;
    }
  const auto value = form(init);
  if (!value.is_array() || !value.extents || !array.extents || !certain()) return;
  const auto whole = broadcast(*value.extents, *array.extents);
  const bool fits = whole && value.extents->size() <= array.extents->size() &&
                    std::equal(whole->begin(), whole->end(), array.extents->begin(),
                               [](const Extent& a, const Extent& b) { return !a || !b || *a == *b; });
  if (fits) return;
  say(value_does_not_fit(source_, {init.span, *value.extents}, declarator, *array.extents));
}

void Checker::elements(const cell::Expression& expression, const Type& type) {
  const auto* list = std::get_if<cell::List>(&expression.node);
  const bool lambda = std::holds_alternative<cell::Lambda>(expression.node) && !kind_of(type);  // a function pointer
  if (list == nullptr && !lambda) form(expression);
  if (list == nullptr && kind_of(type)) converts(expression, type);
  const bool flat = list != nullptr && std::none_of(list->elements.begin(), list->elements.end(), [](const auto& one) {
                      return std::holds_alternative<cell::List>(one->node);
                    });
  const bool is_struct = flat && type.scalar == Scalar::none && type.lanes == 1 && !type.name.empty();
  const auto members = is_struct && !trusts_ ? environment_.members_of(type) : std::nullopt;
  if (members && members->size() >= list->elements.size() &&
      std::all_of(members->begin(), members->end(), [](const auto& one) { return one.shape.empty(); })) {
    for (std::size_t i = 0; i < list->elements.size(); ++i) elements(*list->elements[i], (*members)[i].type);
    return;
  }
  for (std::size_t i = 0; list != nullptr && i < list->elements.size(); ++i) elements(*list->elements[i], type);
}

Form Checker::declared(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto& type = declaration.type;
  const auto word = cell::type_word(type);
  if (cell::is_texture(word)) {
    if (declarator.init != nullptr) form(*declarator.init);
    return {.kind = Form::Kind::texture, .type = Type{std::string(type.substr(0, type.find('<')))}};
  }
  if (cell::container_type(type)) return declared_container(declaration, declarator);
  if (!cell::vector_element(type).empty()) return declared_vector(declaration, declarator);
  if (word == TypeWord::text) {
    if (declarator.init != nullptr) elements(*declarator.init, {});
    for (const auto& argument : declarator.constructor) form(*argument.value);
    return Form::of(Form::Kind::text);
  }
  if (word == TypeWord::stream) return Form::of(Form::Kind::stream);
  if (word == TypeWord::event) return Form::of(Form::Kind::event);
  const cell::Expression* init = declarator.init.get();
  if (init == nullptr && declarator.constructor.size() == 1 && declarator.constructor[0].name.empty())
    init = declarator.constructor[0].value.get();
  if (word == TypeWord::dim3) {
    for (const auto& argument : declarator.constructor) extent(*argument.value, declarator.name);
    if (declarator.init != nullptr) dimension(*declarator.init, declarator.name);
    return Form::of(Form::Kind::dim3);
  }
  const bool several = init != nullptr && std::holds_alternative<cell::List>(init->node) &&
                       std::get<cell::List>(init->node).elements.size() > 1;
  if (const auto* list = init == nullptr || several ? nullptr : std::get_if<cell::List>(&init->node))
    init = list->elements.empty() ? nullptr : list->elements.front().get();
  if (init != nullptr && is_handle(declaration.type) && is_null(*init)) init = nullptr;
  if (word == TypeWord::automatic) {
    if (init == nullptr) return say(auto_without_value(source_, declarator)), Form();
    return declared_auto(declarator, *init);
  }
  const auto found = named_type(type, declaration.type_span);
  if (!found || found->name.empty()) {
    Form later;  // the cell defines the type
    if (found) later.type.written = declaration.type;
    if (init != nullptr) elements(*init, {});
    const bool converted =
        declarator.style != cell::Declarator::Init::braces || (init != nullptr && enumeration_of(*init));
    if (init != nullptr && found && converted && !std::holds_alternative<cell::List>(init->node))
      converts(*init, later.type);
    return later;
  }
  const auto kind = kind_of(*found);
  if (!kind || is_complex(*kind)) {
    if (declarator.init != nullptr) elements(*declarator.init, *found);
    for (const auto& argument : declarator.constructor) elements(*argument.value, *found);
    return kind ? Form::number(*found) : Form{.kind = Form::Kind::object, .type = *found};
  }
  auto made = Form::number(*found);
  if (init == nullptr) {
    if (declarator.constructor.empty()) made.value = convert(ScalarValue::of(0), *kind);
    return made;
  }
  if (several) return elements(*init, *found), made;
  if (is_given_to(*init, declarator.name)) enter(declarator.name, made);
  const auto given = number(*init, fmt::format("the initial value of {}", declarator.name));
  if (declarator.style != cell::Declarator::Init::braces || enumeration_of(*init)) converts(*init, *found);
  if (given.value) made.value = convert(*given.value, *kind);
  return made;
}

}  // namespace xcuda::language
