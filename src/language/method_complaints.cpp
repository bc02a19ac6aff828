// Errors for functions that are not there, and for members that a value does not have: foo(x), x.foo, x.foo().
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/expression_root.hpp"
#include "cell/snippet.hpp"
#include "language/answers.hpp"
#include "language/array_members.hpp"
#include "language/complaints.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {

using cell::Source;
using cell::Span;
namespace {

std::string members_advice(std::string_view member, std::string_view x) {
  std::vector<std::string> names(kArrayMembers.begin(), kArrayMembers.end());
  const auto methods = methods_of_arrays();
  names.insert(names.end(), methods.begin(), methods.end());
  const auto near = member.size() > 3 ? nearest(member, names) : std::string();
  const bool called = std::find(kArrayMembers.begin(), kArrayMembers.end(), near) == kArrayMembers.end();
  if (near.empty())
    return fmt::format("{1}.sum(): %help lists the functions of arrays; the members of one are {0}.",
                       fmt::join(kArrayMembers, ", "), x);
  if (near == member) return fmt::format("{0}? says what {0}() takes.", near);
  return fmt::format("Did you mean {}.{}{}?", x, near, called ? "(...)" : "");
}

// m[0, 1] for m(0, 1)
std::string element_of(const Source& source, const cell::Call& call, const Form& array) {
  std::vector<std::string> indices;
  for (const auto& argument : call.arguments) indices.push_back(cell::snippet(source.text, argument.value->span));
  if (indices.empty() || indices.size() > array.rank().value_or(indices.size())) return {};
  return fmt::format("{}[{}]", cell::snippet(source.text, call.callee->span), fmt::join(indices, ", "));
}

// The advice on x.foo(), by the form of x.
std::string methods_advice(std::string_view method, std::string_view x, const Form& form) {
  if (form.is_array()) return members_advice(method, x);
  if (form.kind != Form::Kind::number)
    return "%help lists the functions of arrays; functions of structs are those of device code.";
  if (const auto found = find_function(method); found && found->row->operation == Operation::numbers)
    return fmt::format("A number has no members: {}({}).", method, x);
  return "A number has no members; functions take it as an argument: sqrt(x).";
}

// Which argument of NumPy's function ours does not have, and what ours takes.
std::string keyword_advice(const cell::Call& call, std::string_view function) {
  const auto found = find_function(function);
  if (!found) return "%help lists the functions of cells; %%python runs a cell of Python on the same arrays.";
  const auto signatures = signatures_of(*found->row);
  for (const auto& argument : call.arguments) {
    const auto has = [&](const Signature& one) {
      const auto names = one.names();
      return std::find(names.begin(), names.end(), argument.name) != names.end();
    };
    if (argument.name.empty() || std::any_of(signatures.begin(), signatures.end(), has)) continue;
    return fmt::format("{}() takes {} here, not {}; %%python runs a cell of Python on the same arrays.", function,
                       fmt::join(signatures.front().names(), ", "), argument.name);
  }
  return fmt::format("{}? shows what it takes; %%python runs a cell of Python on the same arrays.", function);
}

}  // namespace

Error array_called(const Source& source, const cell::Call& call, const Form& array) {
  return complaint(source, ErrorKind::type,
                   fmt::format("{} is an array, not a function", cell::snippet(source.text, call.callee->span)),
                   call.callee->span)
      .advise(element_of(source, call, array));
}

Error unknown_function(const Source& source, const cell::Call& call, Span span, Environment& environment) {
  const auto& name = std::get<cell::Name>(call.callee->node).text;
  const auto kernels = environment.kernels();
  if (std::find(kernels.begin(), kernels.end(), name) != kernels.end())
    return complaint(source, ErrorKind::type, fmt::format("{} is a kernel: it must be launched", name), span)
        .advise(fmt::format("{}<<<grid, block>>>({})", name, call.arguments.empty() ? "" : "..."));
  if (environment.is_device_code(name))
    return complaint(source, ErrorKind::unsupported, fmt::format("{} is device code: statements cannot call it", name),
                     span)
        .advise("Call it in a kernel.");
  auto failure =
      complaint(source, ErrorKind::name, fmt::format("the function {} is not defined", name), call.callee->span);
  std::string given = "x";
  for (const auto& argument : call.arguments) {
    given = cell::snippet(source.text, argument.value->span);
    if (!given.starts_with("thrust::") && !given.starts_with("std::execution::")) break;  // thrust::device
  }
  const bool refused = find_habit(Habit::Kind::numpy, without_std(name)) != nullptr;  // as it is written
  if (auto known = refused ? std::string() : familiar_function(name, given); !known.empty())
    failure.advice = std::move(known);
  else if (const auto near = nearest(without_std(name), function_names()); !near.empty())
    failure.advice = fmt::format("Did you mean {}?", near);
  return failure;
}

// x.sum(), np.sum(x), kernel[grid, block](x): what is written here.
Error not_a_function(const Source& source, const cell::Call& call, Span span, Environment& environment,
                     const Form& base_form) {
  auto failure = complaint(source, ErrorKind::type,
                           fmt::format("{} is not a function", cell::snippet(source.text, call.callee->span)), span);
  if (const auto* index = std::get_if<cell::Index>(&call.callee->node)) {
    const auto* name = std::get_if<cell::Name>(&index->base->node);
    const auto kernels = environment.kernels();
    if (name != nullptr && std::find(kernels.begin(), kernels.end(), name->text) != kernels.end())
      failure.advice = fmt::format("Launch a kernel with {}<<<grid, block>>>(...).", name->text);
  }
  const auto* member = std::get_if<cell::Member>(&call.callee->node);
  if (member == nullptr) return failure;
  const auto* base = std::get_if<cell::Name>(&cell::root_of(*member->base).node);
  const bool module = base != nullptr && is_python_module(base->text) && !environment.find(base->text);
  const auto of = !module                  ? cell::snippet(source.text, member->base->span)
                  : call.arguments.empty() ? std::string("x")
                                           : cell::snippet(source.text, call.arguments[0].value->span);
  // NumPy's calls that a line can replace have got it already (python/advice.hpp).
  const bool refused = find_habit(Habit::Kind::numpy, member->member) != nullptr;
  if (module && !refused) failure.advice = familiar_function(member->member, of);
  // A row of NumPy's names does not cover the arguments: its line would drop them.
  const bool answered = module || (refused && !call.arguments.empty());
  if (failure.advice.empty() && !answered) failure.advice = familiar_member(member->member, of);
  if (const auto* row = find_habit(Habit::Kind::numpy, member->member);
      failure.advice.empty() && !module && row != nullptr && find_function(row->advice))
    failure.advice = fmt::format("{0}? shows what {0}() takes.", row->advice);
  if (failure.advice.empty() && module) failure.advice = keyword_advice(call, member->member);
  if (failure.advice.empty()) failure.advice = methods_advice(member->member, of, base_form);
  return failure;
}

Error members_of_array(const Source& source, const cell::Member& member, const Type& elements) {
  const auto array = cell::snippet(source.text, member.base->span);
  auto known = familiar_member(member.member, array);
  return complaint(source, ErrorKind::type, fmt::format("{} is an array; only its elements have members", array),
                   member.base->span)
      .advise(!known.empty()      ? std::move(known)
              : kind_of(elements) ? members_advice(member.member, array)
                                  : fmt::format("Write {}[i].{} for one element.", array, member.member));
}

Error lambda_on_host(const Source& source, Span span) {
  return complaint(source, ErrorKind::unsupported, "a lambda is not a value here", span)
      .advise("Give it a name first: auto f = [](float x) { return 2 * x; };");
}

Error not_a_kernel(const Source& source, const Form& given, Span span) {
  return complaint(source, ErrorKind::type,
                   fmt::format("expected a kernel, but {} is {}", cell::snippet(source.text, span), describe(given)),
                   span)
      .advise("Launch a kernel by its name, or by a pointer to it: void (*kernels[])(float*, int) = {scale, shift};");
}

Error launch_as_value(const Source& source, Span span) {
  return complaint(source, ErrorKind::type, "a launch gives no value", span).advise("Write it as its own statement.");
}

}  // namespace xcuda::language
