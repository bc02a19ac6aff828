#include "compiler/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "base/demangle.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace xcuda::compiler {
namespace {

constexpr std::string_view kHelper = "xcuda_signature";
constexpr std::string_view kAnonymous = "(anonymous namespace)::";

// The offset of the bracket that closes the one at `open`; npos when there is none. Handles ()[]<> and {}.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '>' || c == '}') {
      if (--depth == 0) return i;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string> split_top_level(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '>' || c == '}') --depth;
    if (depth != 0 || c != ',') continue;
    const auto part = trim(text.substr(start, i - start));
    if (!part.empty() && part != "void") parts.emplace_back(part);
    start = i + 1;
  }
  return parts;
}

// Without the names that only versions and linkage need: "(anonymous namespace)::", and libcu++'s inline namespaces,
// "cuda::std::__4::complex" and "cuda::__4::atomic".
std::string canonical(std::string text) {
  for (auto at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous, at))
    text.erase(at, kAnonymous.size());
  for (const std::string_view outer : {"cuda::std::__", "cuda::__"})
    for (auto at = text.find(outer); at != std::string::npos; at = text.find(outer, at + 1)) {
      const auto begin = at + outer.size() - 2;
      auto end = begin + 2;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      const bool version = end > begin + 2 && std::isdigit(static_cast<unsigned char>(text[begin + 2])) != 0;
      if (version && text.compare(end, 2, "::") == 0) text.erase(begin, end + 2 - begin);
    }
  return text;
}

std::string_view last_component(std::string_view name) {
  const auto bracket = name.find('<');
  const auto at = name.substr(0, bracket).rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::string_view without_arguments(std::string_view name) { return trim(name.substr(0, name.find('<'))); }

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.size() > word.size() && text.ends_with(word) && text[text.size() - word.size() - 1] == ' ';
}

// A static variable of a function or a class, "next()::n" or "Counter::total", whatever module holds it. Another
// initial value is another variable. The static variables of statements are different ones in each module.
std::optional<VariableSignature> static_variable(const ptx::Variable& variable) {
  const bool local = variable.name.starts_with("_ZZ");
  const bool member = variable.name.starts_with("_ZN");
  if (variable.space != ptx::Space::global || (!local && !member)) return std::nullopt;
  const auto text = demangle(variable.name);
  if (!text || text->find("xcuda_") != std::string::npos) return std::nullopt;
  // Constants of a header are of each unit, under a name that says so. Names with two underscores are the toolkit's.
  static constexpr std::string_view kLibraries[] = {
      "_INTERNAL_", "__",        "cuda::",     "std::",     "thrust::",   "cub::",     "xcuda::",
      "cute::",     "cutlass::", "cublasdx::", "cufftdx::", "curanddx::", "commondx::"};
  if (member && std::any_of(std::begin(kLibraries), std::end(kLibraries),
                            [&](std::string_view library) { return text->starts_with(library); }))
    return std::nullopt;
  const std::string_view initial(reinterpret_cast<const char*>(variable.initial.data()), variable.initial.size());
  return VariableSignature{canonical(*text), variable.name, {},
                           variable.size,    false,         "initially " + Sha256().add(initial).hex()};
}

}  // namespace

std::optional<FunctionType> parse_function(std::string_view demangled) {
  // The parameter list is the first '(' outside <> that is not part of "(anonymous namespace)".
  int depth = 0;
  std::size_t open = std::string_view::npos, name_begin = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (demangled.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == '(' && depth == 0) {
      open = i;
      break;
    }
    if (c == '(') {
      i = closing(demangled, i);
      if (i == std::string_view::npos) return std::nullopt;
    }
    if (c == ' ' && depth == 0) name_begin = i + 1;  // after the return type that templates carry
  }
  if (open == std::string_view::npos) return std::nullopt;
  const auto close = closing(demangled, open);
  if (close == std::string_view::npos) return std::nullopt;
  return FunctionType{canonical(std::string(demangled.substr(name_begin, open - name_begin))),
                      split_top_level(canonical(std::string(demangled.substr(open + 1, close - open - 1))))};
}

Parameter parameter_of(std::string_view spelling) {
  Parameter parameter;
  parameter.type = canonical(std::string(trim(spelling)));
  std::string_view type = parameter.type;
  for (const std::string_view qualifier : {"const", "volatile", "__restrict", "__restrict__"})
    if (ends_with_word(type, qualifier)) type = trim(type.substr(0, type.size() - qualifier.size()));
  // "float (*) [4]" points to an array, "void (*)(int)" to a function.
  if (const auto at = type.find("(*)"); at != std::string_view::npos) {
    const auto after = trim(type.substr(at + 3));
    if (!after.starts_with('[')) return parameter;
    parameter.pointer = true;
    parameter.pointee = fmt::format("{} {}", trim(type.substr(0, at)), after);
  } else if (type.ends_with('*')) {
    parameter.pointer = true;
    parameter.pointee = trim(type.substr(0, type.size() - 1));
  } else {
    return parameter;
  }
  std::string_view pointee = parameter.pointee;
  if (ends_with_word(pointee, "volatile")) pointee = trim(pointee.substr(0, pointee.size() - 8));
  if (ends_with_word(pointee, "const")) {
    parameter.const_pointee = true;
    pointee = trim(pointee.substr(0, pointee.size() - 5));
  } else if (const auto array = pointee.find(" const ["); array != std::string_view::npos) {
    parameter.const_pointee = true;
    parameter.pointee = fmt::format("{}{}", pointee.substr(0, array), pointee.substr(array + 6));
    return parameter;
  }
  parameter.pointee = std::string(pointee);
  return parameter;
}

std::string_view helper_declaration() {
  return "#line 1 \"/xcuda/signature\"\ntemplate <class> __global__ void xcuda_signature() {}\n";
}
std::string helper_expression(std::string_view kernel) { return fmt::format("{}<decltype(&{})>", kHelper, kernel); }
std::string type_expression(std::string_view type) { return fmt::format("{}<{}>", kHelper, type); }
bool is_helper_entry(std::string_view symbol) { return symbol.starts_with("_Z15xcuda_signature"); }

std::optional<std::string> helper_type(std::string_view symbol) {
  const auto text = demangle(symbol);
  if (!text) return std::nullopt;
  const auto open = text->find(fmt::format("{}<", kHelper));
  if (open == std::string::npos) return std::nullopt;
  const auto begin = open + kHelper.size();
  // The text ends in ">()".
  const auto end = text->rfind(">()");
  if (end == std::string::npos || end <= begin) return std::nullopt;
  return canonical(std::string(trim(std::string_view(*text).substr(begin + 1, end - begin - 1))));
}

namespace {

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The source of an entry: by name and number of parameters, and among overloads by their types as far as those are
// spelled as the ABI spells them.
const KernelSource* find_source(const std::vector<KernelSource>& sources, const std::optional<FunctionType>& function,
                                const std::string& symbol) {
  const KernelSource* found = nullptr;
  for (const auto& candidate : sources) {
    if (!function) {
      if (last_component(candidate.name) == symbol) return &candidate;
      continue;
    }
    if (without_arguments(candidate.name) != without_arguments(function->name) ||
        candidate.parameter_names.size() != function->parameters.size())
      continue;
    const auto types = without_blanks(fmt::format("({})", fmt::join(function->parameters, ",")));
    if (without_blanks(candidate.key).find(types) != std::string::npos) return &candidate;
    if (found == nullptr) found = &candidate;
  }
  return found;
}

bool is_word_part(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// Where a text has the word, and the words of integers are whole: "long" is not in "unsigned long", nor in "long long".
std::vector<std::size_t> places_of(std::string_view text, std::string_view word) {
  std::vector<std::size_t> places;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) {
    const auto before = text.substr(0, at), after = text.substr(at + word.size());
    const bool part =
        (!before.empty() && is_word_part(before.back())) || (!after.empty() && is_word_part(after.front()));
    const auto is_longer = [&](std::string_view with) { return before.ends_with(with) || after.starts_with(with); };
    if (!part && !is_longer("unsigned ") && !is_longer("long ") && !is_longer(" long")) places.push_back(at);
  }
  return places;
}

// "size_t const*" of "unsigned long const*" where the kernel's key, "sum(const size_t*,int)", has that name in that
// parameter as often as the type has the integer; else empty.
std::string written_type(const KernelSource& source, std::size_t parameter, const std::string& type) {
  struct Name {
    std::string_view name;
    std::array<std::string_view, 2> integers;  // with the C library, with CUDA's headers alone
  };
  static constexpr std::string_view kLong = "long", kUnsignedLong = "unsigned long";
  static constexpr std::string_view kLongLong = "long long", kUnsignedLongLong = "unsigned long long";
  static constexpr Name kNames[] = {
      {"size_t", {kUnsignedLong}},
      {"ptrdiff_t", {kLong}},
      {"uintptr_t", {kUnsignedLong}},
      {"intptr_t", {kLong}},
      {"int64_t", {kLong, kLongLong}},
      {"uint64_t", {kUnsignedLong, kUnsignedLongLong}},
      {"int32_t", {"int"}},
      {"uint32_t", {"unsigned int"}},
      {"int16_t", {"short"}},
      {"uint16_t", {"unsigned short"}},
      {"int8_t", {"signed char"}},
      {"uint8_t", {"unsigned char"}},
  };
  const auto open = source.key.find('(');
  const auto close = open == std::string::npos ? open : closing(source.key, open);
  if (source.is_template || close == std::string::npos) return "";
  const auto types = split_top_level(std::string_view(source.key).substr(open + 1, close - open - 1));
  if (types.size() != source.parameter_names.size() || parameter >= types.size()) return "";
  for (const auto& [name, integers] : kNames) {
    const auto named = places_of(types[parameter], name).size();
    if (named == 0) continue;
    std::string written;
    for (const auto integer : integers) {
      const auto places = integer.empty() ? std::vector<std::size_t>{} : places_of(type, integer);
      if (places.size() != named) continue;
      if (!written.empty()) return "";  // either may be meant
      written = type;
      for (auto at = places.rbegin(); at != places.rend(); ++at) written.replace(*at, integer.size(), name);
    }
    return written;
  }
  return "";
}

}  // namespace

std::vector<KernelSignature> kernel_signatures(const SignatureRequest& request) {
  std::vector<KernelSignature> found;
  for (const auto& entry : request.module.functions) {
    if (!entry.entry || is_helper_entry(entry.name)) continue;
    KernelSignature kernel;
    kernel.entry = entry.name;
    if (const auto& [x, y, z] = entry.max_threads; x != 0) kernel.max_threads = static_cast<int>(x * y * z);

    std::optional<FunctionType> function;
    if (const auto text = demangle(entry.name)) function = parse_function(*text);
    const auto* source = find_source(request.sources, function, entry.name);
    const bool known = source != nullptr;
    if (known && source->only_launched) continue;
    if (!function) {
      // extern "C": the helper over decltype(&kernel), if NVRTC took it.
      const auto name = known ? source->name : entry.name;
      const auto helper = std::find_if(request.lowered_names.begin(), request.lowered_names.end(),
                                       [&](const auto& lowered) { return lowered.first == helper_expression(name); });
      if (helper != request.lowered_names.end())
        if (const auto type = helper_type(helper->second))
          if (const auto list = type->find("(*)("); list != std::string::npos) {
            const auto close = closing(*type, list + 3);
            if (close != std::string::npos)
              function =
                  FunctionType{name, split_top_level(std::string_view(*type).substr(list + 4, close - list - 4))};
          }
      kernel.name = name;
    } else {
      kernel.name = function->name;
    }
    // An instance is known by the words that asked for it.
    for (const auto& [expression, symbol] : request.lowered_names)
      if (symbol == entry.name &&
          std::find(request.instances.begin(), request.instances.end(), expression) != request.instances.end())
        kernel.name = expression;

    kernel.types_known = function && function->parameters.size() == entry.parameters.size();
    if (known) kernel.line = source->line;
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      Parameter parameter = kernel.types_known ? parameter_of(function->parameters[i]) : Parameter{};
      const auto& layout = entry.parameters[i];
      parameter.offset = layout.offset;
      parameter.size = layout.size;
      parameter.alignment = layout.alignment;
      if (known && i < source->parameter_names.size()) parameter.name = source->parameter_names[i];
      if (parameter.name.empty()) parameter.name = fmt::format("#{}", i + 1);
      if (known) parameter.written = written_type(*source, i, parameter.type);
      kernel.parameters.push_back(std::move(parameter));
    }
    found.push_back(std::move(kernel));
  }
  return found;
}

// NVRTC writes "// .globl name" above an entry; it goes with the entry.
std::string without_helpers(std::string_view ptx, const ptx::Module& module) {
  std::string out;
  out.reserve(ptx.size());
  std::size_t done = 0;
  for (const auto& entry : module.functions) {
    if (!entry.entry || !is_helper_entry(entry.name) || entry.begin < done) continue;
    auto kept = ptx.substr(done, entry.begin - done);
    if (const auto comment = kept.rfind("//"); comment != std::string_view::npos) {
      const auto line = kept.substr(comment);
      if ((line.starts_with("// .globl") || line.starts_with("// .weak")) && line.find('\n') + 1 == line.size())
        kept = kept.substr(0, kept.rfind('\n', comment) + 1);
    }
    out.append(kept);
    done = entry.end;
    while (done < ptx.size() && ptx[done] == '\n') ++done;
  }
  return out.append(ptx.substr(done));
}

std::vector<VariableSignature> variable_signatures(const ptx::Module& module,
                                                   const std::vector<VariableSource>& sources) {
  std::vector<VariableSignature> found;
  for (const auto& source : sources) {
    const auto variable =
        std::find_if(module.variables.begin(), module.variables.end(), [&](const ptx::Variable& candidate) {
          if (!candidate.lasts()) return false;
          if (candidate.name == last_component(source.name)) return true;
          const auto text = demangle(candidate.name);
          return text && canonical(*text) == source.name;
        });
    if (variable == module.variables.end()) continue;
    found.push_back({source.name, variable->name, source.type, variable->size, variable->space == ptx::Space::constant,
                     source.source});
  }
  const auto of_sources = found;
  for (const auto& variable : module.variables) {
    const bool known =
        std::any_of(of_sources.begin(), of_sources.end(), [&](const auto& one) { return one.symbol == variable.name; });
    if (auto own = known ? std::nullopt : static_variable(variable)) found.push_back(std::move(*own));
  }
  return found;
}

}  // namespace xcuda::compiler
