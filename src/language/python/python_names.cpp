// The names of Python's modules and of NumPy's types, lists as arrays, and launches in the style of Python.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/python/python_text.hpp"

namespace xcuda::language {

bool is_python_module(std::string_view name) {
  static constexpr std::string_view kModules[] = {"np",     "cp",  "numpy", "cupy", "torch", "xp",       "scipy",
                                                  "cuda",   "jnp", "math",  "tf",   "F",     "fft",      "linalg",
                                                  "random", "rng", "rg",    "plt",  "pd",    "gpuarray", "cumath"};
  return among(name, kModules);
}

bool is_numpy_grid(std::string_view name) {
  static constexpr std::string_view kGrids[] = {"r_", "c_", "mgrid", "ogrid"};
  return among(name, kGrids);
}

bool is_of_numpy_alone(std::string_view name) {
  static constexpr std::string_view kFunctions[] = {"column_stack", "hsplit", "vsplit",  "dsplit",
                                                    "array_split",  "choose", "polyval", "fromfunction"};
  return among(name, kFunctions);
}

std::optional<std::string> type_of_numpy(std::string_view name) {
  if (name.ends_with("\"")) name.remove_suffix(1);
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"float32", "float"},
                                                                             {"float64", "double"},
                                                                             {"double", "double"},
                                                                             {"float16", "half"},
                                                                             {"half", "half"},
                                                                             {"float", "double"},
                                                                             {"single", "float"},
                                                                             {"int8", "int8_t"},
                                                                             {"int16", "short"},
                                                                             {"int32", "int"},
                                                                             {"intc", "int"},
                                                                             {"int64", "long long"},
                                                                             {"int", "long long"},
                                                                             {"int_", "long long"},
                                                                             {"long", "long long"},
                                                                             {"uint8", "unsigned char"},
                                                                             {"uint16", "unsigned short"},
                                                                             {"uint32", "unsigned int"},
                                                                             {"bool", "bool"},
                                                                             {"bool_", "bool"},
                                                                             {"byte", "int8_t"},
                                                                             {"ubyte", "unsigned char"},
                                                                             {"short", "short"},
                                                                             {"ushort", "unsigned short"},
                                                                             {"uintc", "unsigned int"},
                                                                             {"uint", "unsigned long long"},
                                                                             {"longlong", "long long"},
                                                                             {"uint64", "unsigned long long"},
                                                                             {"complex64", "complex<float>"},
                                                                             {"complex128", "complex<double>"},
                                                                             {"complex", "complex<double>"},
                                                                             {"bfloat16", "__nv_bfloat16"},
                                                                             {"?", "bool"},
                                                                             {"i1", "int8_t"},
                                                                             {"i2", "short"},
                                                                             {"i4", "int"},
                                                                             {"i8", "long long"},
                                                                             {"u1", "unsigned char"},
                                                                             {"u2", "unsigned short"},
                                                                             {"u4", "unsigned int"},
                                                                             {"u8", "unsigned long long"},
                                                                             {"f2", "half"},
                                                                             {"f4", "float"},
                                                                             {"f8", "double"},
                                                                             {"c8", "complex<float>"},
                                                                             {"c16", "complex<double>"}};
  for (const auto& [numpy, here] : kTypes)
    if (name == numpy) return std::string(here);
  return std::nullopt;
}

std::optional<PythonPiece> launch_of(const PythonCall& call, const PythonNames& names) {
  if (call.of != PythonCall::Of::nothing || !names.kernel || !call.named.empty()) return std::nullopt;
  const auto bracket = call.function.find('[');
  const auto kernel = call.function.substr(0, bracket);
  if (!names.kernel(kernel)) return std::nullopt;
  const auto joined = [](const std::vector<PythonPiece>& pieces) {
    std::string text;
    for (const auto& piece : pieces) text += (text.empty() ? "" : ", ") + piece.text;
    return text;
  };
  std::string configuration, arguments;
  if (bracket != std::string::npos) {
    configuration = call.function.substr(bracket + 1, call.function.size() - bracket - 2);
    arguments = joined(call.arguments);
  } else {
    if (call.arguments.size() != 3) return std::nullopt;
    for (const auto& tuple : call.arguments)
      if (tuple.kind != PieceKind::list) return std::nullopt;
    const auto dimension = [](const PythonPiece& tuple) {
      return tuple.parts.size() == 1 ? tuple.parts[0].text : tuple.text;
    };
    configuration = fmt::format("{}, {}", dimension(call.arguments[0]), dimension(call.arguments[1]));
    arguments = joined(call.arguments[2].parts);
  }
  return PythonPiece{fmt::format("{}<<<{}>>>({})", kernel, configuration, arguments), Binding::ternary,
                     PieceKind::statement};
}

// The type of all numbers in a list, where each is known.
static std::optional<std::string> type_in(const PythonPiece& list, const PythonNames& names) {
  std::optional<Kind> all;
  for (const auto& part : list.parts) {
    if (part.kind == PieceKind::list) return type_in(part, names);
    const auto kind = names.kind ? names.kind(part.text) : std::nullopt;
    if (!kind) return std::nullopt;
    all = all ? common_kind(*all, *kind) : *kind;
  }
  if (!all) return std::nullopt;
  if (is_complex(*all)) return "complex<double>";
  if (is_floating(*all)) return "double";
  return *all == Kind::boolean ? "bool" : bits_of(*all) == 64 ? "long long" : "int";
}

std::optional<PythonPiece> array_of_list(const PythonPiece& list, std::optional<std::string> type,
                                         const PythonNames* names) {
  if (!type && names != nullptr) type = type_in(list, *names);
  std::string extents;
  const auto* inner = &list;
  for (; inner->kind == PieceKind::list; inner = &inner->parts.front()) {
    extents += fmt::format("[{}]", inner->parts.size());
    if (inner->parts.empty()) return std::nullopt;
  }
  const bool truths = inner->text == "true" || inner->text == "false";
  const bool reals = list.text.find('.') != std::string::npos || list.text.find("M_") != std::string::npos ||
                     list.text.find("NAN") != std::string::npos || list.text.find("INFINITY") != std::string::npos;
  return PythonPiece{
      list.text, Binding::primary, PieceKind::new_array, {}, type.value_or(truths ? "bool" : reals ? "double" : "int"),
      extents};
}

}  // namespace xcuda::language
