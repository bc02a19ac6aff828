// What orders elements: std::less, std::greater, and functions, lambdas and objects of cells.
#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "base/text.hpp"
#include "cell/library_names.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/scalars.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

using Kind = cell::ContainerKind;

// The type of what compares, where the container's type has it.
std::string_view comparison_of(const cell::ContainerType& type) {
  if (!type.is(cell::kSorted) && type.kind != Kind::priority_queue) return {};
  const std::size_t at = type.is(Kind::set | Kind::multiset) ? 1 : 2;
  return at < type.arguments.size() ? trim(type.arguments[at]) : std::string_view();
}

bool is_less(std::string_view text) { return text.empty() || text.starts_with("std::less<"); }
bool is_greater(std::string_view text) { return text.starts_with("std::greater<"); }
bool greater(const Value& a, const Value& b) { return compare_keys(b, a) < 0; }

// Of the interpreter that runs now: containers outlive those of their cells.
thread_local Containers* present = nullptr;

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Containers::Containers(Frame& frame) : Part(frame), number_(next_number()), outer_(std::exchange(present, this)) {}

Containers::~Containers() { present = outer_; }

bool Containers::is_struct(const std::string& type, cell::Span span) {
  if (!cell::record_name(type).empty()) return true;
  const bool parts = type.starts_with("std::pair<") || type.starts_with("std::tuple<");
  if (parts || cell::is_of_host(type) || cell::is_callable_type(type)) return false;
  const auto& plain = plain_type(type, span);
  return plain.scalar == Scalar::none && !plain.name.ends_with('*') && !cell::is_library_name(plain.name);
}

// Whether an expression in braces is the object that compares, and not an element.
bool Containers::is_order(const cell::Expression& expression, std::string_view type) {
  if (std::holds_alternative<cell::Lambda>(expression.node)) return true;
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node)) return trim(cast->type) == type;
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* name = std::get_if<cell::Name>(call != nullptr ? &call->callee->node : &expression.node);
  if (name == nullptr) return false;
  if (call != nullptr) return name->text == type;
  if (!type.starts_with("std::") && frame_.lookup.function(expression)) return true;
  const auto* variable = session_.names().find(name->text);
  if (variable == nullptr) return false;
  const auto* object = std::get_if<Object>(&variable->value);
  return is_closure(variable->value) || std::holds_alternative<Function>(variable->value) ||
         (object != nullptr && object->type.name == type);
}

// given: what the container is made of, whose last may be the object that compares. Gives the others.
Containers::Given Containers::take_order(ContainerData& data, Given given, Braces braces, cell::Span span) {
  const auto type = comparison_of(data.type);
  const auto* last = given.empty() ? nullptr : given.back();
  const bool alone = given.size() == 1 && braces == Braces::no && !is_less(type) && !is_greater(type) &&
                     !std::holds_alternative<cell::List>(last->node) && !begins_with_container(*last);
  const bool object = last != nullptr && !type.empty() && (alone || is_order(*last, type));
  if (object) given.pop_back();
  if (is_less(type)) {
    if (data.type.is(cell::kSorted) && is_struct(data.type.arguments[0], span)) {  // by its operator<
      data.before = std::make_shared<Before>([](const Value& a, const Value& b) { return present->less(a, b); });
      data.sorted = decltype(data.sorted)(KeyOrder{data.before});
    }
    return given;
  }
  if (is_greater(type)) {
    data.before = std::make_shared<Before>(greater);
  } else {
    if (object) {
      data.order = frame_.callables.of(*last, 2).function->value;
    } else if (type.starts_with("decltype")) {
      throw error(ErrorKind::value, fmt::format("a {} is made with the object that compares", data.name), span)
          .advise("std::priority_queue<...> q(less);");
    } else {
      data.order = frame_.library_values.made_of(session_.code().find_type(run_.source, std::string(type), span), {},
                                                 "{}", span);
    }
    data.before = std::make_shared<Before>(order_by(data.name, data.order));
  }
  if (data.type.is(cell::kSorted)) data.sorted = decltype(data.sorted)(KeyOrder{data.before});
  return given;
}

// The interpreter that runs when elements are compared calls the object, not the one that made the container.
Before Containers::order_by(const std::string& type, const Value& object) {
  return
      [type, object, number = std::uint64_t{0}, bound = Callables::Callable{}](const Value& a, const Value& b) mutable {
        if (present == nullptr)
          throw Error(ErrorKind::internal, "no cell runs that could compare the elements of " + type);
        auto& now = *present;
        if (number != now.number_) {
          auto& place = now.orders_[type];
          if (place == nullptr)
            place = std::make_unique<cell::Expression>(cell::Expression{now.run_.current, cell::Name{}});
          bound = now.frame_.callables.of(object, *place, 2);
          number = now.number_;
        }
        now.poll();
        const auto callable = bound;
        const auto given = [](const Value& value) { return std::make_shared<Variable>(Variable{value, true, {}}); };
        return now.truth(now.frame_.callables.call(callable, {given(a), given(b)}), now.run_.current);
      };
}

bool Containers::truth(const Value& value, cell::Span span) { return frame_.scalars.truth(value, span); }

// std::sort(first, last, object): null is std::less.
Before Containers::order_of(const cell::Expression* object, cell::Span span) {
  if (object == nullptr) return [this](const Value& a, const Value& b) { return less(a, b); };
  std::string_view text;
  if (const auto* call = std::get_if<cell::Call>(&object->node))
    if (const auto* name = std::get_if<cell::Name>(&call->callee->node)) text = name->text;
  if (const auto* cast = std::get_if<cell::Cast>(&object->node)) text = cast->type;
  if (is_greater(text)) return [this](const Value& a, const Value& b) { return less(b, a); };
  if (!text.empty() && is_less(text)) return order_of(nullptr, span);
  const auto callable = frame_.callables.of(*object, 2);
  return [this, callable, span](const Value& a, const Value& b) {
    poll();
    return truth(frame_.callables.call(callable, {std::make_shared<Variable>(Variable{a, true, {}}),
                                                  std::make_shared<Variable>(Variable{b, true, {}})}),
                 span);
  };
}

std::function<bool(const ItemPtr&, const ItemPtr&)> Containers::heap_order(const ContainerData& data) {
  const auto* before = std::holds_alternative<Nothing>(data.order) ? nullptr : data.before.get();
  return [this, before, is_reversed = data.before != nullptr](const ItemPtr& a, const ItemPtr& b) {
    if (before != nullptr) return (*before)(a->value, b->value);
    return is_reversed ? less(b->value, a->value) : less(a->value, b->value);
  };
}

// a < b, by the operator of a struct.
bool Containers::less(const Value& a, const Value& b) {
  poll();
  const auto* vector = std::get_if<Pointer>(&a);
  const bool of_elements = vector != nullptr && is_vector(*vector);
  if (!of_elements && can_be_key(a) && can_be_key(b)) return compare_keys(a, b) < 0;
  auto& site = less_[type_of(a, run_.current)];
  if (site.tree == nullptr) {
    auto tree = std::make_unique<cell::Expression>(cell::Expression{run_.current, cell::Name{}, 2});
    cell::Binary binary{cell::BinaryOperator::less, nullptr, nullptr};
    const auto side = [&](cell::ExpressionPtr& place, NameTable::Symbol& symbol) {
      auto name = new_name();
      symbol = session_.names().symbol(name);
      place = std::make_unique<cell::Expression>(cell::Expression{run_.current, cell::Name{std::move(name)}});
    };
    side(binary.left, site.left);
    side(binary.right, site.right);
    tree->node = std::move(binary);
    site.tree = &kept(std::move(tree));
  }
  Variable left{a, true, {}}, right{b, true, {}};
  const NameTable::Lent one(session_.names(), site.left, &left), other(session_.names(), site.right, &right);
  return truth(Part::evaluate(*site.tree), run_.current);
}

}  // namespace xcuda::interpreter
