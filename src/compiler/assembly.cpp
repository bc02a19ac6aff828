#include "compiler/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "compiler/both_sides.hpp"
#include "compiler/device_linker.hpp"
#include "compiler/include_families.hpp"
#include "compiler/on_demand.hpp"

namespace xcuda::compiler {
namespace {

std::vector<std::string> folders_of(const Unit& unit) { return unit.options.include_folders; }

bool is_conditional(const Piece& piece) { return piece.info.container && piece.info.directive.starts_with("if"); }

// #define, with a line break in the replacement kept.
std::string define_text(const Unit& unit, const Piece& piece) { return std::string(unit.text_of(piece)); }

}  // namespace

PieceIndex index_of(const std::vector<const Unit*>& units) {
  std::unordered_set<std::string_view> namespaces;
  for (const auto* unit : units)
    for (const auto& piece : unit->pieces)
      if (piece.info.kind == cell::DeviceKind::name_space && !piece.names.empty())
        namespaces.insert(piece.names.back());
  PieceIndex index;
  for (const auto* unit : units)
    for (std::size_t i = 0; i < unit->pieces.size(); ++i) {
      const auto& piece = unit->pieces[i];
      if (piece.dead || piece.info.of_host) continue;
      for (const auto& name : piece.names)
        if (piece.info.kind == cell::DeviceKind::name_space || !namespaces.contains(name))
          index.emplace(name, PieceAt{unit, i});
    }
  return index;
}

Assembly::Assembly(std::vector<const Unit*> units, const Unit* cell, const CompileOptions& options)
    : units_(std::move(units)), cell_(cell), options_(options), index_(index_of(units_)) {}

// --- What is needed --------------------------------------------------------------------------------------------------

bool Assembly::is_needed(const Unit& unit, std::size_t piece) const {
  const auto found = needed_.find(&unit);
  return found != needed_.end() && found->second.contains(piece);
}

void Assembly::need_text(std::string_view text) {
  for (auto& name : identifiers_of(text)) need_name(name);
}

void Assembly::need_name(const std::string& name) {
  names_.insert(name);
  if (wanted_.insert(name).second) pending_.push_back(name);
}

void Assembly::need_own_name(const std::string& name) {
  if (!allowed_ || allowed_->contains(name))
    need_name(name);
  else
    names_.insert(name);
}

void Assembly::restrict_to(const std::map<std::string, std::string>& used) {
  allowed_.emplace();
  for (const auto& [name, text] : used)
    for (auto& part : parts_of(name)) allowed_->insert(std::move(part));
}

bool Assembly::is_replaced(const Piece& piece) const {
  return cell_ != nullptr && std::any_of(cell_->pieces.begin(), cell_->pieces.end(), [&](const Piece& own) {
           return !own.info.key.empty() && replaces(own, piece, cell_->overloads);
         });
}

std::map<std::string, std::string> Assembly::used() {
  close();
  std::map<std::string, std::string> used;
  for (const auto* unit : units_)
    if (const auto found = needed_.find(unit); found != needed_.end())
      for (const auto piece : found->second)
        if (auto name = definition_name(unit->pieces[piece]); !name.empty())
          used[std::move(name)] += unit->text_of(unit->pieces[piece]);
  return used;
}

void Assembly::need_piece(const PieceAt& at) {
  if (!needed_[at.unit].insert(at.piece).second) return;
  const auto& piece = piece_of(at);
  need_kernels_of(*at.unit, piece);
  for (const auto& name : piece.uses) need_name(name);
  if (piece.parent >= 0) need_piece({at.unit, static_cast<std::size_t>(piece.parent)});
  // An #if is taken as a whole: its branches belong together.
  if (is_conditional(piece))
    for (std::size_t i = 0; i < at.unit->pieces.size(); ++i)
      if (at.unit->pieces[i].parent == static_cast<int>(at.piece) && !at.unit->pieces[i].info.kernel)
        need_piece({at.unit, i});
}

void Assembly::need_kernel(const PieceAt& kernel) { need_piece(kernel); }

// Kernels of earlier cells are taken by those that may launch them.
void Assembly::need_kernels_of(const Unit& unit, const Piece& piece) {
  if (piece.info.container || !launches_kernels(unit.text_of(piece))) return;
  for (const auto& name : piece.uses)
    if ((&unit != cell_ || !allowed_ || allowed_->contains(name)) && launched_.insert(name).second)
      pending_.push_back(name);
}

// Every name in its initialiser is a constant of device code: `const int m = n;` with a variable n is not one.
bool Assembly::is_constant(const Piece& host_constant) const {
  return std::all_of(host_constant.needs.begin(), host_constant.needs.end(), [&](const std::string& name) {
    const auto gives = [&](const Piece& piece) {
      return !piece.dead &&
             (piece.host_constant || piece.is_macro() || piece.info.constexpr_variable ||
              !piece.info.enumerators.empty()) &&
             std::find(piece.names.begin(), piece.names.end(), name) != piece.names.end();
    };
    if (cell_ != nullptr && std::any_of(cell_->pieces.begin(), cell_->pieces.end(), gives)) return true;
    const auto [first, last] = index_.equal_range(name);
    return std::any_of(first, last, [&](const auto& entry) { return gives(piece_of(entry.second)); });
  });
}

void Assembly::close() {
  if (cell_ != nullptr)
    for (std::size_t i = 0; i < cell_->pieces.size(); ++i)
      if (const auto& piece = cell_->pieces[i]; !piece.host_constant && !piece.info.of_host) {
        need_kernels_of(*cell_, piece);
        for (const auto& name : piece.uses) need_own_name(name);
      }
  // A specialisation or an explicit instance of a kernel template of an earlier cell needs that template.
  if (cell_ != nullptr)
    for (const auto& piece : cell_->pieces) {
      if (!piece.info.is_template ||
          (piece.info.kind != cell::DeviceKind::other && piece.info.name.find('<') == std::string::npos))
        continue;
      for (const auto& name : piece.uses) {
        const auto [first, last] = index_.equal_range(name);
        for (auto at = first; at != last; ++at)
          if (const auto& other = piece_of(at->second);
              other.info.kernel && other.info.is_template && !is_replaced(other))
            need_piece(at->second);
      }
    }
  for (const auto* unit : units_)
    for (std::size_t i = 0; i < unit->pieces.size(); ++i)
      if (const auto& piece = unit->pieces[i]; piece.standing && !piece.dead && !is_replaced(piece))
        need_piece({unit, i});
  while (!pending_.empty()) {
    const auto name = std::move(pending_.back());
    pending_.pop_back();
    // A constant among the cell's own statements comes before one of an earlier cell.
    bool own = false;
    if (cell_ != nullptr && wanted_.contains(name))
      for (std::size_t i = 0; i < cell_->pieces.size(); ++i)
        if (const auto& piece = cell_->pieces[i]; piece.host_constant && piece.info.name == name) {
          if (!piece.dead && is_constant(piece)) need_piece({cell_, i});
          own = true;
        }
    if (own) continue;
    const auto [first, last] = index_.equal_range(name);
    for (auto at = first; at != last; ++at) {
      const auto& piece = piece_of(at->second);
      if (!(piece.info.kernel ? launched_ : wanted_).contains(name) || is_replaced(piece)) continue;
      if (piece.info.kernel && !is_needed(*at->second.unit, at->second.piece)) only_launched_.push_back(at->second);
      if (!piece.host_constant || is_constant(piece)) need_piece(at->second);
    }
  }
}

// Units in which a needed piece uses a name of another unit come after that one; else the order of the cells.
std::vector<const Unit*> Assembly::ordered() const {
  std::unordered_map<const Unit*, int> state;  // 1: being visited, 2: done
  std::vector<const Unit*> order;
  const std::function<void(const Unit*)> visit = [&](const Unit* unit) {
    if (auto& now = state[unit]; now != 0)
      return;
    else
      now = 1;
    if (const auto found = needed_.find(unit); found != needed_.end())
      for (const auto i : found->second)
        for (const auto& name : unit->pieces[i].uses) {
          const auto [first, last] = index_.equal_range(name);
          // Among overloads and specialisations of one name the order of the cells counts.
          const auto& own = unit->pieces[i].names;
          const bool defines = std::find(own.begin(), own.end(), name) != own.end();
          for (auto at = first; at != last; ++at)
            if (at->second.unit != unit && (!defines || at->second.unit->id < unit->id) &&
                is_needed(*at->second.unit, at->second.piece) && !piece_of(at->second).is_macro())
              visit(at->second.unit);
        }
    state[unit] = 2;
    order.push_back(unit);
  };
  for (const auto* unit : units_) visit(unit);
  return order;
}

// --- Text ------------------------------------------------------------------------------------------------------------

std::string Assembly::include_line(const Unit& unit, const Piece& piece) {
  if (piece.info.name == "cuda_profiler_api.h") return {};  // statements have it
  includes_seen_ = true;
  auto search = folders_of(unit);
  for (const auto& folder : options_.include_folders) search.push_back(folder);
  if (auto name = include_name(piece.info.value)) {
    const auto at = line_column(unit.text, piece.info.span.begin);
    name->place = {unit.name, at.line, at.column, 0, std::string(line_text(unit.text, at.line))};
    if (const auto path = headers_.find(*name, unit.folder, search)) return fmt::format("#include \"{}\"", *path);
  }
  return std::string(unit.text_of(piece));
}

KeptText Assembly::kept_pieces(const Unit& unit) const {
  KeptText kept(unit.text);
  // Parents come before their pieces, so an inner decision overrides.
  for (std::size_t i = 0; i < unit.pieces.size(); ++i) {
    const auto& piece = unit.pieces[i];
    if (piece.parent >= 0 && piece.info.of_host) {  // also a function of a struct
      kept.drop(piece.info.span);
      continue;
    }
    if (piece.parent >= 0 && !unit.pieces[static_cast<std::size_t>(piece.parent)].info.container)
      continue;  // int a, b;
    if (piece.host_constant && is_needed(unit, i)) kept.insert(piece.info.span.begin, "[[maybe_unused]] ");
    if (is_needed(unit, i) && !piece.is_include() && !piece.info.of_host)
      kept.keep(piece.info.span);
    else
      kept.drop(piece.info.span);
  }
  change_host_annotations(unit, kept);
  return kept;
}

std::string Assembly::option_macros() const {
  std::string text;
  for (const auto& [name, value] : options_.macros) text += fmt::format("#define {} {}\n", name, value);
  for (const auto& name : options_.undefined) text += fmt::format("#undef {}\n", name);
  return text.empty() ? text : "#line 1 \"/xcuda/options\"\n" + text;
}

bool Assembly::is_left_out(const Piece& include) const {
  const auto name = include_name(include.info.value);
  return !options_.precompiled_headers && include.parent < 0 && name && !name->quoted &&
         may_be_left_out(name->name, names_);
}

// Includes of an earlier cell, with the macros defined in front of them there and the #if around them.
std::string Assembly::includes(const Unit& unit, Includes which) {
  KeptText kept(unit.text);
  std::vector<std::string> defined;
  std::vector<std::size_t> macros;
  bool any = false;
  for (std::size_t i = 0; i < unit.pieces.size(); ++i) {
    const auto& piece = unit.pieces[i];
    if (piece.is_macro() && piece.parent < 0) macros.push_back(i);
    if (!piece.is_include() || piece.dead || (which == Includes::needed && is_left_out(piece))) continue;
    any = true;
    for (int parent = piece.parent; parent >= 0; parent = unit.pieces[static_cast<std::size_t>(parent)].parent) {
      const auto& container = unit.pieces[static_cast<std::size_t>(parent)];
      if (!is_conditional(container)) continue;
      kept.keep(container.info.span);
      for (const auto& inner : unit.pieces)
        if (inner.parent == parent && !inner.is_include() && inner.info.directive.empty()) kept.drop(inner.info.span);
    }
    for (const auto macro : macros) {
      kept.keep(unit.pieces[macro].info.span);
      defined.push_back(unit.pieces[macro].info.name);
    }
    macros.clear();
    kept.keep(piece.info.span);
    kept.replace_line(piece.info.span.begin, include_line(unit, piece));
  }
  if (!any) return {};
  auto text = kept.compact(unit.path);
  for (const auto& name : defined) text += fmt::format("#undef {}\n", name);
  return text;
}

// For --pch: the includes that depend on nothing, each once, at the very top and without #line, where NVRTC can keep
// what they compile to. The cell's own first ones too; they are read as nothing a second time.
std::string Assembly::raw_includes(const std::vector<const Unit*>& order) {
  if (!options_.precompiled_headers) return {};
  std::vector<std::string> lines;
  const auto add = [&](const Unit& unit) {
    for (const auto& piece : unit.pieces) {
      if (piece.host_constant || piece.info.directive == "pragma") continue;
      if (!piece.is_include() || piece.parent >= 0) break;
      auto line = std::string(trim(include_line(unit, piece)));
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    }
  };
  for (const auto* unit : order) add(*unit);
  if (cell_ != nullptr) add(*cell_);
  // What is kept ends at the first token that is not a directive.
  return lines.empty() ? "" : fmt::format("{}\nstatic_assert(true);\n", fmt::join(lines, "\n"));
}

// The newest definition, the cell's own before all others; where it has none any more, the one that was seen.
std::string Assembly::macro_of(const SeenMacro& macro) const {
  std::string text = macro.directive;
  const auto take = [&](const Unit& unit) {
    for (const auto& piece : unit.pieces)
      if (piece.is_macro() && !piece.dead && piece.info.name == macro.name) text = define_text(unit, piece);
  };
  for (const auto* unit : units_) take(*unit);
  if (cell_ != nullptr) take(*cell_);
  return text;
}

std::string Assembly::body(const Unit& unit) {
  auto kept = kept_pieces(unit);
  if (kept.empty()) return {};
  std::string text, after;
  std::unordered_set<std::string_view> own;
  for (std::size_t i = 0; i < unit.pieces.size(); ++i) {
    const auto& piece = unit.pieces[i];
    if (!piece.is_macro() || piece.parent >= 0) continue;
    own.insert(piece.info.name);
    kept.keep(piece.info.span);  // whatever another cell made of the name since
    after += fmt::format("#undef {}\n", piece.info.name);
  }
  for (const auto& [name, value] : unit.options.macros) {
    text += fmt::format("#undef {}\n#define {} {}\n", name, name, value);
    after += fmt::format("#undef {}\n", name);
  }
  for (const auto& macro : unit.seen) {
    if (own.contains(macro.name)) continue;
    text += fmt::format("#undef {}\n{}\n", macro.name, macro_of(macro));
    after += fmt::format("#undef {}\n", macro.name);
  }
  if (!text.empty()) text.insert(0, "#line 1 \"/xcuda/macros\"\n");
  text += kept.compact(unit.path);
  return text + after;
}

std::string Assembly::live_macros() const {
  std::unordered_set<std::string_view> own;
  if (cell_ != nullptr)
    for (const auto& piece : cell_->pieces)
      if (piece.is_macro() && piece.parent < 0) own.insert(piece.info.name);
  std::string text;
  for (const auto* unit : units_)
    for (std::size_t i = 0; i < unit->pieces.size(); ++i)
      if (const auto& piece = unit->pieces[i];
          piece.is_macro() && !piece.dead && is_needed(*unit, i) && !own.contains(piece.info.name))
        text += define_text(*unit, piece) + '\n';
  return text;
}

std::string Assembly::cell_text() {
  if (cell_ == nullptr) return {};
  KeptText kept(cell_->text);
  for (std::size_t i = 0; i < cell_->pieces.size(); ++i) {
    const auto& piece = cell_->pieces[i];
    if (piece.host_constant) {
      if (piece.parent >= 0 || !is_needed(*cell_, i)) continue;
      kept.insert(piece.info.span.begin, "[[maybe_unused]] ");
    }
    if (piece.parent < 0 && !piece.info.of_host) kept.keep(piece.info.span);
    if (piece.parent >= 0 && piece.info.of_host) kept.drop(piece.info.span);  // inside an include guard
    if (piece.is_include()) {
      auto line = include_line(*cell_, piece);
      if (line != cell_->text_of(piece)) kept.replace_line(piece.info.span.begin, std::move(line));
    }
  }
  change_host_annotations(*cell_, kept);
  return kept.compact(cell_->path);
}

CompileRequest Assembly::finish() {
  close();
  const auto order = ordered();
  CompileRequest request;
  auto& source = request.source;
  const auto macros = option_macros();
  if (macros.empty()) source += raw_includes(order);
  source += macros;
  std::string top;
  for (const auto& file : options_.include_files) {
    std::string line = fmt::format("#include \"{}\"\n", file);
    if (const auto path = headers_.find({file, true}, cell_ != nullptr ? cell_->folder : "", options_.include_folders))
      line = fmt::format("#include \"{}\"\n", *path);
    top += line;
    includes_seen_ = true;
  }
  if (cell_ != nullptr && compares(cell_->text)) names_.emplace(kSpaceship);
  if (std::any_of(order.begin(), order.end(), [](const Unit* unit) { return compares(unit->text); }))
    names_.emplace(kSpaceship);
  for (const auto header : headers_on_demand(names_)) {
    if (index_.contains(std::string(header))) continue;
    top += fmt::format("#include <{}>\n", header);
    includes_seen_ = true;
  }
  if (!top.empty()) source += "#line 1 \"/xcuda/includes\"\n" + top;
  std::string all, needed;
  const bool seen = includes_seen_;
  for (const auto* unit : order) all += includes(*unit, Includes::all);
  includes_seen_ = seen;
  for (const auto* unit : order) needed += includes(*unit, Includes::needed);
  const auto includes_at = source.size();
  source += needed;
  source += host_macros(names_);
  std::string bodies;
  for (const auto* unit : order) bodies += body(*unit);
  source += bodies;
  if (const auto live = live_macros(); !live.empty() || (!bodies.empty() && !macros.empty())) {
    source += "#line 1 \"/xcuda/macros\"\n";
    if (!bodies.empty())  // a unit may have had its own value of them
      for (const auto& [name, value] : options_.macros)
        source += fmt::format("#undef {}\n#define {} {}\n", name, name, value);
    source += live;
  }
  source += cell_text();
  if (needed != all) request.whole_source = std::string(source).replace(includes_at, needed.size(), all);

  request.options = options_.nvrtc;
  request.architecture = options_.architecture;
  if (options_.precompiled_headers) request.options.emplace_back("--pch");
  if (!includes_seen_ && !wants_runtime_declarations(names_)) request.options.emplace_back("--minimal");
  if (wants_wide_integers(names_)) request.options.emplace_back("--device-int128");
  request.include_folders = options_.include_folders;
  for (const auto* unit : order)
    for (const auto& folder : folders_of(*unit))
      if (std::find(request.include_folders.begin(), request.include_folders.end(), folder) ==
          request.include_folders.end())
        request.include_folders.push_back(folder);
  if (headers_.failure()) throw *headers_.failure();
  request.headers = headers_.take();
  accept_host_annotations(request);
  request.cacheable = headers_.complete();
  for (const auto& [unit, piece] : only_launched_) {
    request.kernels.push_back(kernel_source(*unit, unit->pieces[piece]));
    request.kernels.back().only_launched = true;
  }
  for (const auto* unit : order)
    for (std::size_t i = 0; i < unit->pieces.size(); ++i)
      if (const auto& piece = unit->pieces[i]; piece.info.device_variable && is_needed(*unit, i))
        request.variables.push_back({piece.info.name, piece.info.type, unit->name, piece.info.constant_variable});
  return request;
}

}  // namespace xcuda::compiler
