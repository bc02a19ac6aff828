#include "interpreter/launches/launched_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/expression_root.hpp"
#include "cell/method.hpp"

namespace xcuda::interpreter {
namespace {

const cell::ExpressionPtr* operand_of(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&cell::without_casts(expression).node);
  return unary != nullptr && unary->op == cell::UnaryOperator::address ? &unary->operand : nullptr;
}

cell::ExpressionPtr literal(std::int64_t value, cell::Span span) {
  auto made = std::make_unique<cell::Expression>();
  made->span = span;
  if (value < 0)
    made->node = cell::Unary{cell::UnaryOperator::minus, literal(-value, span)};
  else
    made->node = cell::IntegerLiteral{.value = static_cast<std::uint64_t>(value)};
  return made;
}

// Of literals, and of lists of these.
bool equal_numbers(const cell::ExpressionPtr& a, const cell::ExpressionPtr& b) {
  const auto *first = std::get_if<cell::IntegerLiteral>(&a->node),
             *second = std::get_if<cell::IntegerLiteral>(&b->node);
  if (first != nullptr && second != nullptr) return first->value == second->value;
  const auto *list = std::get_if<cell::List>(&a->node), *other = std::get_if<cell::List>(&b->node);
  return list != nullptr && other != nullptr &&
         std::equal(list->elements.begin(), list->elements.end(), other->elements.begin(), other->elements.end(),
                    equal_numbers);
}

}  // namespace

LaunchedCalls::Meaning LaunchedCalls::meaning_of(const cell::Name& name) const {
  const auto* array = session_.arrays().find(name.text);
  return {session_.names().find(name.text), array == nullptr ? 0 : array->depth};
}

LaunchedCalls::Addressed LaunchedCalls::addressed(const cell::Expression& place) {
  Addressed result{cell::copy_of(place), nullptr, {}};
  const auto* from = &place;
  auto* to = result.place.get();
  for (;;) {
    if (const auto* index = std::get_if<cell::Index>(&from->node)) {
      auto& kept = std::get<cell::Index>(to->node);
      for (std::size_t i = 0; i < index->subscripts.size(); ++i) {
        if (index->subscripts[i].slice) continue;
        const auto& start = *index->subscripts[i].start;
        const auto value = evaluate(start);
        if (const auto* now = std::get_if<language::ScalarValue>(&value); now != nullptr && now->type().is_integer())
          kept.subscripts[i].start = literal(now->as_signed(), start.span);
      }
      from = index->base.get();
      to = kept.base.get();
    } else if (const auto* member = std::get_if<cell::Member>(&from->node)) {
      from = member->base.get();
      to = std::get<cell::Member>(to->node).base.get();
    } else if (const auto* unary = std::get_if<cell::Unary>(&from->node)) {
      from = unary->operand.get();
      to = std::get<cell::Unary>(to->node).operand.get();
    } else {
      break;
    }
  }
  result.root = std::get_if<cell::Name>(&to->node);
  if (result.root != nullptr) result.meaning = meaning_of(*result.root);
  return result;
}

void LaunchedCalls::add_arguments(const Lists::value_type& list, cell::Launch& launch, cell::Span span) {
  for (const auto& one : list.second.places) {
    if (one.root != nullptr && meaning_of(*one.root) != one.meaning)
      throw error(
          ErrorKind::value,
          fmt::format("{} has the address of another {} than the one that is seen here", list.first, one.root->text),
          span)
          .advise("Give one of the two another name, or declare the list here.");
    launch.arguments.push_back({{}, {}, cell::copy_of(*one.place)});
  }
}

bool LaunchedCalls::remember(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declaration.type != "void" || !declarator.pointer || declarator.extents.size() != 1 || declarator.init == nullptr)
    return false;
  const auto* list = std::get_if<cell::List>(&declarator.init->node);
  if (list == nullptr || !std::all_of(list->elements.begin(), list->elements.end(),
                                      [](const auto& one) { return operand_of(*one) != nullptr; }))
    return false;
  AddressList made{{}, session_.streams().graphs().next() * sizeof(void*)};  // aligned as a list is
  for (const auto& one : list->elements) made.places.push_back(addressed(**operand_of(*one)));
  lists_[declarator.name] = std::move(made);
  return true;
}

std::optional<Pointer> LaunchedCalls::address_of_list(std::string_view name) const {
  const auto known = lists_.find(name);
  if (known == lists_.end()) return std::nullopt;
  Pointer pointer;
  pointer.owner = known->first;
  pointer.type = {"void*", sizeof(void*), alignof(void*)};
  pointer.address = known->second.number;
  pointer.shape = {1};
  pointer.bytes = pointer.type.size;
  pointer.is_address = true;
  return pointer;
}

const cell::Launch* LaunchedCalls::launch(const Node& node, cell::Span span) {
  const auto list =
      std::find_if(lists_.begin(), lists_.end(), [&](const auto& one) { return one.second.number == node.parameters; });
  if (node.parameters != 0 && list == lists_.end())
    throw error(ErrorKind::unsupported, "kernelParams must be a list of addresses that the same cell declares", span)
        .advise("void* args[] = {&x, &n}; and then params.kernelParams = args;");
  auto launch = std::make_unique<cell::Launch>();
  launch->kernel.text = node.kernel;
  launch->kernel_span = launch->configuration_span = span;
  set_extents(node.grid, node.block, node.shared, *launch);
  if (node.parameters != 0) add_arguments(*list, *launch, span);
  return nodes_.emplace_back(std::move(launch)).get();
}

void LaunchedCalls::set_extents(const device::Dim3& grid, const device::Dim3& block, std::uint64_t shared,
                                cell::Launch& launch) {
  const auto span = launch.configuration_span;
  for (const auto& extents : {grid, block}) {
    cell::List three;
    for (const auto extent : {extents.x, extents.y, extents.z}) three.elements.push_back(literal(extent, span));
    auto whole = std::make_unique<cell::Expression>();
    whole->span = span;
    whole->node = std::move(three);
    launch.configuration.push_back(std::move(whole));
  }
  launch.configuration.push_back(literal(static_cast<std::int64_t>(shared), span));
}

bool LaunchedCalls::set_kernel(const cell::Expression& kernel, cell::Launch& launch) {
  const auto& callee = cell::without_casts(kernel);
  launch.kernel_span = kernel.span;
  if (const auto* name = std::get_if<cell::Name>(&callee.node)) {
    launch.kernel = *name;
    return true;
  }
  launch.callee = cell::copy_of(callee);
  return std::holds_alternative<cell::Index>(callee.node) || std::holds_alternative<cell::Member>(callee.node);
}

LaunchedCalls::Lists::const_iterator LaunchedCalls::find_list(const cell::Expression& expression) const {
  const auto* name = std::get_if<cell::Name>(&cell::without_casts(expression).node);
  return name == nullptr ? lists_.end() : lists_.find(name->text);
}

const cell::Launch* LaunchedCalls::launch(std::string_view function, const Configured& of, cell::Span span) {
  auto made = std::make_unique<cell::Launch>();
  const auto list = of.listed ? find_list(*of.arguments[0]) : lists_.end();
  if (!set_kernel(of.kernel, *made) || (of.listed && list == lists_.end()))
    throw error(ErrorKind::unsupported,
                fmt::format("{} takes a kernel's name{} here", function,
                            of.listed ? " and a list of addresses" : " and its arguments"),
                span)
        .advise(of.listed
                    ? "void* args[] = {&x, &n}; declares one; cudaLaunchKernelEx(&config, kernel, x, n) needs none."
                    : "cudaLaunchKernelEx(&config, kernel, x, n);");
  made->configuration_span = of.configuration;
  set_extents(of.grid, of.block, of.shared, *made);
  if (of.listed) {
    add_arguments(*list, *made, span);
    return (launches_[&of.kernel] = std::move(made)).get();
  }
  auto& known = configured_[&of.kernel];
  const auto same = [&](const std::unique_ptr<cell::Launch>& one) {
    return std::equal(one->configuration.begin(), one->configuration.end(), made->configuration.begin(), equal_numbers);
  };
  if (const auto found = std::find_if(known.begin(), known.end(), same); found != known.end()) return found->get();
  for (const auto* argument : of.arguments) made->arguments.push_back({{}, {}, cell::copy_of(*argument)});
  return known.emplace_back(std::move(made)).get();
}

const cell::Launch* LaunchedCalls::launch(std::string_view function, const std::vector<const cell::Expression*>& given,
                                          cell::Span span) {
  auto& known = launches_[given[0]];
  auto made = std::make_unique<cell::Launch>();
  const auto list = find_list(*given[3]);
  if (!set_kernel(*given[0], *made) || list == lists_.end())
    throw error(ErrorKind::unsupported, fmt::format("{} takes a kernel's name and a list of addresses here", function),
                span)
        .advise("void* args[] = {&x, &n}; declares one; kernel<<<grid, block>>>(x, n); needs none.");
  known = std::move(made);
  known->configuration_span = {given[1]->span.begin, given[2]->span.end};
  for (const std::size_t i : {1, 2, 4, 5}) {
    if (given[i] != nullptr) {
      known->configuration.push_back(cell::copy_of(*given[i]));
    } else if (i == 4 && given[5] != nullptr) {
      known->configuration.push_back(literal(0, span));
    }
  }
  add_arguments(*list, *known, span);
  return known.get();
}

}  // namespace xcuda::interpreter
