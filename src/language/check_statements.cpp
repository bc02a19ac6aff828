// Loops over elements, switches and references; values that are parts of one.
#include <fmt/format.h>

#include "cell/container_types.hpp"
#include "cell/library_names.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "cell/snippet.hpp"
#include "cell/type_word.hpp"
#include "language/addresses.hpp"
#include "language/checker.hpp"
#include "language/complaints.hpp"
#include "language/host/vector_types.hpp"

namespace xcuda::language {
namespace {

// What a loop over these gives in each pass.
Form element_of(const Form& over) {
  if (!over.is_array() || !over.extents || over.extents->empty()) return {};
  if (over.extents->size() == 1) {
    if (!over.has_type() || over.type.name.ends_with('*')) return {};
    return Checker::element(over.type);
  }
  auto row = Form::array(over.type, Extents(over.extents->begin() + 1, over.extents->end()));
  row.memory = Form::Memory::part;
  row.read_only = over.read_only;
  return row;
}

}  // namespace

void Checker::loop_over(const cell::RangeFor& loop, const cell::Statement& whole) {
  if (!loop.each.empty()) {
    ++uncertain_;
    forget_values(whole);
    for (const auto& one : loop.each) {
      scopes_.emplace_back();
      statement(*one);
      if (&one == &loop.each.back()) branch(*loop.body);
      scopes_.pop_back();
    }
    --uncertain_;
    return;
  }
  Form element;
  if (const auto* list = std::get_if<cell::List>(&loop.range->node)) {
    for (const auto& one : list->elements) element = form(*one);
  } else {
    const auto over = form(*loop.range);
    const bool library = over.kind == Form::Kind::object &&
                         (cell::is_library_array(over.type.name) || cell::is_library_view(over.type.name));
    const bool text = over.kind == Form::Kind::text;
    if (over.is_known() && !over.is_array() && !library && !text) say(not_iterable(source_, over, loop.range->span));
    element = text ? Form::number(Kind::char8) : element_of(over);
  }
  element.value.reset();
  const auto& variable = loop.variable;
  const auto& name = variable.declarators.front();
  const auto word = cell::type_word(variable.type);
  if (word == cell::TypeWord::text) element = Form::of(Form::Kind::text);
  if (word != cell::TypeWord::automatic && word != cell::TypeWord::text && !name.pointer) {
    const auto type = named_type(variable.type, variable.type_span);
    const auto kind = type ? kind_of(*type) : std::nullopt;
    if (kind && !name.reference) element = Form::number(*type);
  }
  element.read_only = element.read_only || variable.is_const;
  scopes_.emplace_back();
  ++uncertain_;
  forget_values(whole);
  enter(name.name, std::move(element));
  branch(*loop.body);
  --uncertain_;
  scopes_.pop_back();
}

void Checker::choose(const cell::Switch& chosen, const cell::Statement& whole) {
  integer(*chosen.value, "the value of a switch");
  std::vector<ScalarValue> known;
  bool otherwise = false;
  for (const auto& label : chosen.labels) {
    if (label.value == nullptr) {
      if (std::exchange(otherwise, true)) say(second_default(source_, label.span));
      continue;
    }
    integer(*label.value, "the value of a case");
    if (const auto of = enumeration_of(*chosen.value); of && of->scoped)
      converts(*label.value, checked_.forms[chosen.value.get()].type);
    if (label.last != nullptr) {
      integer(*label.last, "the last value of a case");
      continue;
    }
    const auto& value = checked_.forms[label.value.get()].value;
    if (!value || !value->is_integer()) continue;
    for (const auto& before : known)
      if (before.as_unsigned() == value->as_unsigned()) say(second_case(source_, label.value->span));
    known.push_back(*value);
  }
  scopes_.emplace_back();
  ++uncertain_;
  forget_values(whole);
  statements(chosen.statements);
  --uncertain_;
  scopes_.pop_back();
}

// Its text is read when it runs.
void Checker::forget_what_a_macro_may_change(const cell::Expression& statement) {
  const auto* call = std::get_if<cell::Call>(&statement.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  if (callee == nullptr || !environment_.is_macro(callee->text)) return;
  called_ = expanded_ = true;
  for (auto& scope : scopes_)
    for (auto& [name, form] : scope.names) form.value.reset();
}

void Checker::sorted_copy(const cell::Expression& expression) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* member = call == nullptr ? nullptr : std::get_if<cell::Member>(&call->callee->node);
  if (member == nullptr || member->member != "sort" || !std::holds_alternative<cell::Name>(member->base->node)) return;
  const auto text = cell::snippet(source_.text, expression.span);
  const auto x = cell::snippet(source_.text, member->base->span);
  checked_.remarks.push_back({fmt::format("{0} is a sorted copy, and {1} does not change: {1} = {0};", text, x),
                              source_.place(expression.span)});
}

bool Checker::points(const Form& address, const Form& given, const cell::Expression& value) {
  if (const auto* array = moved_array(value); array != nullptr && given.is_array() && !given.is_address)
    if (const auto whole = checked_.forms[array];
        whole.is_array() && whole.memory != Form::Memory::none && (whole.rank() == 1 || address.rank() > 1))
      return points(address, whole, *array);
  if (!given.is_known() || given.kind == Form::Kind::null || given.kind == Form::Kind::nothing) return true;
  if (given.kind == Form::Kind::text && address.type.name == "char") return true;
  if (given.kind == Form::Kind::number && given.value && given.value->is_integer() && !given.value->truth())
    return true;  // float* p = 0;
  if (!given.is_array() || given.memory == Form::Memory::none) {
    say(pointer_expected(source_, given, value.span));
    return false;
  }
  const bool cast = std::holds_alternative<cell::Cast>(value.node) || std::holds_alternative<cell::Call>(value.node);
  if (cast || !address.has_type() || !given.has_type() || given.type == address.type) return true;
  const auto is_struct = [](const Type& type) { return type.scalar == Scalar::none && !type.name.ends_with('*'); };
  if (is_struct(given.type) && is_struct(address.type)) return true;  // which may be its base: running it says
  say(wrong_pointee(source_, given.type, address.type, value.span));
  return false;
}

Form Checker::declared_auto(const cell::Declarator& declarator, const cell::Expression& init) {
  if (std::holds_alternative<cell::Lambda>(init.node)) return Form::of(Form::Kind::object);  // for kernels
  const auto* call = std::get_if<cell::Call>(&init.node);
  const auto initial = call == nullptr ? std::nullopt : initial_function(*call);
  const bool sequence = initial && (initial->row->operation == Operation::arange ||
                                    initial->row->operation == Operation::linspace);  // an expression here
  if (initial && !sequence) {
    const auto bound = given(*initial, *call, init.span);
    if (initial->row->result == nullptr) {
      say(initial_value_without_extent(source_, declarator, init.span));
      return {};
    }
    auto made = bound ? initial->row->result(*bound) : Form();
    if (made.is_array()) made.memory = Form::Memory::whole;
    return made;
  }
  auto value = form(init);
  if (value.kind == Form::Kind::nothing || value.kind == Form::Kind::null) {
    say(gives_no_value(source_, init.span, declarator.name));
    return {};
  }
  if (!value.is_array()) return value;
  value.is_address = value.is_address || is_address(init);  // auto p = &x[2];
  value.memory = value.is_address ? Form::Memory::part : Form::Memory::whole;
  if (value.is_address) value.extents = Extents(1);
  return value;
}

// T* p; what it points to is an array of one extent.
void Checker::declare_address(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  const auto& init = declarator.init;
  if (const auto* named = declarator.pointer_to_pointer && init != nullptr ? pointed_name(*init) : nullptr)
    if (const auto held = find(named->text); held && held->is_address)  // float** q = &p;
      return enter(declarator.name, Form());
  const auto* list = init == nullptr ? nullptr : std::get_if<cell::List>(&init->node);
  if (list != nullptr && !list->elements.empty()) return say(declared_pointer(source_, declaration, declarator));
  // float* p = (float*)malloc(n * sizeof(*p));
  const Type of_pointers{declaration.type + (declaration.is_const ? " const*" : "*"), sizeof(void*), alignof(void*)};
  if (init != nullptr && is_sized_by(source_.text, *init, declarator.name) &&
      cell::type_word(declaration.type) == cell::TypeWord::none) {
    auto own = Form::array(declarator.pointer_to_pointer
                               ? of_pointers
                               : named_type(declaration.type, declaration.type_span).value_or(Type()),
                           Extents(1));
    for (const auto& extent : extents(declarator.row, declarator)) own.extents->push_back(extent);
    own.memory = Form::Memory::part;
    own.is_address = true;
    enter(declarator.name, std::move(own));
  }
  const auto given = init == nullptr || list != nullptr ? Form::of(Form::Kind::null) : form(*init);
  if (declaration.type == "char" && (given.kind == Form::Kind::text || given.kind == Form::Kind::null))
    return enter(declarator.name, init == nullptr ? Form() : given);
  Type type;
  if (declarator.pointer_to_pointer)
    type = of_pointers;
  else if (declaration.type == "void")
    type = type_of(Kind::uint8);
  else if (cell::type_word(declaration.type) == cell::TypeWord::automatic)
    type = given.type;
  else
    type = named_type(declaration.type, declaration.type_span).value_or(Type());
  auto made = Form::array(std::move(type), Extents(1));
  for (const auto& extent : extents(declarator.row, declarator)) made.extents->push_back(extent);
  if (!made.has_type() && !declarator.pointer_to_pointer) made.type.written = declaration.type;
  made.memory = Form::Memory::part;
  made.is_address = true;
  made.read_only = declaration.is_const && !declarator.pointer_to_pointer;
  if (init != nullptr && list == nullptr && declaration.type != "void") points(made, given, *init);
  enter(declarator.name, std::move(made));
}

// Another name of a variable, an element, a row or an array.
void Checker::declare_reference(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declarator.init == nullptr) return say(reference_without_place(source_, declarator));
  const auto* list = std::get_if<cell::List>(&declarator.init->node);
  if (list != nullptr && list->elements.size() != 1) return say(reference_without_place(source_, declarator));
  const auto& place = list != nullptr ? *list->elements.front() : *declarator.init;
  auto given = form(place);
  if (const auto* name = std::get_if<cell::Name>(&place.node)) {
    aliased_.insert(name->text);
    aliased_.insert(declarator.name);
    assign(name->text, std::nullopt);
  }
  given.value.reset();
  given.read_only = given.read_only || (declaration.is_const && !declarator.pointer);
  if (!declarator.row.empty()) refers_to_array(declaration, declarator, given, place);
  enter(declarator.name, std::move(given));
}

// float (&x)[8] = y;
void Checker::refers_to_array(const cell::Declaration& declaration, const cell::Declarator& declarator,
                              const Form& given, const cell::Expression& place) {
  const auto wanted = extents(declarator.row, declarator);
  const auto type = cell::type_word(declaration.type) == cell::TypeWord::automatic
                        ? given.type
                        : named_type(declaration.type, declaration.type_span).value_or(given.type);
  if (!given.is_known()) return;
  const bool fits =
      given.is_array() && !given.is_address && (!given.has_type() || given.type == type) &&
      (!given.extents || (given.extents->size() == wanted.size() &&
                          std::equal(wanted.begin(), wanted.end(), given.extents->begin(),
                                     [](const Extent& a, const Extent& b) { return !a || !b || *a == *b; })));
  if (!fits) say(not_the_array(source_, declaration, declarator, place.span));
}

namespace {

// The handler that takes all that this one would, and comes before it; null: none does.
const cell::Handler* earlier(const std::vector<cell::Handler>& handlers, const cell::Handler& one) {
  if (one.caught.declarators.empty()) return nullptr;
  const auto record = cell::standard_exception(cell::record_name(one.caught.type));
  for (const auto* before = handlers.data(); before != &one; ++before) {
    if (before->caught.declarators.empty()) continue;
    const bool pointer = one.caught.declarators.front().pointer;
    if (pointer && one.caught.is_const && !before->caught.is_const) continue;  // catch (char*), catch (const char*)
    const bool both = before->caught.declarators.front().pointer == pointer;
    const auto base = cell::record_name(before->caught.type);
    if (both && (before->caught.type == one.caught.type || (record != nullptr && record->is_a(base)))) return before;
  }
  return nullptr;
}

}  // namespace

// A handler may find the variables as any statement of the block has left them.
void Checker::attempt(const cell::Try& tried, const cell::Statement& whole) {
  ++uncertain_;
  forget_values(whole);
  statement(*tried.body);
  for (const auto& handler : tried.handlers) {
    if (const auto* before = earlier(tried.handlers, handler))
      checked_.remarks.push_back(
          {fmt::format("nothing gets to this handler: {} comes before it, and takes the same exceptions",
                       cell::snippet(source_.text, before->span)),
           source_.place(handler.span)});
    scopes_.emplace_back();
    for (const auto& caught : handler.caught.declarators) {
      Form form;
      if (caught.pointer && handler.caught.type == "char")
        form = Form::of(Form::Kind::text);
      else if (!caught.pointer)
        form = declared(handler.caught, caught);
      form.value.reset();
      form.read_only = handler.caught.is_const;
      if (!caught.name.empty()) enter(caught.name, std::move(form));
    }
    statement(*handler.body);
    scopes_.pop_back();
  }
  forget_values(whole);
  --uncertain_;
}

void Checker::branch(const cell::Statement& one) {
  ++uncertain_;
  forget_values(one);
  statement(one);
  --uncertain_;
}

void Checker::condition(const cell::Expression& expression) {
  const auto given = form(expression);
  assigned_in_condition(expression);
  refuse_scoped(expression, "a condition");
  condition(given, expression.span);
}

void Checker::condition(const Form& given, Span span) {
  const bool truth =
      given.kind == Form::Kind::text || given.kind == Form::Kind::null || given.kind == Form::Kind::function;
  if (given.is_known() && given.kind != Form::Kind::number && !truth && !given.is_address && !may_convert(given))
    say(number_expected(source_, given, span, "a condition"));
}

void Checker::dimension(const cell::Expression& expression, std::string_view what) {
  if (const auto* list = std::get_if<cell::List>(&expression.node)) {
    for (const auto& one : list->elements) {
      const auto given = extent(*one, what);
      if (given.has_type() && given.type.is_floating()) say(extent_in_braces(source_, what, given.type, one->span));
    }
    return;
  }
  const auto given = form(expression);
  if (given.is_known() && given.kind != Form::Kind::number && given.kind != Form::Kind::dim3)
    say(dimension_expected(source_, what, expression.span));
  else
    check_extent(given, expression.span, what);
}

Form Checker::extent(const cell::Expression& expression, std::string_view what) {
  auto given = number(expression, what);
  check_extent(given, expression.span, what);
  return given;
}

void Checker::check_extent(const Form& given, Span span, std::string_view what) {
  if (given.kind == Form::Kind::number && given.has_type() && !given.type.is_integer() && !given.type.is_floating())
    say(dimension_not_integer(source_, what, given.type, span));
}

}  // namespace xcuda::language
