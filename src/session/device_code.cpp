#include "session/device_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "compiler/host_headers.hpp"
#include "reference/missing_headers.hpp"
#include "session/failures.hpp"

namespace xcuda::session {
namespace {

std::string without_blanks(std::string_view text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result), [](char c) { return c != ' '; });
  return result;
}

// Whether the text has the part as whole words: "scale" and "demo::scale" are parts of "demo::scale<float>", "cale" is
// not.
bool has_words(std::string_view text, std::string_view part) {
  const auto inside = [&](std::size_t at) { return at < text.size() && cell::is_identifier_character(text[at]); };
  for (auto at = text.find(part); !part.empty() && at != text.npos; at = text.find(part, at + 1))
    if ((at == 0 || !inside(at - 1)) && !inside(at + part.size())) return true;
  return false;
}

// The kernel whose symbol in the PTX it is; else those whose names have the part.
std::vector<std::string> named_by_part(const ModuleTable& modules, std::string_view part) {
  std::vector<std::string> names;
  for (const auto& known : modules.names()) {
    const auto& overloads = modules.find(known);
    if (std::any_of(overloads.begin(), overloads.end(), [&](const auto& one) { return one.signature->entry == part; }))
      return {known};
    if (has_words(known, part)) names.push_back(known);
  }
  return names;
}

Error compile_error(const compiler::CompileOutput& output, const std::string& what) {
  const auto errors =
      std::count_if(output.diagnostics.begin(), output.diagnostics.end(),
                    [](const compiler::Diagnostic& d) { return d.severity == compiler::Severity::error; });
  Error error(ErrorKind::compile, fmt::format("{} does not compile: {} error{}", what,
                                              std::max<std::ptrdiff_t>(errors, 1), errors > 1 ? "s" : ""));
  for (const auto& diagnostic : output.diagnostics)
    if (diagnostic.severity == compiler::Severity::error) {
      if (diagnostic.place.line > 0) error.place = diagnostic.place;
      break;
    }
  if (errors == 0) error.library = output.log;
  return error;
}

// Of the first error, where that is `identifier "n" is undefined`; else empty.
std::string unknown_name(const compiler::CompileOutput& output) {
  constexpr std::string_view kBegin = "identifier \"", kEnd = "\" is undefined";
  for (const auto& one : output.diagnostics) {
    if (one.severity != compiler::Severity::error) continue;
    if (!one.text.starts_with(kBegin) || !one.text.ends_with(kEnd)) return {};
    return one.text.substr(kBegin.size(), one.text.size() - kBegin.size() - kEnd.size());
  }
  return {};
}

// What only statements or later cells use is not a mistake, whatever the compiler says of this cell alone: "was
// declared but never referenced" (177) and "was set but never used" (550) of a definition of the cell, not of a
// variable in it.
void drop_unused_definitions(std::vector<compiler::Diagnostic>& diagnostics, const CellRun& run) {
  std::erase_if(diagnostics, [&](const compiler::Diagnostic& diagnostic) {
    const bool unused = diagnostic.code.starts_with("177") || diagnostic.code.starts_with("550");
    if (!unused || diagnostic.place.source != run.source.name) return false;
    return std::any_of(run.cell->device.begin(), run.cell->device.end(), [&](const cell::DevicePiece& piece) {
      if (piece.name.empty()) return false;
      const auto place = line_column(run.source.text, piece.name_span.begin);
      return place.line == diagnostic.place.line && place.column == diagnostic.place.column;
    });
  });
}

}  // namespace

CompileFailure::CompileFailure(Error error, std::vector<compiler::Diagnostic> given)
    : Error(std::move(error)), diagnostics(std::move(given)) {
  std::vector<reference::Complaint> complaints;
  for (const auto& one : diagnostics)
    if (one.severity == compiler::Severity::error)
      complaints.push_back({one.text, one.place.excerpt, one.place.column});
  if (advice.empty()) advice = reference::headers_to_add(complaints);
}

compiler::CompileOptions DeviceCode::options(const std::vector<cell::Word>& words) {
  compiler::OptionsRequest request;
  request.words = compiler::words_of(parts_.settings.compiler_options);
  if (auto* run = parts_.current.run) {
    run->compiler_words.assign(request.words.size(), {});
    run->compiler_words.insert(run->compiler_words.end(), words.begin(), words.end());
  }
  for (const auto& word : words) request.words.push_back(word.text);
  request.architecture = parts_.device.info().architecture;
  return compiler::parse_options(request);
}

// Functions that NVRTC refuses, and that nothing else needs, are the host's: they may run as statements.
compiler::CompileOutput DeviceCode::compile(CellRun& run, const CellRequest& request,
                                            const compiler::CellCode& code) const {
  compiler::CompileOutput output;
  if (!compiler::Program::has_device_code(*run.cell)) return output;
  const Progress::Activity activity(parts_.progress, "compiling " + run.source.name);
  output = compile(program_.assemble(code));
  if (output.ok) return output;
  const auto before = run.cell->device;
  auto last = output;
  while (!last.ok && set_aside(run, request.grammar, last.diagnostics)) {
    if (!compiler::Program::has_device_code(*run.cell)) return {};
    last = compile(program_.assemble(code));
  }
  if (last.ok) return last;
  run.cell->device = before;
  if (compiler::explain_host_types(last.diagnostics)) output = std::move(last);
  auto error = compile_error(output, run.source.name);
  const auto unknown = unknown_name(output);
  if (request.advice_on && !unknown.empty()) error.advice = request.advice_on(unknown);
  if (unknown.empty() && std::any_of(output.diagnostics.begin(), output.diagnostics.end(), [](const auto& one) {
        return one.text.find("exception handling") != std::string::npos;
      }))
    error.advice =
        "Statements run functions and types that throw, if they are outside of namespaces and neither constexpr nor "
        "__device__. A "
        "kernel writes into memory what went wrong.";
  throw CompileFailure(std::move(error), output.diagnostics);
}

display::CompileView DeviceCode::compile(CellRun& run, const CellRequest& request) {
  const compiler::CellCode code{run.cell, run.source.name, run.cell_id, options(request.options), request.overloads};
  auto output = compile(run, request, code);
  if (request.check) request.check(output);
  drop_unused_definitions(output.diagnostics, run);
  display::CompileView view{output, {}, 0};
  Module* module = nullptr;
  if (!output.kernels.empty() || !output.variables.empty()) {
    module = &load(std::move(output), run.source.name);
    view.functions = module->info.functions;
    view.load_time = module->info.load_time;
  }
  auto replaced = program_.commit(code);
  functions_.define(run, request.grammar);
  if (module != nullptr) module->origin = std::move(replaced.origin);
  for (const auto& kernel : replaced.kernels) modules_.forget(kernel, module);
  for (const auto id : modules_.drop_unused()) unload(id);
  note_definitions(run, replaced);
  constants_.values.clear();
  types_.clear();
  view.replaced = std::move(replaced.elsewhere);
  return view;
}

void DeviceCode::note_definitions(const CellRun& run, const compiler::Replaced& replaced) {
  for (const auto* names : {&replaced.kernels, &replaced.variables, &replaced.types, &replaced.functions})
    std::erase_if(definitions_, [&](const Definition& d) {
      return std::find(names->begin(), names->end(), d.piece.name) != names->end();
    });
  for (const auto& piece : run.cell->device) {
    if (piece.name.empty() || piece.container || piece.directive == "include" ||
        piece.name.starts_with(cell::kHostLambdaPrefix))
      continue;
    std::erase_if(definitions_,
                  [&](const Definition& d) { return d.piece.key == piece.key && d.piece.name == piece.name; });
    definitions_.push_back({piece,
                            std::string(run.source.text.substr(piece.span.begin, piece.span.end - piece.span.begin)),
                            run.source.name, line_column(run.source.text, piece.span.begin).line});
  }
}

Module DeviceCode::made(compiler::CompileOutput output, std::string source) {
  Module module{next_module(), std::move(source), std::move(output), {}, {}};
  module.info = parts_.device.get().load_module(module.image());
  return module;
}

Module& DeviceCode::load(compiler::CompileOutput output, std::string source) {
  return add(made(std::move(output), std::move(source)));
}

Module& DeviceCode::add(Module module) {
  auto& added = modules_.add(std::move(module));
  parts_.variables.add_module(added.id, added.output.variables, added.info);
  return added;
}

void DeviceCode::prepare() {
  for (auto* module : modules_.not_prepared()) {
    module->prepared = true;
    for (const auto& kernel : module->output.kernels)
      parts_.device.get().post_prepare({module->id, kernel.entry, {.bounds = parts_.settings.bounds_checks}});
  }
}

device::MachineCode DeviceCode::machine_code(const device::CodeRequest& request) {
  const Progress::Activity activity(parts_.progress, "waiting for the device");
  auto& limit = parts_.submission.time_limit();
  limit.run();
  auto code = parts_.device.get().machine_code(request);
  if (!parts_.submission.pending()) limit.stop();
  return code;
}

void DeviceCode::unload(device::ModuleId id) {
  parts_.variables.remove_module(id);
  parts_.device.get().unload_module(id);
}

compiler::CompileOutput DeviceCode::compile(const compiler::CompileRequest& request) const {
  return parts_.parts.compile(request, limits_of(parts_.submission.wait_request()));
}

void DeviceCode::clear() {
  for (const auto& module : modules_.all()) parts_.device.get().unload_module(module->id);
  parts_.variables.clear();
  modules_.clear();
  program_.clear();
  functions_.clear();
  closures_.clear();
  types_.clear();
  definitions_.clear();
  constants_.values.clear();
}

Error DeviceCode::unknown_kernel(const Source& source, const std::string& name, cell::Span span) const {
  auto names = program_.kernel_names();
  auto error = Error(ErrorKind::name, fmt::format("the kernel {} is not defined", name)).at(source.place(span));
  if (program_.is_kernel_template(name)) {
    error.message = fmt::format("{} is a template: its arguments are missing", name);
    error.advice = fmt::format("Launch an instance: {}<float><<<grid, block>>>(...).", name);
  } else if (const auto near = nearest(name, names); !near.empty()) {
    error.advice = fmt::format("Did you mean {}?", near);
  } else if (names.empty()) {
    error.advice = "No cell has defined a kernel yet: __global__ void name(...) { ... }";
  } else {
    std::sort(names.begin(), names.end());
    error.advice = fmt::format("Kernels so far: {}.", fmt::join(names, ", "));
  }
  return error;
}

std::optional<Error> DeviceCode::no_kernel(const Source& source, const std::string& name, cell::Span span) const {
  for (const auto& known : modules_.names())
    if (known == name || known.ends_with("::" + name)) return std::nullopt;
  if (!program_.is_kernel_template(name) && !named_by_part(modules_, name).empty()) return std::nullopt;
  return unknown_kernel(source, name, span);
}

// As it is written, with other blanks in it, or by the last part of a qualified name; null when there is none.
const std::vector<Kernel>* DeviceCode::find_known(const std::string& name) const {
  if (const auto& found = modules_.find(name); !found.empty()) return &found;
  const std::vector<Kernel>* found = nullptr;
  if (name.find('<') != std::string::npos) {
    const auto wanted = without_blanks(name);
    for (const auto& known : modules_.names())
      if (without_blanks(known) == wanted) found = &modules_.find(known);
  } else if (name.find("::") == std::string::npos) {
    std::vector<std::string> qualified;  // what `using namespace` makes of it
    for (const auto& known : modules_.names())
      if (known.ends_with("::" + name)) qualified.push_back(known);
    if (qualified.size() == 1) found = &modules_.find(qualified.front());
  }
  return found;
}

bool DeviceCode::is_current(const Kernel& kernel) const {
  auto origin = kernel.module->origin;
  return program_.changes(origin).empty();
}

void DeviceCode::refresh(CellRun& run, const std::string& name) {
  const auto* found = find_known(name);
  const auto is_current = [&](const Kernel& one) { return one.module->origin.revision == program_.revision(); };
  if (found == nullptr || std::all_of(found->begin(), found->end(), is_current)) return;
  const auto kernels = *found;  // the table changes on the way
  for (const auto& kernel : kernels) {
    if (is_current(kernel)) continue;
    const auto& all = modules_.all();
    if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return one.get() == kernel.module; })) continue;
    auto& module = modules_.of(kernel);
    if (const auto changed = program_.changes(module.origin); !changed.empty()) compile_again(run, module, changed);
  }
}

void DeviceCode::compile_again(CellRun& run, const Module& old, const std::vector<compiler::Changed>& changed) {
  const Progress::Activity activity(parts_.progress, "compiling " + old.source);
  std::vector<std::string> kernels, causes;
  for (const auto& kernel : old.output.kernels) kernels.push_back(kernel.name);
  for (const auto& one : changed) causes.push_back(fmt::format("{} changed in {}", one.name, one.source));
  const auto what = fmt::format("{} of {}", fmt::join(kernels, ", "), old.source);
  auto output = compile(program_.again(old.origin));
  if (!output.ok)
    throw CompileFailure(
        compile_error(output, fmt::format("{}, compiled again because {},", what, fmt::join(causes, ", "))),
        output.diagnostics);
  auto again = made(std::move(output), old.source);
  again.origin = program_.compiled_now(old.origin);
  const auto& added = modules_.replace(old, std::move(again));
  parts_.variables.add_module(added.id, added.output.variables, added.info);
  for (const auto id : modules_.drop_unused()) unload(id);
  compiler::Diagnostic note{
      compiler::Severity::note,
      fmt::format("{} {} compiled again: {}", what, kernels.size() == 1 ? "is" : "are", fmt::join(causes, ", ")),
      {},
      {},
      {}};
  run.sink.display(display::diagnostics_bundle({std::move(note)}));
}

std::string DeviceCode::closures_in(std::string_view name) const {
  std::string text;
  std::unordered_set<std::string_view> found;
  const auto add = [&](const auto& self, std::string_view in) -> void {
    for (auto at = in.find(kClosure); at != in.npos; at = in.find(kClosure, at + 1)) {
      const auto known = closures_.find(std::string(in.substr(at, kClosure.size() + 16)));
      if (known == closures_.end() || !found.insert(known->first).second) continue;
      self(self, known->second);  // what it captures comes before it
      text += known->second;
    }
  };
  add(add, name);
  return text;
}

const std::vector<Kernel>& DeviceCode::find_kernels(CellRun& run, const std::string& name, cell::Span span) {
  refresh(run, name);
  static const std::vector<Kernel> none;
  const auto* found = find_known(name);
  if (found == nullptr) found = &none;
  const auto angle = name.find('<');
  if (found->empty() && angle != std::string::npos &&
      program_.is_kernel_template(std::string_view(name).substr(0, angle))) {
    const auto closures = closures_in(name);
    auto output = compile(program_.instantiate(name, closures));
    if (!output.ok) {
      for (auto& diagnostic : output.diagnostics)
        if (diagnostic.place.line == 0) diagnostic.place = run.source.place(span);
      throw CompileFailure(compile_error(output, name).at(run.source.place(span)), output.diagnostics);
    }
    // A header that is included may hold kernels beside the one that is meant.
    const auto lowered = std::find_if(output.lowered_names.begin(), output.lowered_names.end(),
                                      [&](const auto& one) { return one.first == name; });
    const auto entry = lowered == output.lowered_names.end() ? std::string() : lowered->second;
    auto& module = load(std::move(output), run.source.name);
    module.origin = program_.compiled_now({.instance = name, .declarations = closures});
    const auto& kernels = module.output.kernels;
    const auto instance =
        std::find_if(kernels.begin(), kernels.end(), [&](const auto& one) { return one.entry == entry; });
    if (instance == kernels.end())
      throw Error(ErrorKind::compile, fmt::format("{} yielded no kernel", name)).at(run.source.place(span));
    found = &modules_.find(instance->name);
  }
  if (found->empty() && !program_.is_kernel_template(name)) {
    const auto names = named_by_part(modules_, name);
    if (names.size() > 1)
      throw Error(ErrorKind::name, fmt::format("{} matches the names of {} kernels", name, names.size()))
          .at(run.source.place(span))
          .advise(fmt::format("Write more of the name: {}.", fmt::join(names, ", ")));
    if (!names.empty()) found = &modules_.find(names.front());
  }
  if (found->empty()) throw unknown_kernel(run.source, name, span);
  return *found;
}

}  // namespace xcuda::session
