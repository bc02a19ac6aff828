#include "editor/completion.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "cell/library_scope.hpp"
#include "command/command_table.hpp"
#include "command/help.hpp"
#include "compiler/options.hpp"
#include "display/device_report.hpp"
#include "editor/candidates.hpp"
#include "editor/cell_names.hpp"
#include "editor/cursor_context.hpp"
#include "editor/member_completion.hpp"
#include "editor/own_words.hpp"
#include "interpreter/composed/random_arguments.hpp"
#include "interpreter/texture_declarations.hpp"
#include "language/answers.hpp"
#include "language/functions.hpp"
#include "nvcc/option_table.hpp"
#include "reference/builtins.hpp"
#include "session/settings.hpp"

namespace xcuda::editor {

using command::KnownDefinition;
using command::Operand;
using command::OptionType;
using command::Scope;
using command::Shape;
using reference::Builtin;
namespace {

using Kind = CursorContext::Kind;
using Code = CursorContext::Code;

std::string_view type_of(KnownDefinition::Kind kind) {
  static constexpr std::string_view kTypes[] = {"kernel", "function", "type", "variable", "macro", "function"};
  return kTypes[static_cast<std::size_t>(kind)];
}

void add_arrays(Candidates& found, const Scope& scope) {
  for (const auto& array : scope.arrays)
    found.add(array.name, "array", fmt::format("{} {}", dtype_name(array.type), display::shape_text(array.shape)));
}
void add_scalars(Candidates& found, const Scope& scope) {
  for (const auto& scalar : scope.scalars)
    found.add(scalar.name, "variable",
              scalar.value.empty() ? scalar.type : fmt::format("{} = {}", scalar.type, scalar.value));
}
void add_definitions(Candidates& found, const Scope& scope) {
  for (const auto& definition : scope.definitions)
    found.add(definition.name, type_of(definition.kind), command::declaration_of(definition));
}
void add_kernels(Candidates& found, const Scope& scope) {
  for (const auto& definition : scope.definitions)
    if (definition.kind == KnownDefinition::Kind::kernel)
      found.add(definition.name, "kernel", command::declaration_of(definition));
}

// One name, or the namespace that leads to it: of cuda::std::span after "cu" that is "cuda::".
void add_qualified(Candidates& found, const std::string& name, const Builtin& builtin) {
  if (!name.starts_with(found.word())) return;
  const auto next = name.find("::", found.word().size());
  if (next != std::string::npos) return found.add(name.substr(0, next + 2), "namespace");
  found.add(name, reference::kind_name(builtin.kind), builtin.signatures.empty() ? "" : builtin.signatures.front(),
            builtin.help);
}

void add_builtins(Candidates& found, Code code, const CellNames& names) {
  using Where = Builtin::Where;
  // As they are written here: by aliases, and without the namespaces that are opened.
  std::vector<std::pair<std::string, std::string>> written;
  for (const auto& [alias, whole] : names.aliases()) written.emplace_back(alias + "::", whole + "::");
  for (const auto& space : names.opened()) written.emplace_back("", space + "::");
  for (const auto& builtin : reference::builtins()) {
    if (code == Code::device && builtin.where == Where::statements) continue;
    if (code == Code::statements && builtin.where == Where::device) continue;
    for (const auto& [from, to] : written)
      if ((from.empty() || found.word().starts_with(from)) && builtin.name.starts_with(to))
        add_qualified(found, from + builtin.name.substr(to.size()), builtin);
    // Hundreds of names do not help: names with underscores are offered once one is typed.
    if (builtin.name.starts_with('_') && !found.word().starts_with('_')) continue;
    add_qualified(found, builtin.name, builtin);
  }
}

// Adds names of std:: that NVRTC has in cuda::std::; statements call functions of numbers by either name.
void add_standard_names(Candidates& found, Code code) {
  constexpr std::string_view kStandard = "std::", kCuda = "cuda::std::";
  if (!found.word().starts_with(kStandard)) return;
  for (const auto& builtin : reference::builtins()) {
    if (!builtin.name.starts_with(kCuda)) continue;
    const auto name = builtin.name.substr(kCuda.size() - kStandard.size());
    const auto known = language::find_function(name);
    if (code == Code::statements && !known) continue;
    add_qualified(found, name, builtin);
  }
  for (const auto* function : language::all_functions())
    if ((function->operation == language::Operation::numbers || function->has(language::Trait::of_elements)) &&
        code != Code::device)
      found.add(fmt::format("std::{}", function->name), "function", {}, function->help);
  if (code == Code::device) return;
  for (const auto& name : cell::standard_names()) found.add(name, "type");
}

// Whether the call is x.sum( ... ): x is its first argument.
bool is_method(std::string_view code, const EnclosingCall& call) {
  return call.begin > 0 && code[call.begin - 1] == '.';
}

// "seed=" inside uniform( ... ).
void add_named_arguments(Candidates& found, std::string_view code, std::size_t cursor) {
  const auto call = enclosing_call(code, cursor);
  const auto statement = statement_word(code, cursor);
  if (call && (statement == "texture" || statement == "surface")) {
    const bool texture = statement == "texture";
    for (const auto name : texture ? interpreter::texture_parameters() : interpreter::surface_parameters())
      found.add(fmt::format("{}=", name), "parameter");
    return;
  }
  const auto function = call ? language::find_function(call->name) : std::nullopt;
  if (!function || function->row->operation == language::Operation::numbers) return;
  const auto given = call->argument + (is_method(code, *call) ? 1 : 0);  // what is in front has its place
  for (const auto& signature : language::signatures_of(*function->row))
    for (std::size_t i = given; i < signature.parameters.size() && !signature.open; ++i)
      found.add(fmt::format("{}=", signature.parameters[i].name), "parameter", std::string(signature.text));
}

// The parameter that the cursor is in by its place: "mode" in convolve(x, y, ".
std::string placed_argument(std::string_view code, std::size_t cursor) {
  const auto call = enclosing_call(code, cursor);
  const auto function = call ? language::find_function(call->name) : std::nullopt;
  if (!function) return {};
  const auto place = call->argument + (is_method(code, *call) ? 1 : 0);
  const auto& parameters = language::signatures_of(*function->row).front().parameters;
  return place < parameters.size() ? std::string(parameters[place].name) : std::string();
}

// Adds "linear" after texture t(x, filter = , "true" after sum(x, keep = . The words of textures are only for textures.
// True: nothing else can be there.
bool add_argument_values(Candidates& found, const CursorContext& context, std::string_view code, std::size_t cursor) {
  auto parameter = named_argument(code, context.begin);
  if (parameter.empty() && context.kind == Kind::value) parameter = placed_argument(code, cursor);
  if (parameter.empty()) return false;
  if (statement_word(code, cursor) == "texture" || statement_word(code, cursor) == "surface") {
    const auto words = interpreter::texture_choices(parameter);
    for (const auto word : words) found.add(std::string(word), "value");
    return !words.empty();
  }
  const auto call = enclosing_call(code, cursor);
  const auto function = call ? language::find_function(call->name) : std::nullopt;
  if (!function) return false;
  const auto choices = language::choices_of(*function->row, parameter);
  for (const auto choice : choices)
    found.add(context.kind == Kind::value ? std::string(choice) : fmt::format("\"{}\"", choice), "value");
  bool words = false;
  for (const auto& signature : language::signatures_of(*function->row))
    for (const auto& one : signature.parameters) {
      if (one.name != parameter) continue;
      if (one.takes == language::Takes::truth)
        for (const auto* word : {"true", "false"}) found.add(word, "value");
      if (one.takes != language::Takes::word && one.type != "word") continue;
      for (const auto word : interpreter::words_of_random_numbers(parameter)) found.add(std::string(word), "value");
      words = true;
    }
  return words || !choices.empty();
}

// Adds the functions of std::numeric_limits<float>::.
void add_limits(Candidates& found) {
  const auto colons = found.word().rfind("::");
  if (colons == std::string_view::npos) return;
  for (const auto* name : {"max", "min", "lowest", "epsilon", "infinity", "quiet_NaN"})
    found.add(fmt::format("{}{}()", found.word().substr(0, colons + 2), name), "function");
}

void add_code(Candidates& found, const CursorContext& context, std::string_view code, std::size_t cursor,
              const Scope& scope) {
  const auto limits = trim(code.substr(0, cursor)).rfind("numeric_limits<");
  if (limits != std::string_view::npos &&
      code.substr(limits, cursor - limits).find_first_of(" ;(,") == std::string_view::npos)
    return add_limits(found);
  if (add_argument_values(found, context, code, cursor)) return;
  if (named_argument(code, context.begin).empty()) add_named_arguments(found, code, cursor);
  auto from = found.size();
  if (context.code != Code::device) {
    add_arrays(found, scope);
    add_scalars(found, scope);
  }
  add_definitions(found, scope);
  found.sort_since(from);
  if (context.word.empty()) return;  // a Tab on nothing does not ask for the whole language
  from = found.size();
  for (auto& word : own_words(code, cursor, context.word, found.interrupt()))
    found.add(std::move(word.text), word.type, std::move(word.declaration));
  found.sort_since(from);
  from = found.size();
  add_standard_names(found, context.code);
  add_builtins(found, context.code, CellNames(code, cursor, scope));
  found.sort_since(from);
}

void add_magics(Candidates& found, const CursorContext& context, std::string_view code) {
  const bool first_line = trim(code.substr(0, context.begin)).empty();
  for (const auto& command : command::table()) {
    if (command.shape == Shape::notation) continue;
    if (command.shape != Shape::cell) found.add(fmt::format("%{}", command.name), "command", {}, command.summary);
    if (command.shape != Shape::line && first_line)
      found.add(fmt::format("%%{}", command.name), "command", {}, command.summary);
  }
}

// "--fmad=tr": the values of an option that takes one after =.
void add_option_values(Candidates& found, std::string_view word) {
  const auto equals = word.find('=');
  const auto* spec = equals == std::string_view::npos ? nullptr : compiler::find_option(word.substr(0, equals));
  if (spec == nullptr) return;
  std::string_view choices = spec->value == compiler::OptionValue::boolean ? "true false" : spec->choices;
  while (!(choices = trim(choices)).empty()) {
    const auto end = std::min(choices.find(' '), choices.size());
    found.add(fmt::format("{}={}", word.substr(0, equals), choices.substr(0, end)), "option", {}, spec->help);
    choices.remove_prefix(end);
  }
}

void add_options(Candidates& found, const CursorContext& context) {
  const auto* command = command::find(context.magic);
  if (command == nullptr) return;
  for (const auto& option : command->options) found.add(std::string(option.name), "option", {}, option.help);
  if (command->operand == Operand::program)
    for (const auto& option : nvcc::option_table()) found.add(std::string(option.name), "option", {}, option.help);
  if (!command->compiler_options) return;
  add_option_values(found, found.word());
  for (const auto& spec : compiler::option_table()) {
    if (spec.use == compiler::OptionUse::refused || spec.use == compiler::OptionUse::ignored) continue;
    const bool valued = spec.value == compiler::OptionValue::boolean || spec.value == compiler::OptionValue::number ||
                        spec.value == compiler::OptionValue::word;
    for (const auto name : {spec.name, spec.alias})
      if (!name.empty())
        found.add(fmt::format("{}{}", name, valued && name.starts_with("--") ? "=" : ""), "option", {}, spec.help);
  }
}

enum class Files : std::uint8_t { all, headers, folders };

void add_paths(Candidates& found, Files files = Files::all) {
  namespace fs = std::filesystem;
  const auto slash = found.word().rfind('/');
  const std::string folder(slash == std::string_view::npos ? "" : found.word().substr(0, slash + 1));
  const bool hidden = found.word().substr(folder.size()).starts_with('.');
  std::error_code error;
  const auto from = found.size();
  for (fs::directory_iterator
           entry(folder.empty() ? "." : folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with('.') && !hidden) continue;
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    if (files == Files::folders && !is_folder) continue;
    static constexpr std::string_view kHeaders[] = {".h", ".hpp", ".cuh", ".cu", ".hh", ".inl", ".inc"};
    if (files == Files::headers && !is_folder && !among(entry->path().extension().string(), kHeaders)) continue;
    found.add(folder + name + (is_folder ? "/" : ""), "path");
  }
  found.sort_since(from);
}

void add_variables(Candidates& found) {
  const auto from = found.size();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    found.add(std::string(text.substr(0, text.find('='))), "variable");
  }
  found.sort_since(from);
}

void add_operands(Candidates& found, const CursorContext& context, const Scope& scope) {
  const auto* command = command::find(context.magic);
  if (command == nullptr) return;
  // The value of an option in front.
  for (const auto& option : command->options)
    if (option.name == context.option && option.type != OptionType::flag) {
      for (const auto choice : option.choices) found.add(std::string(choice), "value");
      if (option.value == "FILE") add_paths(found);
      if (option.value == "ARRAY") add_arrays(found, scope);
      return;
    }
  if (context.option == "-I" || context.option == "-include" || context.option == "--include-path")
    return add_paths(found);
  switch (command->operand) {
    case Operand::none:
    case Operand::device_code:
    case Operand::text: return;
    case Operand::program:
    case Operand::raw: return add_paths(found);
    case Operand::array:
    case Operand::arrays:
    case Operand::copy: return add_arrays(found, scope);
    case Operand::kernel: {
      const auto from = found.size();
      add_kernels(found, scope);
      return found.sort_since(from);
    }
    case Operand::path: return add_paths(found);
    case Operand::folder:
      if (context.operand == 0) add_paths(found, Files::folders);
      return;
    case Operand::variable:
      if (context.operand == 0) add_variables(found);
      return;
    case Operand::arrays_and_path:
      add_arrays(found, scope);
      if (context.operand > 0) add_paths(found);
      return;
    case Operand::device:
      for (const auto& device : scope.devices) found.add(device, "device");
      return;
    case Operand::setting:
      if (context.operand == 0)
        for (const auto& setting : session::setting_table())
          found.add(std::string(setting.name), "setting", {}, setting.help);
      return;
    case Operand::command:
      for (const auto& row : command::table())
        if (row.shape != Shape::notation) found.add(std::string(row.name), "command", {}, row.summary);
      for (const auto& topic : command::topics()) found.add(std::string(topic.name), "topic", {}, topic.summary);
      for (auto& name : language::function_names()) found.add(std::move(name), "function");
      [[fallthrough]];
    case Operand::name:
      add_arrays(found, scope);
      add_scalars(found, scope);
      return add_definitions(found, scope);
    case Operand::statements:
    case Operand::declarations: return;  // complete() has taken them for code
  }
}

// A header, or the folder that it is in.
void add_headers(Candidates& found) {
  for (const auto& header : reference::known_headers()) {
    if (!header.starts_with(found.word())) continue;
    const auto slash = header.find('/', found.word().size());
    if (slash == std::string::npos)
      found.add(header, "header");
    else
      found.add(header.substr(0, slash + 1), "folder");
  }
}

void add_directives(Candidates& found) {
  for (const std::string_view name : {"define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include",
                                      "line", "pragma", "undef", "warning"})
    found.add(std::string(name), "keyword");
}

void add_pragmas(Candidates& found) {
  static constexpr std::pair<std::string_view, std::string_view> kPragmas[] = {
      {"nv_diag_suppress", "Silences a warning of NVRTC: #pragma nv_diag_suppress 177"},
      {"nv_diag_default", "Gives a warning back its severity"},
      {"nv_diagnostic", "#pragma nv_diagnostic push, and pop, around such changes"},
      {"nv_exec_check_disable", "Allows a call that __host__ __device__ code may not make"},
      {"once", "Includes this header once"},
      {"unroll", "Unrolls the loop below: #pragma unroll, #pragma unroll 4"}};
  for (const auto& [name, help] : kPragmas) found.add(std::string(name), "keyword", {}, help);
}

// The programs of PATH that begin with the word: all of them would be thousands.
void add_programs(Candidates& found) {
  namespace fs = std::filesystem;
  const char* path = std::getenv("PATH");
  if (path == nullptr || found.word().empty()) return;
  const auto from = found.size();
  std::set<std::string> seen;
  for (auto rest = std::string_view(path); !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    std::error_code error;
    for (fs::directory_iterator
             entry(fs::path(rest.substr(0, end)), fs::directory_options::skip_permission_denied, error),
         last;
         !error && entry != last; entry.increment(error)) {
      auto name = entry->path().filename().string();
      if (!name.starts_with(found.word()) || ::access(entry->path().c_str(), X_OK) != 0) continue;
      if (seen.insert(name).second) found.add(std::move(name), "program");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  found.sort_since(from);
}

}  // namespace

Matches complete(std::string_view code, std::size_t cursor, const Scope& scope, const Interrupt* interrupt) {
  cursor = std::min(cursor, code.size());
  auto context = context_at(code, cursor);
  // After a command that takes statements the cursor is in C++, not in a word of the command's line.
  const auto* command =
      context.kind == Kind::operand && context.option.empty() ? command::find(context.magic) : nullptr;
  if (command != nullptr && (command->operand == Operand::statements || command->operand == Operand::declarations)) {
    context = context_at(without_magic(code, cursor), cursor);
    context.code = Code::statements;
  }
  Candidates found(context.word, interrupt);
  switch (context.kind) {
    case Kind::code: add_code(found, context, code, cursor, scope); break;
    case Kind::member: add_members(found, context, code, cursor, scope); break;
    case Kind::magic: add_magics(found, context, code); break;
    case Kind::option: add_options(found, context); break;
    case Kind::operand: add_operands(found, context, scope); break;
    case Kind::include:
      if (code[context.begin - 1] == '"') add_paths(found, Files::headers);
      add_headers(found);
      break;
    case Kind::value: add_argument_values(found, context, code, cursor); break;
    case Kind::path: add_paths(found); break;
    case Kind::directive: add_directives(found); break;
    case Kind::pragma: add_pragmas(found); break;
    case Kind::program:
      add_programs(found);
      add_paths(found);
      break;
    case Kind::shell: add_paths(found); break;
    case Kind::nothing: break;
  }
  return {found.take(), context.begin, cursor};
}

}  // namespace xcuda::editor
