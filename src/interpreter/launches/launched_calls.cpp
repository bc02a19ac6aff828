#include "interpreter/launches/launched_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cell/expression_root.hpp"
#include "cell/method.hpp"

namespace xcuda::interpreter {
namespace {

const cell::ExpressionPtr* addressed(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&cell::without_casts(expression).node);
  return unary != nullptr && unary->op == cell::UnaryOperator::address ? &unary->operand : nullptr;
}

}  // namespace

bool LaunchedCalls::remember(const cell::Declaration& declaration, const cell::Declarator& declarator) {
  if (declaration.type != "void" || !declarator.pointer || declarator.extents.size() != 1 || declarator.init == nullptr)
    return false;
  const auto* list = std::get_if<cell::List>(&declarator.init->node);
  if (list == nullptr || !std::all_of(list->elements.begin(), list->elements.end(),
                                      [](const auto& one) { return addressed(*one) != nullptr; }))
    return false;
  lists_[declarator.name] = {list, session_.streams().graphs().next() * sizeof(void*)};  // aligned as a list is
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
  const auto number = [&](std::uint64_t value) {
    auto literal = std::make_unique<cell::Expression>();
    literal->span = span;
    literal->node = cell::IntegerLiteral{.value = value};
    return literal;
  };
  for (const auto& extents : {node.grid, node.block}) {
    cell::List three;
    for (const auto extent : {extents.x, extents.y, extents.z}) three.elements.push_back(number(extent));
    auto whole = std::make_unique<cell::Expression>();
    whole->span = span;
    whole->node = std::move(three);
    launch->configuration.push_back(std::move(whole));
  }
  launch->configuration.push_back(number(node.shared));
  if (node.parameters != 0)
    for (const auto& one : list->second.list->elements)
      launch->arguments.push_back({{}, {}, cell::copy_of(**addressed(*one))});
  return nodes_.emplace_back(std::move(launch)).get();
}

const cell::Launch* LaunchedCalls::launch(std::string_view function, const std::vector<const cell::Expression*>& given,
                                          cell::Span span) {
  auto& known = launches_[given[0]];
  const auto* kernel = std::get_if<cell::Name>(&cell::without_casts(*given[0]).node);
  const auto* name = std::get_if<cell::Name>(&cell::without_casts(*given[3]).node);
  const auto list = name == nullptr ? lists_.end() : lists_.find(name->text);
  const auto& callee = cell::without_casts(*given[0]);
  const bool held =
      std::holds_alternative<cell::Index>(callee.node) || std::holds_alternative<cell::Member>(callee.node);
  if ((kernel == nullptr && !held) || list == lists_.end())
    throw error(ErrorKind::unsupported, fmt::format("{} takes a kernel's name and a list of addresses here", function),
                span)
        .advise("void* args[] = {&x, &n}; declares one; kernel<<<grid, block>>>(x, n); needs none.");
  known = std::make_unique<cell::Launch>();
  if (kernel != nullptr)
    known->kernel = *kernel;
  else
    known->callee = cell::copy_of(callee);
  known->kernel_span = given[0]->span;
  known->configuration_span = {given[1]->span.begin, given[2]->span.end};
  for (const std::size_t i : {1, 2, 4, 5}) {
    if (given[i] != nullptr) {
      known->configuration.push_back(cell::copy_of(*given[i]));
    } else if (i == 4 && given[5] != nullptr) {
      auto zero = std::make_unique<cell::Expression>();
      zero->span = span;
      zero->node = cell::IntegerLiteral{};
      known->configuration.push_back(std::move(zero));
    }
  }
  for (const auto& one : list->second.list->elements)
    known->arguments.push_back({{}, {}, cell::copy_of(**addressed(*one))});
  return known.get();
}

}  // namespace xcuda::interpreter
