// Containers of C++'s library in statements: std::map, std::queue, and vectors, arrays and pairs of texts or
// containers.
//
// Their elements are variables. An expression that begins with a container is followed, m[k].first, up to the last
// element that is one; if more comes after that, as in rows[i][j] or people[k].age, the rest is evaluated as if the
// element had a name of its own (Named).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/container_types.hpp"
#include "cell/tree.hpp"
#include "interpreter/frame.hpp"
#include "language/host/container_rules.hpp"
#include "session/container_data.hpp"
#include "session/names.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// Errors of all functions: type, value, name, unsupported.
class Containers : public Part {
 public:
  explicit Containers(Frame& frame);
  ~Containers();
  Containers(const Containers&) = delete;
  Containers& operator=(const Containers&) = delete;

  // --- Values: container_values.cpp, container_names.cpp
  bool declare(const cell::Declaration& declaration, const cell::Declarator& declarator);  // false: another type
  // What an expression becomes where a container of this type is wanted: a value that nothing else has.
  Value converted(const std::string& type, const cell::Expression& expression);
  Value owned(Value value);  // what a new variable holds: a copy, unless nothing else has the container
  // A loop over a container: where it begins, and what its passes visit, null after the last. `at` moves; size: when
  // the loop began.
  Iterator beginning(const Container& container) const;
  ItemPtr visited(Iterator& at, std::uint64_t pass, std::uint64_t size, cell::Span span);
  bool refers(const cell::Expression& expression);  // to a container or a part of one, by its place
  std::vector<ItemPtr> parts(const Container& pair, std::size_t names, cell::Span span);  // auto [a, b] = pair;
  // The variable of a pass of for (auto& row : rows), and a name of auto& [a, b].
  enum class Access : std::uint8_t { changes, reads };
  void bind(const cell::Declaration& variable, const cell::Declarator& declarator, const ItemPtr& item, Access access);
  Value value_of(const Variable& variable, cell::Span span);
  std::vector<Value> between(const Value& first, const Value& last, cell::Span span);  // of two iterators
  // A std::pair of the library; nothing where the container is not a pair of such parts.
  std::optional<Value> object_of(const Container& pair, const Type& type, cell::Span span);
  void refer(const std::string& name, const cell::Expression& place, const ItemPtr& kept,
             std::span<const std::byte> character);
  char& character(const Iterator& reference, cell::Span span);  // of char& c = s[0];

  // --- std::optional: optional_values.cpp
  static std::optional<bool> has_value(const Value& value);  // nothing: not an optional
  static Value nothing();                                    // std::nullopt

  // --- Expressions: containers.cpp
  // Nothing where no container is in it.
  std::optional<Value> evaluate(const cell::Expression& expression);
  std::optional<Value> assign(const cell::Assignment& assignment, cell::Span span);
  std::optional<Value> operate(cell::BinaryOperator op, const Value& left, const Value& right, cell::Span span);

  // --- Algorithms, std::getline, std::swap: container_algorithms.cpp
  std::optional<Value> call(const cell::Call& call, const std::string& callee, cell::Span span);

  class Named;

 private:
  friend class Named;
  friend class Records;

  using Given = std::vector<const cell::Expression*>;
  static constexpr std::uint64_t kMostItems = std::uint64_t{1} << 24;  // of a container
  static constexpr int kDeepestCopies = 500;

  // --- containers.cpp
  struct Found {
    std::shared_ptr<Variable> variable;
    const cell::Expression* upto = nullptr;  // the part of the expression that it is
    bool followed = false;                   // it is what that part, an iterator, leads to: it->x is then (...).x
    bool constant = false;
  };
  std::optional<Found> find(const cell::Expression& expression);
  std::optional<Found> step(const Found& base, const cell::Expression& expression);
  bool begins_with_container(const cell::Expression& expression);
  const cell::ExpressionPtr* base(const cell::Expression& expression);
  bool is_part(const cell::Expression& expression);  // of a container, and not one by its name
  const cell::Expression& kept(cell::ExpressionPtr tree);
  struct Rewritten {
    const cell::Expression* tree = nullptr;
    NameTable::Symbol symbol{};
    std::string name;
  };
  const Rewritten& rewritten(const cell::Expression& expression, const Found& found);
  std::string snippet_of(cell::Span span) const;
  std::string new_name() { return "xcuda_part_" + std::to_string(++names_); }
  std::optional<Value> unary(const cell::Unary& unary, const cell::Expression& expression);
  std::optional<Value> with_named_arguments(const cell::Call& call, const cell::Expression& expression);
  std::optional<Value> construct(const cell::Expression& expression);
  bool same(const Value& left, const Value& right);
  void require_changeable(const Found& found, const cell::Expression& expression);

  // --- container_assignments.cpp
  // What is assigned, with names in the place of all that may change the container: its leaves.
  struct Ahead {
    const cell::Expression* tree = nullptr;
    std::vector<std::pair<const cell::Expression*, NameTable::Symbol>> leaves;
  };
  const Ahead& ahead(const cell::Assignment& assignment);
  cell::ExpressionPtr with_leaves(const cell::Expression& expression, Ahead& ahead);
  bool goes_first(const cell::Expression& expression);
  std::optional<Value> assign(const cell::Assignment& assignment, const cell::Expression& given, cell::Span span);

  // --- container_values.cpp
  enum class Braces : std::uint8_t { no, yes };
  Value made(const std::string& type, const Given& given, Braces braces, cell::Span span);
  void fill(ContainerData& data, const Given& given, Braces braces, cell::Span span);
  ItemPtr item_of(const std::string& type, const cell::Expression& expression);
  ItemPtr item_of(const std::string& type, Value value, cell::Span span);
  ItemPtr item_of(const std::string& type, const Given& given, cell::Span span);  // emplace(a, b)
  ItemPtr default_item(const std::string& type, cell::Span span);
  ItemPtr vector_item(const std::string& type, const Given& given, Braces braces, cell::Span span);
  ItemPtr pair_of(const ContainerData& map, ItemPtr key, ItemPtr value);
  ItemPtr entry_of(const ContainerData& data, const cell::Expression& expression);
  std::string element_type(const ContainerData& data) const;
  ItemPtr copy_of(const Variable& item, const std::string& type, cell::Span span);
  Container copy_of(const Container& container);
  Container empty(const std::string& type, cell::Span span);
  std::string type_of(const Value& value, cell::Span span);  // as a declaration writes it
  const Type& plain_type(const std::string& type, cell::Span span);
  std::size_t size_of_array(const ContainerData& data, cell::Span span);
  bool is_number(const std::string& type, cell::Span span);
  bool is_struct(const std::string& type, cell::Span span);  // of a cell
  bool can_hold_key(const ContainerData& data, const Value& key) const {
    const auto* record = std::get_if<Container>(&key);
    const bool by_operator =
        std::holds_alternative<Object>(key) || (record != nullptr && record->data->record != nullptr);
    return can_be_key(key) || (by_operator && data.type.is(cell::kSorted) && data.before != nullptr);
  }
  // Whether braces that insert() gets are several elements of the type, and not one.
  bool lists_elements(const std::string& type, const cell::List& list, cell::Span span);
  ItemPtr text_item(const cell::Expression& list, const Given& given);  // std::string{'a', 'b'}
  Error cannot_be(const std::string& type, const Value& value, cell::Span span);

  // --- optional_values.cpp
  void fill_optional(ContainerData& data, const Given& given, cell::Span span);
  Container optional_of(const std::string& type, Value value, cell::Span span);
  std::optional<Found> step_optional(const Found& base, const cell::Expression& expression);
  std::optional<Value> compare_optionals(cell::BinaryOperator op, const Value& left, const Value& right,
                                         cell::Span span);

  // --- container_growth.cpp
  void poll();  // in every loop over elements: an interrupt ends it
  void require_room(const ContainerData& data, std::uint64_t more, cell::Span span);
  void add(ContainerData& data, ItemPtr item, cell::Span span);
  void add_all(ContainerData& data, const std::vector<ItemPtr>& items, cell::Span span);
  std::vector<ItemPtr> range(const ContainerData& data, const cell::Expression& first, const cell::Expression& last,
                             cell::Span span);
  ItemPtr keyed(const ContainerData& data, ItemPtr key, ItemPtr value, cell::Span span);
  // Of a heap, too: push() and pop() move elements only after all is compared.
  void push(ContainerData& data, ItemPtr item, cell::Span span);
  void pop(ContainerData& data);
  void resize(ContainerData& data, const cell::Call& call, cell::Span span);
  void store(Variable& place, Value value);  // references to what is there stay

  // --- container_calls.cpp
  enum class Missing : std::uint8_t { made, refused };  // a key of a map
  std::shared_ptr<Variable> element(ContainerData& data, const cell::Expression& index, Missing missing, Access access);
  ItemPtr found_key(const ContainerData& data, const Value& key) const;
  Value key_of(const ContainerData& data, const cell::Expression& expression);
  Iterator iterator_at(const Container& container, const ItemPtr& item) const;
  ItemPtr insert_key(ContainerData& data, ItemPtr key, ItemPtr value, cell::Span span);
  Value inserted(const Container& container, const ItemPtr& item, std::size_t before);
  std::optional<Found> method(const Found& base, const cell::Call& call, const cell::Member& member,
                              const cell::Expression& expression);
  Value result_of(const Container& container, const cell::Call& call, const language::ContainerMethod& row,
                  const cell::Expression& expression);
  Error unknown_method(const ContainerData& data, const cell::Member& member, const cell::Call& call);
  Value insert(const Container& container, const cell::Call& call, cell::Span span);
  Value erase(const Container& container, const cell::Call& call, cell::Span span);
  void remove(ContainerData& data, const ItemPtr& item);
  std::size_t count_of(const cell::Expression& expression);
  std::size_t count_of(const cell::Expression& expression, const language::ScalarValue& count) const;

  // --- container_iterators.cpp
  enum class Way : std::uint8_t { forward, back };
  Iterator first_of(const Container& container, Way way) const;
  Iterator end_of(const Container& container, Way way) const;
  std::shared_ptr<Variable> pointee(const Iterator& iterator, cell::Span span);
  Iterator moved(Iterator iterator, std::int64_t by, cell::Span span);
  std::size_t position(const Iterator& iterator, cell::Span span);  // from the beginning
  Iterator iterator_of(const cell::Expression& expression);
  Iterator with_item(Iterator iterator) const;  // of a list, which names its element
  static bool same_place(const Iterator& a, const Iterator& b);
  std::size_t place_in_list(const Iterator& iterator, cell::Span span) const;
  Iterator reversed(const Iterator& iterator, cell::Span span);

  // --- container_order.cpp
  Given take_order(ContainerData& data, Given given, Braces braces, cell::Span span);
  bool is_order(const cell::Expression& expression, std::string_view type);
  Before order_by(const std::string& type, const Value& object);
  Before order_of(const cell::Expression* object, cell::Span span);
  std::function<bool(const ItemPtr&, const ItemPtr&)> heap_order(const ContainerData& data);
  bool truth(const Value& value, cell::Span span);
  bool less(const Value& a, const Value& b);

  // --- container_algorithms.cpp
  struct Range;
  Range range_of(const Iterator& first, const cell::Expression& end);
  struct Output;
  Output output_to(const cell::Expression& to);
  Value sum_of(const Value& sum, const Value& next, cell::Span span);
  void append(Output& to, const ItemPtr& item, cell::Span span);
  ItemPtr sought(const ContainerData& data, const cell::Expression& expression);
  std::optional<Value> exchange(const cell::Call& call, cell::Span span);
  std::optional<Value> of_range(const cell::Call& call, std::string_view name, cell::Span span);

  // --- text_streams.cpp
  std::optional<Value> stream(const cell::Binary& binary);
  bool may_be_stream(const cell::Expression& expression);
  void read(std::stringstream& from, const cell::Expression& target);
  Value get_line(const cell::Call& call, cell::Span span);

  std::map<std::pair<const cell::Expression*, const cell::Expression*>, Rewritten> rewritten_;
  std::map<std::vector<const cell::Expression*>, const cell::Expression*> calls_;  // by their arguments
  std::map<std::pair<const cell::Assignment*, const cell::Expression*>, const cell::Expression*> assignments_;
  std::map<const cell::Expression*, Ahead> ahead_;
  std::deque<cell::ExpressionPtr> trees_;  // which other parts know by their addresses
  std::map<std::string, Type> types_;
  int depth_ = 0;  // of what is copied now, within others
  std::map<std::string, std::unique_ptr<cell::Expression>>
      orders_;  // where an order is called, by the container's type
  struct Comparison {
    const cell::Expression* tree = nullptr;
    NameTable::Symbol left{}, right{};
  };
  std::map<std::string, Comparison> less_;  // of structs, by their types
  std::uint64_t number_;                    // that no other interpreter has or had
  std::uint64_t names_ = 0;
  std::uint64_t polled_ = 0;
  Containers* outer_;  // of the interpreter that this one runs within
};

// An expression whose longest beginning that is an element of a container has a name, as long as this lives.
class Containers::Named {
 public:
  Named(Containers& containers, const cell::Expression& expression);
  Named(Containers& containers, const Found& found, const cell::Expression& expression);
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;

  const cell::Expression& expression() const { return *expression_; }  // the same where no container is in it
  // The element, where the whole expression is one; null otherwise.
  const std::shared_ptr<Variable>& element() const { return whole_; }
  // What keeps the named part, so that references to it may outlive this; null where nothing has a name.
  const std::shared_ptr<Variable>& kept() const { return variable_; }

 private:
  void name(const Found& found, const cell::Expression& expression);

  Containers& containers_;
  const cell::Expression* expression_;
  std::shared_ptr<Variable> variable_, whole_;
  std::optional<NameTable::Lent> lent_;
};

}  // namespace xcuda::interpreter
