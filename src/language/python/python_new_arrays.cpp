#include <fmt/format.h>

#include "base/text.hpp"
#include "language/functions.hpp"
#include "language/python/arguments.hpp"

namespace xcuda::language {
namespace {

PythonAnswer new_array(std::string type, std::string extents, std::string text) {
  return PythonPiece{std::move(text), Binding::primary, PieceKind::new_array, {}, std::move(type), std::move(extents)};
}

}  // namespace

PythonPiece python_statement(std::string text) { return {std::move(text), Binding::ternary, PieceKind::statement}; }

std::optional<std::string> taken_type(PythonArguments& given, std::optional<std::size_t> place) {
  auto type = place && *place < given.count() ? std::optional(given.at(*place)) : given.take("dtype");
  if (!type) return std::nullopt;
  if (type->kind == PieceKind::type) return type->text;
  auto known = type_of_numpy(trim(std::string_view(type->text).substr(type->text.starts_with("\"") ? 1 : 0)));
  if (!known) given.refuse();
  return known;
}

// --- of new arrays

PythonAnswer of_creation(PythonArguments& given) {
  const auto& name = given.function();
  const bool by_extents = name == "zeros" || name == "ones" || name == "empty";
  const bool of_list = (name == "array" || name == "asarray" || name == "tensor") && given.count() > 0;
  if (of_list && given.at(0).kind == PieceKind::list) {
    const auto type = taken_type(given, given.count() > 1 ? std::optional<std::size_t>(1) : std::nullopt);
    return given.none_left() ? given.array_of(given.at(0), type) : std::nullopt;
  }
  if ((of_list || name == "ascontiguousarray") && given.count() == 1 && given.none_left() && given.rank(0) > 0)
    return PythonPiece{name == "asarray" ? given.text(0) : fmt::format("copy({})", given.text(0))};
  if (of_list && given.count() == 1 && given.none_left() && given.rank(0) == 0) return given.at(0);
  if (by_extents) {
    if (const auto shape = given.count() == 0 ? given.take("shape") : std::nullopt) given.add(*shape);
    const bool typed = given.count() == 2 && (given.at(1).kind == PieceKind::type || given.text(1).starts_with("\""));
    const auto type = taken_type(given, typed ? std::optional<std::size_t>(1) : std::nullopt);
    if (typed) given.drop(1);
    const auto function = name == "empty" ? "zeros" : name;
    return given.call(type ? fmt::format("{}<{}>", function, *type) : function);
  }
  // Windows of a row, one after the other.
  if (name.ends_with("sliding_window_view") && given.rank(0) == 1) {
    const auto window = given.take(1, "window_shape");
    if (!window || window->kind == PieceKind::list || given.count() > 2 || !given.none_left()) return given.refuse();
    return PythonPiece{fmt::format("{0}[arange<int>({0}.size - {1} + 1)[:, newaxis] + arange<int>({1})]",
                                   given.at(0).bound(Binding::primary), window->bound(Binding::product))};
  }
  if (name == "resize" && given.is_method() && given.count() == 2 && given.at(1).parts.empty()) {  // cut, or with zeros
    const auto row = given.rank(0) == 1 ? given.text(0) : fmt::format("flatten({})", given.text(0));
    return python_statement(fmt::format("auto resized = pad({0}, {{0, {1}}})[:{1}]", row, given.text(1)));
  }
  if (name == "resize" && given.is_method() && given.count() == 2)
    return python_statement(fmt::format("auto resized = reshape({}, {})", given.text(0), given.text(1)));
  if (name.ends_with("_like") && name != "empty_like")
    if (const auto type = taken_type(given))
      return PythonPiece{fmt::format("({}){}", *type, given.call(name).text), Binding::unary};
  if (name == "full" || name == "eye" || name == "identity" || name == "arange" || name == "linspace") {
    const auto type = taken_type(given);
    if (const auto value = name == "full" && given.count() == 1 ? given.take("fill_value") : std::nullopt)
      given.add(*value);
    if (const auto end = given.take("endpoint"); end && end->text != "true") {
      const auto num = given.take(2, "num").value_or(PythonPiece{"50"});
      const bool literal = num.text.find_first_not_of("0123456789") == std::string::npos && num.text.size() < 9;
      if (name != "linspace" || given.count() < 2 || !given.none_left() || type) return given.refuse();
      return PythonPiece{fmt::format("linspace({}, {}, {})[:-1]", given.text(0), given.text(1),
                                     literal ? std::to_string(std::stoi(num.text) + 1) : num.text + " + 1")};
    }
    const bool single = name == "full" && given.count() == 2 && (given.text(1) == "INFINITY" || given.text(1) == "NAN");
    if (single && !type) return given.call("full<double>");  // C++ has float there
    return given.call(type ? fmt::format("{}<{}>", name, *type) : name);
  }
  return std::nullopt;
}

// --- of files

PythonAnswer of_files(PythonArguments& given) {
  const auto& name = given.function();
  const auto path = [&](std::size_t i) { return given.text(i).substr(1, given.text(i).size() - 2); };
  if ((name == "load" || name == "loadtxt" || name == "genfromtxt" || name == "read_csv") && given.count() > 0) {
    given.take(name == "read_csv" ? "sep" : "delimiter");
    for (const auto* skipped : {"skiprows", "skip_header"})  // a line of names is skipped by itself
      if (const auto* lines = given.find(skipped); lines != nullptr && lines->text == "1") given.take(skipped);
    return given.none_left() ? new_array("auto", "", fmt::format("load({})", given.text(0))) : std::nullopt;
  }
  if (name == "tofile" && given.is_method() && given.count() == 2 && given.text(1).starts_with("\"") &&
      path(1).find('.') != std::string::npos && !path(1).ends_with(".npy") && !path(1).ends_with(".npz"))
    return python_statement(fmt::format("%save {} {}", given.text(0), path(1)));
  if (name == "savez" && given.count() == 1 && given.text(0).starts_with("\"")) return given.archive(path(0));
  if ((name == "save" || name == "savetxt") && given.count() == 2 && given.text(0).starts_with("\"")) {
    const auto ending = name == "save" && path(0).find('.') == std::string::npos ? ".npy" : "";
    return python_statement(fmt::format("%save {} {}{}", given.text(1), path(0), ending));
  }
  return std::nullopt;
}

}  // namespace xcuda::language
