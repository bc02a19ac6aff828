#include "compiler/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cell/constructors.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "compiler/assembly.hpp"
#include "compiler/both_sides.hpp"
#include "compiler/header_names.hpp"
#include "compiler/host/host_source.hpp"
#include "compiler/host/wrapping_source.hpp"
#include "compiler/program_state.hpp"
#include "compiler/type_layout.hpp"
#include "compiler/unit.hpp"

namespace xcuda::compiler {
namespace {

using cell::DeviceKind;

// "scale(float*, int)"; of a template and of extern "C" the name alone.
std::string signature_text(const cell::DevicePiece& function) {
  const auto& key = function.key;
  if (function.is_template || function.extern_c) return function.name;
  std::string text;
  for (const char c : key.substr(0, key.find(';'))) text += c == ',' ? ", " : std::string(1, c);
  return text;
}

// Puts lines of #include before everything.
void put_in_front(CompileRequest& request, const std::string& includes) {
  if (includes.empty()) return;
  for (auto* source : {&request.source, &request.whole_source})
    if (source == &request.source || !source->empty()) source->insert(0, includes);
  std::erase(request.options, "--minimal");
}

// The definition of a type in the body of another; empty when there is none.
std::string_view nested_type(std::string_view definition, std::string_view name) {
  const auto tokens = cell::tokens_of(definition);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || !(tokens[i - 1].is("struct") || tokens[i - 1].is("class") || tokens[i - 1].is("union")))
      continue;
    if (tokens[i + 1].is("{") || tokens[i + 1].is(":")) return definition.substr(tokens[i - 1].span.begin);
  }
  return {};
}

void use_host_functions(CompileRequest& request, Arithmetic arithmetic) {
  const auto functions = host_math_source(), overloads = host_math_overloads();
  for (auto* source : {&request.source, &request.whole_source}) {
    if (source->empty()) continue;
    if (arithmetic == Arithmetic::host) *source = with_wrapping_arithmetic(*source);
    if (arithmetic != Arithmetic::host_unchecked) *source = with_checked_shifts(*source);
    take_branches_of_host(*source);
    *source = overloads + *source + functions;
  }
}

bool is_kernel_definition(const Piece& piece) { return piece.info.kernel && piece.info.kind == DeviceKind::function; }

}  // namespace

const Unit* Program::State::unit_of_cell(const std::string& cell_id) const {
  if (cell_id.empty()) return nullptr;
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit->cell_id == cell_id; });
  return found == units.end() ? nullptr : found->get();
}

std::vector<const Unit*> Program::State::all_but(const Unit* left_out) const {
  std::vector<const Unit*> list;
  for (const auto& unit : units)
    if (unit.get() != left_out) list.push_back(unit.get());
  return list;
}

std::vector<const Unit*> Program::State::known() const {
  std::vector<const Unit*> list;
  for (const auto* all : {&headers, &units})
    for (const auto& unit : *all) list.push_back(unit.get());
  return list;
}

bool Program::State::is_header(const Unit* unit) const {
  return std::any_of(headers.begin(), headers.end(), [&](const auto& one) { return one.get() == unit; });
}

// By its qualified name, or by the last part where that is enough to tell.
std::vector<PieceAt> Program::State::kernel_templates(std::string_view name) const {
  while (name.starts_with("::")) name.remove_prefix(2);
  std::vector<PieceAt> exact, by_last_part;
  std::unordered_set<std::string> qualified;
  for (const auto* unit : known())
    for (std::size_t i = 0; i < unit->pieces.size(); ++i) {
      const auto& piece = unit->pieces[i];
      if (!piece.info.kernel || !piece.info.is_template || piece.dead) continue;
      const auto base = std::string_view(piece.info.name).substr(0, piece.info.name.find('<'));
      if (base == name) exact.push_back({unit, i});
      if (last_part(base) == name) {
        by_last_part.push_back({unit, i});
        qualified.insert(std::string(base));
      }
    }
  if (!exact.empty()) return exact;
  return qualified.size() == 1 ? by_last_part : std::vector<PieceAt>{};
}

Program::Program() : state_(std::make_unique<State>()) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

bool Program::has_device_code(const cell::Cell& cell) {
  return std::any_of(cell.device.begin(), cell.device.end(), [](const auto& piece) { return !piece.of_host; });
}

CompileRequest Program::assemble(const CellCode& code) const {
  const auto unit = make_unit(code);
  return of_cell(unit, Assembly(state_->all_but(state_->unit_of_cell(code.cell_id)), &unit, code.options));
}

CompileRequest Program::of_cell(const Unit& unit, Assembly assembly) {
  auto request = assembly.finish();
  request.name = unit.path;
  std::unordered_set<std::string> candidates;
  for (const auto& piece : unit.pieces) {
    if (is_kernel_definition(piece)) {
      request.kernels.push_back(kernel_source(unit, piece));
      if (piece.info.extern_c && !piece.info.is_template && candidates.insert(piece.info.name).second)
        request.extern_c_candidates.push_back(piece.info.name);
    }
    if (piece.info.device_variable)
      request.variables.push_back({piece.info.name, piece.info.type, unit.name, piece.info.constant_variable});
  }
  return request;
}

Replaced Program::commit(const CellCode& code) {
  ++state_->revision;
  auto unit = std::make_unique<Unit>(make_unit(code));
  auto& units = state_->units;
  const auto* old = state_->unit_of_cell(code.cell_id);
  state_->see_macros(*unit, state_->all_but(old));

  Replaced replaced;
  replaced.origin.used = Assembly(state_->all_but(old), unit.get(), unit->options).used();
  replaced.origin.revision = state_->revision;
  const auto bury = [&](Piece& piece, const std::vector<Piece>& newer) {
    piece.dead = true;
    const auto& info = piece.info;
    const bool same =
        std::any_of(newer.begin(), newer.end(), [&](const Piece& one) { return one.info.key == info.key; });
    if (info.kernel && (!same || info.is_template))
      replaced.kernels.push_back(info.name.substr(0, info.is_template ? info.name.find('<') : std::string::npos));
    else if (info.device_variable)
      replaced.variables.push_back(info.name);
    else if (info.kind == DeviceKind::type || info.kind == DeviceKind::alias)
      replaced.types.push_back(info.name);
    else if (info.kind == DeviceKind::function && !info.kernel)
      replaced.functions.push_back(info.name);
  };
  for (auto& other : units)
    for (auto& piece : other->pieces) {
      if (piece.dead || piece.info.container || piece.is_include()) continue;
      const bool again = std::any_of(unit->pieces.begin(), unit->pieces.end(), [&](const Piece& newer) {
        if (newer.info.key.empty()) return false;
        if (newer.info.directive == "undef") return piece.is_macro() && piece.info.name == newer.info.value;
        if (!replaces(newer, piece, unit->overloads)) return false;
        if (other.get() != old && piece.info.kind == DeviceKind::function)
          replaced.elsewhere.push_back({signature_text(piece.info), other->name, newer.info.name_span,
                                        newer.info.key == piece.info.key ? ReplacedFunction::Parameters::same
                                                                         : ReplacedFunction::Parameters::other});
        return true;
      });
      if (other.get() == old || again) bury(piece, unit->pieces);
    }

  replaced.origin.unit = unit->id = old != nullptr ? old->id : state_->next_id++;
  const auto place = std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.get() == old; });
  const int newest = unit->id;
  const bool holds_something = !unit->pieces.empty();
  if (old == nullptr) {
    if (holds_something) units.push_back(std::move(unit));
  } else if (holds_something) {
    *place = std::move(unit);
  } else {
    units.erase(place);
  }
  // A unit stays while anything in it is alive; its macros may be wanted by others that saw them.
  std::erase_if(units, [](const auto& one) {
    return std::all_of(one->pieces.begin(), one->pieces.end(),
                       [](const Piece& piece) { return piece.dead || piece.info.container; });
  });

  state_->headers = units_of_headers(units);

  // An overload that lives on in another cell keeps the name.
  std::erase_if(replaced.kernels, [&](const std::string& name) {
    return std::any_of(units.begin(), units.end(), [&](const auto& one) {
      return one->id != newest && std::any_of(one->pieces.begin(), one->pieces.end(), [&](const Piece& piece) {
               return !piece.dead && piece.info.kernel && piece.info.name == name;
             });
    });
  });
  return replaced;
}

// What the cell sees of others' macros is what they mean to it from now on.
void Program::State::see_macros(Unit& unit, const std::vector<const Unit*>& others) {
  std::unordered_set<std::string> used;
  for (const auto& piece : unit.pieces) used.insert(piece.uses.begin(), piece.uses.end());
  bool more = true;
  while (more) {
    more = false;
    for (const auto* other : others)
      for (const auto& piece : other->pieces) {
        if (piece.dead || !piece.is_macro() || !used.contains(piece.info.name)) continue;
        if (std::any_of(unit.seen.begin(), unit.seen.end(),
                        [&](const SeenMacro& seen) { return seen.name == piece.info.name; }))
          continue;
        unit.seen.push_back({piece.info.name, std::string(other->text_of(piece))});
        used.insert(piece.uses.begin(), piece.uses.end());
        more = true;
      }
  }
}

CompileRequest Program::instantiate(std::string_view expression, std::string_view declarations) const {
  const auto name = trim(expression.substr(0, expression.find('<')));
  const auto templates = state_->kernel_templates(name);
  if (templates.empty()) {
    auto names = kernel_names();
    const auto near = nearest(name, names);
    throw Error(ErrorKind::name, fmt::format("the kernel template {} is not defined", name))
        .advise(near.empty() ? "%info lists the kernels." : fmt::format("Did you mean {}?", near));
  }
  const auto& unit = *templates.front().unit;
  Assembly assembly(state_->all_but(nullptr), nullptr, unit.options);
  for (const auto& at : templates)
    if (!state_->is_header(at.unit)) assembly.need_kernel(at);
  assembly.need_text(expression);
  assembly.need_text(declarations);
  auto request = assembly.finish();
  if (!declarations.empty())
    for (auto* source : {&request.source, &request.whole_source})
      if (!source->empty()) *source += fmt::format("\n#line 1 \"/xcuda/lambda\"\n{}", declarations);
  request.name = unit.path;
  for (const auto& at : templates) request.kernels.push_back(kernel_source(*at.unit, at.unit->pieces[at.piece]));
  request.name_expressions.emplace_back(expression);
  return request;
}

namespace {

// Statements and displays see all members of a struct, and the statements of its functions its types.
std::string with_access(const std::string& text) {
  if (text.find("class") == std::string::npos && text.find("private") == std::string::npos &&
      text.find("protected") == std::string::npos)
    return text;
  std::string result;
  std::size_t done = 0;
  std::string_view before;
  for (const auto& token : cell::tokens_of(text)) {
    const bool head = token.is("class") && cell::begins_struct(token.text, before);
    const std::string_view instead = head                                           ? "struct"
                                     : token.is("private") || token.is("protected") ? "public"
                                                                                    : std::string_view();
    before = token.text;
    if (instead.empty()) continue;
    result.append(text, done, token.span.begin - done).append(instead);
    done = token.span.end;
  }
  return result.append(text, done);
}

}  // namespace

namespace {

// The names of a struct's members after those of its bases; one that hides another is listed once.
template <class Units>
void add_member_names(const Units& units, std::string_view definition, std::set<std::string>& bases,
                      std::vector<std::string>& names) {
  for (const auto& base : cell::special_members(definition).bases) {
    if (!bases.insert(base).second) continue;
    for (const auto* unit : units)
      for (const auto& piece : unit->pieces)
        if (!piece.dead && piece.info.kind == DeviceKind::type && last_part(piece.info.name) == base &&
            piece.info.name.find('<') == std::string::npos)
          add_member_names(units, unit->text_of(piece), bases, names);
  }
  for (auto& name : member_names(definition))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

}  // namespace

CompileRequest Program::type_query(std::string_view type, const CompileOptions& options) const {
  Assembly assembly(state_->all_but(nullptr), nullptr, options);
  assembly.need_text(type);
  auto request = assembly.finish();
  request.source = with_access(request.source);
  request.name = "/xcuda/type";
  request.type_query = TypeQuery{std::string(trim(type)), {}};
  put_in_front(request, cell::library_includes(type));
  request.type_query->members = cell::library_members(trim(type));
  const auto name = last_part(trim(type));
  cell::MostSpecial special(trim(type));
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces) {
      // "typedef struct { ... } P;" is a definition, too.
      const auto text = unit->text_of(piece);
      const bool body = piece.info.kind == DeviceKind::alias && text.find('{') != std::string_view::npos;
      if (piece.dead || (piece.info.kind != DeviceKind::type && !body) || last_part(piece.info.name) != name) continue;
      if (!special.takes(text)) continue;
      request.type_query->members.clear();
      std::set<std::string> bases;
      add_member_names(state_->known(), text, bases, request.type_query->members);
    }
  const auto scope = trim(type).rfind("::");  // of a type in another one's body
  if (!request.type_query->members.empty() || scope == std::string_view::npos) return request;
  const auto outer = last_part(trim(type).substr(0, scope));
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces)
      if (!piece.dead && piece.info.kind == DeviceKind::type && last_part(piece.info.name) == outer)
        request.type_query->members = member_names(nested_type(unit->text_of(piece), name));
  return request;
}

CompileRequest Program::extend(const Addition& addition, const CompileOptions& options) const {
  Assembly assembly(state_->all_but(nullptr), nullptr, options);
  assembly.need_text(addition.names);
  auto request = assembly.finish();
  if (addition.arithmetic != Arithmetic::device) request.source = with_access(request.source);
  request.name = "/xcuda/expression";
  for (auto* source : {&request.source, &request.whole_source})
    if (source == &request.source || !source->empty()) *source += "#line 1 \"/xcuda/expression\"\n" + addition.source;
  put_in_front(request, addition.includes + cell::library_includes(addition.names + " " + addition.source));
  if (addition.arithmetic != Arithmetic::device) round_each_operation(request.options);
  if (addition.arithmetic != Arithmetic::device && addition.arithmetic != Arithmetic::rounded)
    use_host_functions(request, addition.arithmetic);
  return request;
}

std::uint64_t Program::revision() const { return state_->revision; }

cell::LibraryScope Program::library_scope() const {
  cell::LibraryScope scope;
  for (const auto& unit : state_->units)
    for (const auto& piece : unit->pieces) {
      const auto& info = piece.info;
      if (piece.dead) continue;
      scope.know(info);
      for (const std::string_view word : {"using", "typedef", "namespace"})
        if (info.nesting == 0 && unit->text_of(piece).starts_with(word)) scope.add(unit->text_of(piece));
      if (info.kind == DeviceKind::type && info.of_host) scope.add_record(info.name);
    }
  return scope;
}

bool Program::is_function(std::string_view name) const {
  if (name.find("operator") == std::string_view::npos) name = name.substr(0, name.find('<'));
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces)
      if (!piece.dead && piece.info.kind == DeviceKind::function && !piece.info.kernel && !piece.info.of_host &&
          (piece.info.name == name || last_part(piece.info.name) == last_part(name)))
        return true;
  return false;
}

std::optional<cell::Macro> Program::function_macro(std::string_view name) const {
  std::optional<cell::Macro> newest;
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces)
      if (!piece.dead && piece.is_macro() && piece.info.function_like_macro && piece.info.name == name)
        newest = cell::Macro{piece.info.parameter_names, piece.info.value};
  return newest;
}

bool Program::is_kernel_template(std::string_view name) const {
  return !state_->kernel_templates(name.substr(0, name.find('<'))).empty();
}

std::vector<std::string> Program::kernel_names() const {
  std::vector<std::string> names;
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces)
      if (!piece.dead && is_kernel_definition(piece)) names.push_back(piece.info.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<HostConstant> Program::host_constant(std::string_view name) const {
  std::optional<HostConstant> newest;
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces) {
      if (piece.dead || piece.host_constant) continue;
      const auto& info = piece.info;
      const bool macro = piece.is_macro() && !info.function_like_macro;
      if ((info.constexpr_variable || macro) && !info.value.empty() && info.name == name)
        newest = HostConstant{info.name, info.constexpr_variable ? info.type : "", info.value, unit->name,
                              macro ? HostConstant::Kind::macro : HostConstant::Kind::variable};
      // One without an initialiser counts on from the last that has one.
      std::string_view start = "0";
      std::size_t from = 0;
      for (std::size_t i = 0; i < info.enumerators.size(); ++i) {
        const auto& [enumerator, initialiser] = info.enumerators[i];
        if (!initialiser.empty()) start = initialiser, from = i;
        if (enumerator == name)
          newest = HostConstant{enumerator, "", fmt::format("({}) + {}", start, i - from), unit->name,
                                HostConstant::Kind::enumerator};
      }
    }
  return newest;
}

std::string Program::source_of(std::string_view name) const {
  std::string text;
  for (const auto* unit : state_->known())
    for (const auto& piece : unit->pieces) {
      const bool same = piece.info.name == name || last_part(piece.info.name) == name;
      if (piece.dead || piece.info.container || piece.info.directive == "include" || !same) continue;
      if (!text.empty()) text += "\n\n";
      text += fmt::format("// {}, line {}\n{}", unit->name, line_of(unit->text, piece.info.span.begin),
                          unit->text_of(piece));
    }
  return text;
}

void Program::clear() {
  state_->units.clear();
  state_->headers.clear();
  ++state_->revision;
}

}  // namespace xcuda::compiler
