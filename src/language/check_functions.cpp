// Functions whose bodies are statements, and calls of them.
#include <fmt/format.h>

#include <algorithm>

#include "base/called_at.hpp"
#include "cell/container_types.hpp"
#include "cell/expression_root.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "cell/type_word.hpp"
#include "language/answers.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/host/container_rules.hpp"

namespace xcuda::language {

std::size_t required_arguments(const cell::HostFunction& function) {
  return static_cast<std::size_t>(std::count_if(
      function.parameters.begin(), function.parameters.end(),
      [](const auto& one) { return one.declarators.front().init == nullptr && !one.declarators.front().pack; }));
}

bool takes_arguments(const cell::HostFunction& function, std::size_t count) {
  return count >= required_arguments(function) && (count <= function.parameters.size() || cell::takes_pack(function));
}

bool Checker::is_function(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const auto kernels = environment_.kernels();
  return std::find(kernels.begin(), kernels.end(), name) != kernels.end() ||
         environment_.host_function(name, 0) != nullptr ||
         (environment_.is_device_code(std::string(name)) && environment_.is_function(name));
}

// f, &f, (void*)f, where no variable has this name.
bool Checker::names_function(const cell::Expression& expression) {
  const auto* inner = &cell::without_casts(expression);
  if (const auto* unary = std::get_if<cell::Unary>(&inner->node);
      unary != nullptr && unary->op == UnaryOperator::address)
    inner = unary->operand.get();
  const auto* name = std::get_if<cell::Name>(&inner->node);
  if (name == nullptr) return false;
  note_lambda(name->text);
  const auto known = find(name->text);
  return known && known->is_known() ? known->kind == Form::Kind::function : is_function(name->text);
}

// What it expands to is known when it runs.
Form Checker::macro_call(const cell::Call& call) {
  const auto& name = std::get<cell::Name>(call.callee->node).text;
  if (!is_error_check(name) || call.arguments.size() != 1) return {};
  const auto& argument = *call.arguments[0].value;
  return std::holds_alternative<cell::LaunchText>(argument.node) ? Form() : form(argument);
}

// Whether the name of a launch or a call is a variable that holds a function, which is known when it runs.
bool Checker::points_to_function(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto held = scope->names.find(name); held != scope->names.end())
      return held->second.kind == Form::Kind::function || !held->second.is_known();
  const auto known = environment_.find(name);
  return known && known->kind == Form::Kind::function;
}

bool Checker::holds_function(const cell::Expression& callee) {
  const auto* unary = std::get_if<cell::Unary>(&callee.node);
  const bool followed = unary != nullptr && unary->op == UnaryOperator::pointee;
  if (!followed && !std::holds_alternative<cell::Index>(callee.node) &&
      !std::holds_alternative<cell::Member>(callee.node) && !std::holds_alternative<cell::Ternary>(callee.node))
    return false;
  if (const auto* member = std::get_if<cell::Member>(&callee.node)) {
    const auto* followed_base = std::get_if<cell::Unary>(&member->base->node);  // (*p).f
    const auto& start = followed_base != nullptr ? *followed_base->operand : *member->base;
    const auto* root = std::get_if<cell::Name>(&cell::root_of(start).node);
    if (root == nullptr || !find(root->text)) return false;
    const auto base = form(*member->base);
    const bool of_struct = base.kind == Form::Kind::object || (member->arrow && base.is_array());
    if (!of_struct) return member->arrow && !base.is_known();
  }
  const auto held = form(callee);
  return held.kind == Form::Kind::function || (!held.is_known() && !std::holds_alternative<cell::Member>(callee.node));
}

bool Checker::is_object(const cell::Expression& callee) {
  if (std::holds_alternative<cell::Lambda>(callee.node)) return true;
  const auto* name = std::get_if<cell::Name>(&callee.node);
  const auto held = name == nullptr ? std::nullopt : find(name->text);
  if (!held || held->kind != Form::Kind::unknown) return held && held->kind == Form::Kind::object;
  return !find_function(name->text) && !environment_.is_function(name->text) && !environment_.is_macro(name->text) &&
         environment_.host_function(name->text, 0) == nullptr;
}

// m[1](0), (*p)(0): an object with operator().
bool Checker::is_object_in_place(const cell::Expression& callee) {
  const auto* unary = std::get_if<cell::Unary>(&callee.node);
  const bool place =
      std::holds_alternative<cell::Index>(callee.node) || (unary != nullptr && unary->op == UnaryOperator::pointee);
  return place && may_convert(form(callee));
}

// A lambda may change what it captures.
void Checker::forget_captured(const cell::Lambda& lambda) {
  for (const auto& token : cell::tokens_of(lambda.text))
    if (token.is_identifier()) assign(std::string(token.text), std::nullopt);
}

// The form of a call of an object with operator(), which the compiler checks.
Form Checker::object_call(const cell::Call& call) {
  if (const auto* lambda = std::get_if<cell::Lambda>(&call.callee->node)) forget_captured(*lambda);
  for (const auto& argument : call.arguments) {
    const auto& node = argument.value->node;
    if (std::holds_alternative<cell::Lambda>(node) || std::holds_alternative<cell::List>(node)) continue;
    form(*argument.value);
  }
  forget_outputs(call);
  forget_variables();
  return {};
}

bool Checker::declare_function(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declarator.function && declarator.pointer) {
    if (declarator.init != nullptr) form(*declarator.init);
    auto table = Form::array(function_pointer(), Extents(1));
    table.memory = Form::Memory::part;
    table.is_address = true;
    enter(declarator.name, std::move(table));
    return true;
  }
  const bool callables = cell::is_callable_type(declaration.type) && !declarator.pointer;
  if ((declarator.function || callables) && !declarator.extents.empty()) {
    declare_array(declaration, declarator, std::string(kFunctionPointer));
    return true;
  }
  const bool automatic = cell::type_word(declaration.type) == cell::TypeWord::automatic;  // auto* f = scale;
  if ((declarator.pointer && !automatic) || !declarator.extents.empty()) return false;
  const auto* init = declarator.init.get();
  const bool named = init != nullptr && names_function(*init);
  const bool of_functions =
      cell::is_callable_type(declaration.type) || environment_.is_function_pointer(declaration.type);
  if (!declarator.function && !(named && automatic) && !of_functions) return false;
  if (init != nullptr && !named && !std::holds_alternative<cell::Lambda>(init->node)) form(*init);
  enter(declarator.name, Form::of(Form::Kind::function));
  return true;
}

Form Checker::parameter(const cell::Declaration& parameter) {
  const auto& declarator = parameter.declarators.front();
  const bool several = declarator.pointer || !declarator.extents.empty();
  const bool functions =
      declarator.function || cell::is_callable_type(parameter.type) || environment_.is_function_pointer(parameter.type);
  if (functions && !several) return Form::of(Form::Kind::function);
  const auto word = cell::type_word(parameter.type);
  if (declarator.pointer_to_pointer || word == cell::TypeWord::automatic) return {};
  Type type;
  if (functions)
    type = function_pointer();
  else if (parameter.type == "void")
    type = type_of(Kind::uint8);
  else if (cell::container_type(parameter.type) && !several) {
    auto form = container_form(parameter.type);
    form.read_only = parameter.is_const;
    return form;
  } else if (const auto element = cell::vector_element(parameter.type); !element.empty()) {
    auto form = vector_of(element, parameter.type_span);
    form.read_only = parameter.is_const;
    return form;
  } else if (word == cell::TypeWord::none)
    type = named_type(parameter.type, parameter.type_span).value_or(Type());
  if (word == cell::TypeWord::none && type.name.empty()) type.written = parameter.type;
  if (declarator.pointer || !declarator.extents.empty()) {
    if (parameter.type == "char") return {};  // a text, or memory
    auto form = Form::array(std::move(type), Extents(std::max<std::size_t>(declarator.extents.size(), 1)));
    form.memory = Form::Memory::part;
    form.is_address = declarator.extents.size() < 2;
    form.read_only = parameter.is_const;
    return form;
  }
  if (word == cell::TypeWord::dim3) return Form::of(Form::Kind::dim3);
  if (word == cell::TypeWord::event) return Form::of(Form::Kind::event);
  if (word == cell::TypeWord::text) return Form::of(Form::Kind::text);
  if (word != cell::TypeWord::none) return {};
  if (type.name.empty()) return {.type = std::move(type)};
  auto form = kind_of(type) ? Form::number(type) : Form{.kind = Form::Kind::object, .type = type};
  form.read_only = parameter.is_const;
  return form;
}

void Checker::note_lambda(const std::string& name) {
  if (name.starts_with(cell::kHostLambdaPrefix) && !inside_function_) around_.insert_or_assign(name, scopes_);
}

// Checks a function's body; a template's waits for its arguments.
void Checker::function(const cell::HostFunction& function) {
  const bool of_struct = function.name.find("::") != std::string::npos;  // what its members are is known when it runs
  if (function.body == nullptr || !function.template_parameters.empty() || of_struct) return;
  const auto before = checked_.errors.size();
  const auto around = around_.find(function.name);
  if (around != around_.end()) scopes_.swap(around->second);
  inside_function_ = true;
  function_ = function.name;
  result_ = function.result;
  ++uncertain_;
  scopes_.emplace_back();
  for (const auto& one : function.parameters) {
    const auto& declarator = one.declarators.front();
    if (declarator.init != nullptr) form(*declarator.init);
    if (!declarator.name.empty()) enter(declarator.name, parameter(one));
  }
  statement(*function.body);
  scopes_.pop_back();
  --uncertain_;
  inside_function_ = false;
  function_.clear();
  if (around != around_.end()) scopes_.swap(around->second);
  auto& errors = checked_.errors;
  if (errors.size() == before) return;
  const auto own = errors.begin() + static_cast<std::ptrdiff_t>(before);
  const auto unsupported =
      std::find_if(own, errors.end(), [](const Error& one) { return one.kind == ErrorKind::unsupported; });
  if (!function.refused && unsupported == errors.end()) return;
  // Of what the compiler and the statements say of one line, the latter has the column and advice.
  const auto same_line = std::find_if(own, errors.end(), [&](const Error& one) {
    return function.refused && function.refused->place && one.place->line == function.refused->place->line;
  });
  auto why = same_line != errors.end() ? *same_line : function.refused ? *function.refused : *unsupported;
  errors.erase(own, errors.end());
  checked_.unusable.emplace_back(function.span, why);
  const auto call = called_functions_.find(function.name);
  if (call == called_functions_.end()) return;
  why.notes.push_back(called_at(source_.place(call->second)));
  say(std::move(why));
}

// A function may write variables outside of all blocks, and a lambda those that it captures.
void Checker::forget_variables() {
  for (auto& scope : scopes_)
    for (auto& [name, form] : scope.names)
      if (!form.read_only) form.value.reset();
  called_ = true;
}

// It may write the variables and elements that it is given by reference.
Form Checker::module_call(const cell::Call& call, cell::Span span) {
  std::vector<Form> forms;
  for (const auto& argument : call.arguments) {
    const bool list = std::holds_alternative<cell::List>(argument.value->node);
    forms.push_back(list ? Form() : form(*argument.value));
  }
  auto answer = environment_.module_call(call, span, forms);
  for (const auto& argument : call.arguments)
    if (const auto* name = std::get_if<cell::Name>(&argument.value->node)) assign(name->text, std::nullopt);
  forget_outputs(call);
  if (answer.error) say(std::move(*answer.error));
  return answer.result;
}

// What it does to variables is not known before it runs.
Form Checker::host_call(const cell::HostFunction& function, const cell::Call& call, cell::Span span) {
  const auto count = call.arguments.size();
  note_lambda(function.name);
  if (!inside_function_) called_functions_.try_emplace(function.name, span);
  for (const auto& argument : call.arguments) {
    const auto& node = argument.value->node;
    if (std::holds_alternative<cell::Lambda>(node) || std::holds_alternative<cell::List>(node)) continue;
    form(*argument.value);
    if (const auto* name = std::get_if<cell::Name>(&node)) assign(name->text, std::nullopt);
  }
  forget_outputs(call);
  if (function.body == nullptr) {
    say(cannot_call(source_, function, span));
    return {};
  }
  if (!takes_arguments(function, count)) say(wrong_count(source_, function, count, span));
  forget_variables();
  return form_of_result(function);
}

Form Checker::form_of_result(const cell::HostFunction& function) {
  std::string_view result = function.result;
  if (result.ends_with('&')) {
    result.remove_suffix(1);
    if (result.starts_with("const ")) result.remove_prefix(6);
  }
  if (cell::container_type(result)) return container_form(result);
  if (const auto element = cell::vector_element(result); !element.empty())  // T of a template is known when it runs
    return environment_.find_type(std::string(element), function.name_span).error
               ? Form()
               : vector_of(element, function.name_span);
  if (cell::type_word(result) == cell::TypeWord::text) return Form::of(Form::Kind::text);
  const auto type = xcuda::find_type(result);
  if (result == "void") return Form::of(Form::Kind::nothing);
  if (type) return kind_of(*type) ? Form::number(*type) : Form();
  if (!environment_.is_type(result)) return {};
  auto own = environment_.find_type(std::string(result), function.name_span);
  return own.error || own.type.name.empty() || own.type.scalar != Scalar::none
             ? Form()
             : Form{.kind = Form::Kind::object, .type = std::move(own.type)};
}

// A struct in a variable, an element or a member, or one that a pointer leads to, so that members may be functions. An
// unknown name says so elsewhere.
bool Checker::is_struct(const cell::Member& member) {
  const auto& base = *member.base;
  const auto* followed = std::get_if<cell::Unary>(&base.node);  // (*p).move(dt)
  const bool pointee = followed != nullptr && followed->op == UnaryOperator::pointee;
  const bool place = std::holds_alternative<cell::Name>(base.node) || std::holds_alternative<cell::Index>(base.node) ||
                     std::holds_alternative<cell::Member>(base.node);
  const auto* name = std::get_if<cell::Name>(&cell::root_of(pointee ? *followed->operand : base).node);
  if ((!place && !pointee) || name == nullptr || !find(name->text)) return false;
  const auto held = form(base);  // unknown: a struct that the cell itself defines
  if (!held.is_known()) return true;
  if (member.arrow) return held.is_array() && held.is_address && held.type.scalar == Scalar::none;
  return held.kind == Form::Kind::object;
}

// Of a function of a struct that statements run; nothing for one of the compiler's code.
Form Checker::method_result(const Form& object, std::string_view name, std::size_t arguments) {
  if (object.kind != Form::Kind::object && !object.is_address) return {};
  const auto* function = environment_.host_method(object.type, name, arguments);
  return function == nullptr ? Form() : form_of_result(*function);
}

}  // namespace xcuda::language
