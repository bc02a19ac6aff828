#include "session/host_functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "session/current.hpp"

namespace xcuda::session {
namespace {

std::vector<std::string> types_of(const cell::Cell& cell) {
  std::vector<std::string> names;
  for (const auto& piece : cell.device)
    if (piece.kind == cell::DeviceKind::type || piece.kind == cell::DeviceKind::alias) names.push_back(piece.name);
  return names;
}

// The name that a specialization of a function has in common with its template.
std::string without_arguments(const cell::DevicePiece& piece) {
  const bool named = cell::is_method(piece) || piece.name.find("operator") != std::string::npos;
  return named ? piece.name : piece.name.substr(0, piece.name.find('<'));
}

// "operator<", "Matrix::operator<": the sign opens nothing.
bool is_operator(std::string_view name) {
  const auto at = name.rfind("operator");
  return at != name.npos && (at == 0 || name[at - 1] == ':') && at + 8 < name.size() &&
         !cell::is_identifier_character(name[at + 8]);
}

bool have_same_parameters(const cell::HostFunction& a, const cell::HostFunction& b) {
  return a.is_const == b.is_const &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                    [](const cell::Declaration& one, const cell::Declaration& other) {
                      return one.type == other.type && one.is_const == other.is_const &&
                             one.declarators.front().reference == other.declarators.front().reference;
                    });
}

std::vector<std::string> parameters_of(std::string_view text, const cell::DevicePiece& piece) {
  auto own = cell::class_text(text, piece.span);
  return own ? std::move(own->template_parameters) : std::vector<std::string>();
}

}  // namespace

void HostFunctions::define(const CellRun& run, cell::Grammar grammar) {
  for (const auto& piece : run.cell->device) {
    if (piece.kind == cell::DeviceKind::type) begin_class(run.source.text, piece);
    if (piece.kind != cell::DeviceKind::function) continue;
    if (!is_operator(piece.name)) functions_.erase(without_arguments(piece));
    modules_.forget(piece.name);
  }
  if (run.cell->functions.empty()) return;
  const auto text = std::make_shared<const std::string>(run.source.text);
  const auto types = types_of(*run.cell);
  for (const auto& record : run.cell->records)
    for (const auto& piece : run.cell->device)
      if (piece.of_host && piece.kind == cell::DeviceKind::type && piece.name == record->name)
        records_[record->name] = {
            record, piece, run.source.name, text, types, run.cell->library, parameters_of(*text, piece), {}};
  for (const auto& function : run.cell->functions)
    for (const auto& piece : run.cell->device)
      if (piece.of_host && piece.kind == cell::DeviceKind::type && function->name == piece.name + "::")
        functions_[function->name] = {std::make_shared<KnownFunction>(KnownFunction{
            function, implicit_constructor(piece), run.source.name, text, types, grammar, {}, {}, run.cell->library})};
  for (const auto& function : run.cell->functions)
    for (const auto& piece : run.cell->device)
      if (piece.of_host && piece.span == function->span) {
        auto& known = functions_[without_arguments(piece)];
        if (is_operator(piece.name))  // those of other structs stay
          std::erase_if(known,
                        [&](const KnownFunctionPtr& one) { return have_same_parameters(*one->function, *function); });
        known.push_back(std::make_shared<KnownFunction>(
            KnownFunction{function, piece, run.source.name, text, types, grammar, {}, {}, run.cell->library}));
      }
}

void HostFunctions::add(const CellRun& run, const cell::DevicePiece& piece, const std::string& text) {
  auto& known = functions_[piece.name];
  if (!known.empty()) return;
  const auto types = types_of(*run.cell);
  const auto own = std::make_shared<const std::string>(text);
  auto function = cell::parse_function({*own, run.source.name, &piece, nullptr, types, {}, {}, run.cell->library});
  known.push_back(std::make_shared<KnownFunction>(
      KnownFunction{std::move(function), piece, run.source.name, own, types, nullptr, {}, {}, run.cell->library}));
}

// The functions that its name had are gone.
void HostFunctions::begin_class(std::string_view text, const cell::DevicePiece& type) {
  auto own = cell::class_text(text, type.span);
  const auto name = own ? own->name : type.name;
  std::erase_if(functions_, [&](const auto& known) { return known.first.starts_with(name + "::"); });
  if (const auto before = records_.find(name); before != records_.end()) records_.erase(before);
  auto& known = specializations_[name.substr(0, name.find('<'))];
  std::erase_if(known, [&](const auto& one) { return one.name == name; });
  if (name.find('<') != std::string::npos) known.push_back(std::move(*own));
}

std::string HostFunctions::class_of(const std::string& type) const {
  auto name = type.substr(0, type.find('<'));
  const auto known = specializations_.find(name);
  if (known == specializations_.end() || name.size() == type.size()) return name;
  std::size_t most = 0;
  std::string best;
  for (const auto& one : known->second)
    if (const auto special = cell::speciality(one, type); special && *special > most) {
      best = one.name;
      most = *special;
    }
  return best.empty() ? name : best;
}

cell::RecordPtr HostFunctions::record(std::string_view name) {
  if (auto standard = cell::standard_exception(name)) return standard;
  const auto found = records_.find(name.substr(0, name.find('<')));
  if (found == records_.end()) return nullptr;
  auto& known = found->second;
  if (known.parameters.empty()) return known.record;
  auto& made = known.instances[std::string(name)];
  if (made != nullptr) return made;
  const auto arguments = cell::template_arguments(name);
  std::map<std::string, std::string, std::less<>> given;
  for (std::size_t i = 0; i < std::min(arguments.size(), known.parameters.size()); ++i)
    given[known.parameters[i]] = arguments[i];
  auto instance = known.piece;
  instance.name = name;
  return made =
             cell::parse_record({*known.text, known.source, &instance, nullptr, known.types, given, {}, known.library});
}

const std::vector<KnownFunctionPtr>& HostFunctions::find(std::string_view name) const {
  static const std::vector<KnownFunctionPtr> kNone;
  if (name.starts_with("::")) name.remove_prefix(2);
  if (is_operator(name)) {
    const auto found = functions_.find(name);
    return found == functions_.end() ? kNone : found->second;
  }
  // "Buffer<float>::push" is a method; "scale<Mode::fast>" and "Buffer<Mode::fast>" have their "::" in the brackets.
  const auto open = name.find('<');
  auto close = open;
  for (int depth = 0; close < name.size(); ++close) {
    depth += name[close] == '<' ? 1 : name[close] == '>' ? -1 : 0;
    if (depth == 0) break;
  }
  const bool method = close < name.size() && name.find("::", close) != std::string_view::npos;
  const auto found = functions_.find(method ? name : name.substr(0, name.find('<')));
  return found == functions_.end() ? kNone : found->second;
}

constexpr std::uint64_t kFirstNumber = std::uint64_t{1} << 62;

std::uint64_t HostFunctions::number_of(const std::string& function) {
  if (function.empty()) return 0;
  const auto known = std::find(numbered_.begin(), numbered_.end(), function);
  const auto at = static_cast<std::uint64_t>(known - numbered_.begin());
  if (known == numbered_.end()) numbered_.push_back(function);
  return kFirstNumber + at;
}

std::string HostFunctions::function_at(std::uint64_t number) const {
  const auto at = number - kFirstNumber;
  return number >= kFirstNumber && at < numbered_.size() ? numbered_[at] : std::string();
}

cell::DevicePiece implicit_constructor(const cell::DevicePiece& record) {
  cell::DevicePiece piece;
  piece.kind = cell::DeviceKind::function;
  piece.name = piece.key = record.name + "::";
  piece.type = "void";
  piece.span = piece.name_span = record.name_span;
  piece.of_class = record.span;
  return piece;
}

const cell::HostFunction& make_host_function(CellRun& run, cell::DevicePiece& piece, cell::Grammar grammar,
                                             std::optional<Error> complaint) {
  piece.of_host = true;
  run.cell->functions.push_back(cell::parse_function({run.source.text,
                                                      run.source.name,
                                                      &piece,
                                                      grammar,
                                                      types_of(*run.cell),
                                                      {},
                                                      std::move(complaint),
                                                      run.cell->library}));
  return *run.cell->functions.back();
}

namespace {

// A function of a struct that the compiler complains about becomes a piece of its own, which can be set aside.
void add_methods_of_complaints(CellRun& run, const std::vector<compiler::Diagnostic>& diagnostics) {
  const auto pieces = run.cell->device;
  for (const auto& type : pieces) {
    if (type.kind != cell::DeviceKind::type || type.nesting > 0) continue;
    auto own = cell::class_text(run.source.text, type.span);
    if (!own || !own->simple) continue;
    std::erase_if(own->methods, [&](const cell::DevicePiece& method) {
      const auto first = line_column(run.source.text, method.span.begin).line;
      const auto last = line_column(run.source.text, method.body.end).line;
      const bool known =
          std::any_of(pieces.begin(), pieces.end(), [&](const auto& one) { return one.span == method.span; });
      return known || method.annotated || std::none_of(diagnostics.begin(), diagnostics.end(), [&](const auto& one) {
               return one.severity == compiler::Severity::error && one.place.source == run.source.name &&
                      one.place.line >= first && one.place.line <= last;
             });
    });
    cell::add_methods(run.cell->device, type, own->methods);
  }
}

}  // namespace

bool set_aside(CellRun& run, cell::Grammar grammar, const std::vector<compiler::Diagnostic>& diagnostics) {
  bool any = false;
  add_methods_of_complaints(run, diagnostics);
  for (auto& piece : run.cell->device) {
    const bool prototype = piece.kind == cell::DeviceKind::prototype && piece.nesting == 0 && !piece.kernel;
    if (piece.of_host || (!prototype && !cell::is_method(piece) && !cell::may_be_of_host(piece, run.source.text)))
      continue;
    const auto first = line_column(run.source.text, piece.span.begin).line;
    const auto last = line_column(run.source.text, std::max(piece.span.end, piece.body.end)).line;
    const auto complaint = std::find_if(diagnostics.begin(), diagnostics.end(), [&](const auto& one) {
      return one.severity == compiler::Severity::error && one.place.source == run.source.name &&
             one.place.line >= first && one.place.line <= last;
    });
    if (complaint == diagnostics.end()) continue;
    any = true;
    if (prototype) {  // of a function that statements run
      piece.of_host = true;
      continue;
    }
    make_host_function(run, piece, grammar,
                       Error(ErrorKind::compile, fmt::format("{} does not compile", piece.name))
                           .at(complaint->place)
                           .said(complaint->text)
                           .advise("A cell with main() runs host code as nvcc compiles it: %%cuda."));
  }
  return any;
}

}  // namespace xcuda::session
