#include "compiler/unit.hpp"

#include <filesystem>
#include <type_traits>
#include <variant>

#include "cell/lexer.hpp"

namespace xcuda::compiler {
namespace {

using cell::DeviceKind;
using cell::DevicePiece;

}  // namespace

void change_host_annotations(const Unit& unit, KeptText& kept) {
  for (const auto& piece : unit.pieces) {
    if (piece.info.ends_at_brace && piece.info.unnamed_at) kept.insert(*piece.info.unnamed_at, piece.info.name + " ");
    const auto text = unit.text_of(piece);
    if (piece.info.container || !piece.info.directive.empty() ||
        (text.find("__host__") == text.npos && text.find("__managed__") == text.npos))
      continue;
    const auto tokens = cell::tokens_of(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool for_both =
          (i > 0 && tokens[i - 1].is("__device__")) || (i + 1 < tokens.size() && tokens[i + 1].is("__device__"));
      const auto begin = piece.info.span.begin;
      if (tokens[i].is("__managed__")) kept.overwrite(begin + tokens[i].span.begin, "__device__ ");
      if (!tokens[i].is("__host__") || for_both) continue;
      kept.drop({begin + tokens[i].span.begin, begin + tokens[i].span.end});
    }
  }
}

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : ':';
    if (c == '<')
      ++depth;
    else if (c == '>')
      --depth;
    else if (depth == 0 && c == ':') {
      if (!part.empty()) parts.push_back(std::move(part));
      part.clear();
    } else if (depth == 0 && c != ' ') {
      part.push_back(c);
    }
  }
  return parts;
}

namespace {

bool is_operator(const DevicePiece& piece) { return piece.name.find("operator") != std::string::npos; }

bool stands(const DevicePiece& piece, std::string_view text) {
  if (piece.container) return false;
  if (piece.directive == "pragma") return true;
  if (is_operator(piece)) return true;
  if (piece.kind != DeviceKind::other) return false;
  // Checked once, and code that is there already.
  if (text.starts_with("static_assert") || text.starts_with("_Static_assert")) return false;
  return !(text.starts_with("template") && piece.key.find("template ") != std::string::npos);
}

void set_parents(std::vector<Piece>& pieces) {
  std::vector<int> open;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto span = pieces[i].info.span;
    while (!open.empty() && pieces[static_cast<std::size_t>(open.back())].info.span.end <= span.begin) open.pop_back();
    if (!open.empty() && span.end <= pieces[static_cast<std::size_t>(open.back())].info.span.end)
      pieces[i].parent = open.back();
    open.push_back(static_cast<int>(i));
  }
}

// Adds the names of an expression that NVRTC may take as a constant; false for all others.
bool constant_like(const cell::Expression& expression, std::vector<std::string>& names) {
  const auto inner = [&](const cell::ExpressionPtr& one) { return one != nullptr && constant_like(*one, names); };
  return std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, cell::IntegerLiteral> || std::is_same_v<Node, cell::FloatingLiteral> ||
                      std::is_same_v<Node, cell::BoolLiteral> || std::is_same_v<Node, cell::CharLiteral>) {
          return true;
        } else if constexpr (std::is_same_v<Node, cell::Name>) {
          names.emplace_back(last_part(node.text));
          return true;
        } else if constexpr (std::is_same_v<Node, cell::Unary>) {
          return cell::is_of_values(node.op) && inner(node.operand);
        } else if constexpr (std::is_same_v<Node, cell::Binary>) {
          return inner(node.left) && inner(node.right);
        } else if constexpr (std::is_same_v<Node, cell::Ternary>) {
          return inner(node.condition) && inner(node.yes) && inner(node.no);
        } else if constexpr (std::is_same_v<Node, cell::Cast>) {
          return inner(node.operand);
        } else if constexpr (std::is_same_v<Node, cell::SizeOf>) {
          return node.operand == nullptr && node.what != cell::SizeOf::What::offset;
        } else if constexpr (std::is_same_v<Node, cell::List>) {
          return node.elements.size() == 1 && inner(node.elements.front());
        } else {
          return false;
        }
      },
      expression.node);
}

// `const int n = 512 * 32;` among the statements is a constant of device code too, when that uses it.
void add_host_constants(const cell::Cell& cell, std::vector<Piece>& pieces) {
  for (const auto& statement : cell.statements) {
    const auto* declaration = std::get_if<cell::Declaration>(&statement->node);
    if (declaration == nullptr) continue;
    int first = -1;
    for (const auto& declarator : declaration->declarators) {
      Piece piece;
      piece.host_constant = true;
      piece.info.kind = DeviceKind::variable;
      piece.info.span = declaration->defines_type ? declarator.name_span : statement->span;
      piece.info.name_span = declarator.name_span;
      piece.info.name = piece.info.key = declarator.name;
      piece.info.type = declaration->type;
      piece.parent = first;
      // A declaration that is not a constant only ends what the name meant before.
      piece.dead = !declaration->is_const || declaration->defines_type || !declarator.extents.empty() ||
                   declarator.init == nullptr || declarator.pointer || declarator.reference ||
                   !constant_like(*declarator.init, piece.needs);
      if (first < 0) first = static_cast<int>(pieces.size());
      pieces.push_back(std::move(piece));
    }
  }
}

}  // namespace

KernelSource kernel_source(const Unit& unit, const Piece& kernel) {
  return {kernel.info.name,
          kernel.info.parameter_names,
          unit.name,
          line_of(unit.text, kernel.info.name_span.begin),
          kernel.info.is_template,
          kernel.info.key};
}

std::string definition_name(const Piece& piece) {
  if (piece.info.container || (!piece.info.directive.empty() && !piece.is_macro())) return {};
  if (piece.info.name.empty() && !piece.info.enumerators.empty()) return piece.info.enumerators.front().first;
  return piece.info.name;
}

// Overloads of an operator and specialisations of a template belong together wherever they are. extern "C" before a
// linkage block is taken off by the parser, so keys are compared as they are. A prototype's key ends in ';': it
// replaces another prototype, and a definition replaces both.
bool replaces(const Piece& newer, const Piece& older, Overloads overloads) {
  const std::string &key = newer.info.key, &other = older.info.key;
  if (key == other || (other.size() == key.size() + 1 && other.ends_with(';') && other.starts_with(key))) return true;
  const bool functions = newer.info.kind == DeviceKind::function &&
                         (older.info.kind == DeviceKind::function || older.info.kind == DeviceKind::prototype);
  return overloads == Overloads::replace && functions && newer.info.name == older.info.name &&
         !is_operator(newer.info) && newer.info.name.find('<') == std::string::npos;
}

std::string_view last_part(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const auto at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

Unit make_unit(const CellCode& code) {
  Unit unit;
  unit.name = code.name;
  unit.path = "/" + code.name;
  unit.cell_id = code.cell_id;
  unit.text = code.cell->text;
  unit.options = code.options;
  unit.overloads = code.overloads;
  std::error_code ignored;
  unit.folder = std::filesystem::current_path(ignored);
  for (const auto& info : code.cell->device) {
    Piece piece;
    piece.info = info;
    if (info.ends_at_brace) unit.text[piece.info.span.end++] = ';';  // its variables are not device code
    unit.pieces.push_back(std::move(piece));
  }
  set_parents(unit.pieces);
  add_host_constants(*code.cell, unit.pieces);

  for (std::size_t i = 0; i < unit.pieces.size(); ++i) {
    auto& piece = unit.pieces[i];
    const auto text = unit.text_of(piece);
    if (piece.info.container) {
      // Its own words are those outside of the pieces in it.
      KeptText own(unit.text);
      own.keep(piece.info.span);
      for (const auto& other : unit.pieces)
        if (other.parent == static_cast<int>(i)) own.drop(other.info.span);
      piece.uses = identifiers_of(own.compact(""));
    } else {
      piece.uses = identifiers_of(text);
    }
    if (piece.is_macro()) {
      piece.names = {piece.info.name};
    } else if (piece.info.directive.empty()) {
      piece.names = parts_of(piece.info.name);
      if (piece.info.kind == DeviceKind::name_space && !piece.names.empty()) piece.names = {piece.names.back()};
      for (const auto& [name, initialiser] : piece.info.enumerators) piece.names.emplace_back(last_part(name));
    }
    piece.standing = stands(piece.info, text);
  }
  return unit;
}

}  // namespace xcuda::compiler
