#include "interpreter/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace xcuda::interpreter {

std::vector<const cell::Expression*> bind_arguments(const CellRun& run, std::string_view function,
                                                    const std::vector<cell::Argument>& arguments,
                                                    std::span<const std::string_view> parameters) {
  const auto at = [&](ErrorKind kind, std::string message, cell::Span span) {
    return Error(kind, std::move(message)).at(place_of(run.source, span));
  };
  std::vector<const cell::Expression*> bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    std::size_t index = i;
    if (!argument.name.empty()) {
      const auto found = std::find(parameters.begin(), parameters.end(), argument.name);
      if (found == parameters.end()) {
        auto error =
            at(ErrorKind::name, fmt::format("{} has no parameter {}", function, argument.name), argument.name_span);
        const auto near = nearest(argument.name, {parameters.begin(), parameters.end()});
        error.advice =
            near.empty() ? fmt::format("It takes {}.",
                                       parameters.empty() ? "nothing" : fmt::format("{}", fmt::join(parameters, ", ")))
                         : fmt::format("Did you mean {}?", near);
        throw error;
      }
      index = static_cast<std::size_t>(found - parameters.begin());
    } else if (i > 0 && !arguments[i - 1].name.empty()) {
      throw at(ErrorKind::type, "an argument by position stands behind one by name", argument.value->span);
    }
    if (index >= parameters.size())
      throw at(
          ErrorKind::type,
          fmt::format("{} takes {} argument{} at most", function, parameters.size(), parameters.size() == 1 ? "" : "s"),
          argument.value->span);
    if (bound[index] != nullptr)
      throw at(ErrorKind::type, fmt::format("{} of {} is given twice", parameters[index], function),
               argument.value->span);
    bound[index] = argument.value.get();
  }
  return bound;
}

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::ExpressionPtr>& expressions) {
  std::vector<const cell::Expression*> pointers;
  pointers.reserve(expressions.size());
  for (const auto& one : expressions) pointers.push_back(one.get());
  return pointers;
}

std::vector<const cell::Expression*> pointers_to(const std::vector<cell::Argument>& arguments) {
  std::vector<const cell::Expression*> pointers;
  pointers.reserve(arguments.size());
  for (const auto& one : arguments) pointers.push_back(one.value.get());
  return pointers;
}

}  // namespace xcuda::interpreter
