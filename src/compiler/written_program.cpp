#include "compiler/written_program.hpp"
#include "cell/records/standard_exceptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "compiler/program_state.hpp"

namespace xcuda::compiler {
namespace {

using cell::DeviceKind;
using cell::Token;

struct PieceKey {
  const Unit* unit;
  std::size_t piece;
  bool operator<(const PieceKey& other) const { return std::tie(unit, piece) < std::tie(other.unit, other.piece); }
};

// Where the line comments directly above a piece begin.
std::size_t with_comments(std::string_view text, std::size_t begin) {
  for (;;) {
    const auto line = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    if (line == std::string_view::npos || !trim(text.substr(line + 1, begin - line - 1)).empty()) return begin;
    const auto above = line == 0 ? std::string_view::npos : text.rfind('\n', line - 1);
    const auto first = above == std::string_view::npos ? 0 : above + 1;
    if (!trim(text.substr(first, line - first)).starts_with("//")) return begin;
    begin = first;
  }
}

std::size_t after_template_head(const std::vector<Token>& tokens, std::size_t at) {
  while (at < tokens.size() && tokens[at].is("template")) {
    int depth = 0;
    for (++at; at < tokens.size(); ++at) {
      if (tokens[at].is("<")) ++depth;
      if (tokens[at].is(">") && --depth == 0) break;
    }
    ++at;
  }
  return at;
}

bool has_annotation(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                     tokens.begin() + static_cast<std::ptrdiff_t>(end), [](const Token& token) {
                       return token.is_identifier() && token.text.starts_with("__") && token.text.ends_with("__");
                     });
}

std::string with_insertions(std::string text, const std::vector<std::size_t>& places, std::string_view word) {
  for (auto i = places.size(); i-- > 0;) text.insert(places[i], word);
  return text;
}

// An option of NVRTC that means the same to nvcc.
std::string nvcc_option(const std::string& option) {
  static constexpr std::string_view kSame[] = {"--fmad",         "--use_fast_math", "--ftz",
                                               "--prec-div",     "--prec-sqrt",     "--extra-device-vectorization",
                                               "--maxrregcount", "--restrict",      "-lineinfo"};
  for (const auto same : kSame)
    if (option.starts_with(same)) return option;
  return option == "--generate-line-info" ? "-lineinfo" : "";
}

class Writer {
 public:
  explicit Writer(const std::vector<std::unique_ptr<Unit>>& units) : units_(units) {
    for (const auto& unit : units)
      for (std::size_t i = 0; i < unit->pieces.size(); ++i)
        if (const auto& piece = unit->pieces[i]; !piece.dead && !piece.is_include() && piece.info.directive != "undef")
          for (const auto& name : piece.names) by_name_.emplace(name, PieceKey{unit.get(), i});
  }

  WrittenProgram write() {
    for (const auto& unit : units_) {
      for (const auto& piece : unit->pieces)
        if (piece.is_include() && !piece.dead) add_once(result_.includes, std::string(trim(unit->text_of(piece))));
      for (const auto& option : unit->options.nvrtc)
        if (auto known = nvcc_option(option); !known.empty()) add_once(result_.options, std::move(known));
      for (const auto& [name, value] : unit->options.macros)
        add_once(result_.options, value.empty() ? "-D" + name : fmt::format("-D{}={}", name, value));
      for (const auto& folder : unit->options.include_folders) add_once(result_.options, "-I" + folder);
    }
    for (const auto& unit : units_)
      for (std::size_t i = 0; i < unit->pieces.size(); ++i)
        if (const auto& piece = unit->pieces[i]; piece.parent < 0 && !piece.host_constant) visit({unit.get(), i});
    return std::move(result_);
  }

 private:
  static void add_once(std::vector<std::string>& list, std::string text) {
    if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
  }

  PieceKey top_of(PieceKey key) const {
    while (key.unit->pieces[key.piece].parent >= 0)
      key.piece = static_cast<std::size_t>(key.unit->pieces[key.piece].parent);
    return key;
  }

  bool holds_something(const PieceKey& key) const {
    const auto& pieces = key.unit->pieces;
    if (!pieces[key.piece].info.container)
      return !pieces[key.piece].dead && (!pieces[key.piece].info.of_host || is_of_exceptions(key, {}));
    return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
      return !piece.info.container && !piece.dead && !piece.is_include() && inside(piece, pieces[key.piece]);
    });
  }
  // A function that throws or catches or calls such a function, and a type that is thrown: statements run these as C++
  // has them.
  bool is_of_exceptions(const PieceKey& key, std::set<PieceKey> callers) const {
    const auto& piece = key.unit->pieces[key.piece];
    const auto text = std::string(key.unit->text_of(piece));
    const auto tokens = cell::tokens_of(text);
    const bool own = std::any_of(tokens.begin(), tokens.end(), [](const cell::Token& token) {
      return token.is("throw") || token.is("try") || cell::is_standard_exception(token.text);
    });
    if (own || piece.info.kind != DeviceKind::function || !callers.insert(key).second) return own;
    return std::any_of(piece.uses.begin(), piece.uses.end(), [&](const std::string& name) {
      const auto [first, last] = by_name_.equal_range(name);
      return std::any_of(first, last, [&](const auto& used) {
        const auto& other = used.second.unit->pieces[used.second.piece];
        return other.info.of_host && other.info.kind == DeviceKind::function && is_of_exceptions(used.second, callers);
      });
    });
  }
  static bool inside(const Piece& inner, const Piece& outer) {
    return inner.info.span.begin >= outer.info.span.begin && inner.info.span.end <= outer.info.span.end;
  }

  void visit(const PieceKey& key) {
    if (!visited_.insert(key).second || !holds_something(key)) return;
    const auto& piece = key.unit->pieces[key.piece];
    if (piece.is_include() || piece.info.directive == "undef") return;
    std::vector<std::string> uses = piece.uses;
    for (const auto& other : key.unit->pieces)
      if (piece.info.container && inside(other, piece)) uses.insert(uses.end(), other.uses.begin(), other.uses.end());
    const auto unit_order =
        std::find_if(units_.begin(), units_.end(), [&](const auto& unit) { return unit.get() == key.unit; });
    for (const auto& name : uses)
      for (auto [at, end] = by_name_.equal_range(name); at != end; ++at) {
        const auto& [unit, index] = at->second;
        // A macro counts from its place on.
        const bool later = std::none_of(units_.begin(), unit_order,
                                        [&, wanted = unit](const auto& one) { return one.get() == wanted; }) &&
                           unit != key.unit;
        if (unit->pieces[index].is_macro() && later) continue;
        const auto& own = piece.info.parameter_names;  // which hide what has their names
        if (unit->pieces[index].host_constant && std::find(own.begin(), own.end(), name) != own.end()) continue;
        const auto top = unit->pieces[index].host_constant ? PieceKey{unit, index} : top_of(at->second);
        if (top < key || key < top) visit(top);
      }
    add(key);
  }

  void add(const PieceKey& key) {
    const auto& unit = *key.unit;
    const auto& piece = unit.pieces[key.piece];
    std::string text;
    if (piece.host_constant) {
      text = constant_text(unit, piece);
    } else if (piece.info.container) {
      text = container_text(unit, piece);
    } else {
      text = unit.text_of(piece);
      if (piece.info.ends_at_brace && piece.info.unnamed_at)
        text.insert(*piece.info.unnamed_at - piece.info.span.begin, piece.info.name + " ");
      if (!piece.info.of_host) text = annotated(unit, piece, text);
    }
    if (trim(text).empty()) return;
    const auto first = piece.host_constant ? piece.info.span.begin : with_comments(unit.text, piece.info.span.begin);
    const auto comments = std::string(std::string_view(unit.text).substr(first, piece.info.span.begin - first));
    if (unit.name != last_unit_) result_.text += fmt::format("{}// {}\n", result_.text.empty() ? "" : "\n", unit.name);
    last_unit_ = unit.name;
    result_.text += comments + text;
    if (!result_.text.ends_with('\n')) result_.text += '\n';
  }

  std::string annotated(const Unit& unit, const Piece& piece, const std::string& text) const {
    if (piece.info.kind == DeviceKind::type) {
      const auto named = text.size() - (piece.info.span.end - piece.info.span.begin);  // by the name it has been given
      const auto begin = piece.info.span.begin - static_cast<std::uint32_t>(named);
      std::vector<cell::Span> of_host;
      for (const auto& other : unit.pieces)
        if (other.info.of_host && other.info.kind == DeviceKind::function && inside(other, piece))
          of_host.push_back({other.info.span.begin - begin, other.info.span.end - begin});
      return annotate_members(text, of_host);
    }
    const bool function = piece.info.kind == DeviceKind::function || piece.info.kind == DeviceKind::prototype;
    return function && !piece.info.annotated ? annotate_function(text) : text;
  }

  // Its own text with that of what is alive in it.
  std::string container_text(const Unit& unit, const Piece& container) const {
    std::string text;
    auto at = container.info.span.begin;
    for (std::size_t i = 0; i < unit.pieces.size(); ++i) {
      const auto& piece = unit.pieces[i];
      const bool direct = piece.parent >= 0 && &unit.pieces[static_cast<std::size_t>(piece.parent)] == &container;
      if (!direct || piece.host_constant || piece.info.span.begin < at) continue;
      text += unit.text.substr(at, piece.info.span.begin - at);
      if (piece.info.container)
        text += container_text(unit, piece);
      else if (!piece.dead && !piece.is_include())
        text += annotated(unit, piece, std::string(unit.text_of(piece)));
      at = piece.info.span.end;
    }
    return text + unit.text.substr(at, container.info.span.end - at);
  }

  // "const int n = 64, m = 2 * n;" -> the declarators that are wanted, one by one.
  std::string constant_text(const Unit& unit, const Piece& piece) {
    const auto whole = unit.text_of(piece);
    const auto tokens = cell::tokens_of(whole);
    std::size_t at = 0;
    while (at < tokens.size() && tokens[at].span.begin + piece.info.span.begin != piece.info.name_span.begin) ++at;
    int depth = 0;
    std::size_t end = whole.size();
    for (auto i = at; i < tokens.size(); ++i) {
      if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
      if (tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) --depth;
      if (depth == 0 && (tokens[i].is(",") || tokens[i].is(";"))) {
        end = tokens[i].span.begin;
        break;
      }
    }
    const auto begin = piece.info.name_span.begin - piece.info.span.begin;
    result_.constants.insert(piece.info.name);
    return fmt::format("constexpr {} {};\n", piece.info.type, trim(whole.substr(begin, end - begin)));
  }

  const std::vector<std::unique_ptr<Unit>>& units_;
  std::multimap<std::string, PieceKey> by_name_;
  std::set<PieceKey> visited_;
  std::string last_unit_;
  WrittenProgram result_;
};

}  // namespace

std::string annotate_function(const std::string& text) {
  const auto tokens = cell::tokens_of(text);
  const auto at = after_template_head(tokens, 0);
  return at < tokens.size() ? with_insertions(text, {tokens[at].span.begin}, "__device__ ") : text;
}

std::string annotate_members(const std::string& text, const std::vector<cell::Span>& of_host) {
  const auto tokens = cell::tokens_of(text);
  std::vector<std::size_t> places;
  const std::function<std::size_t(std::size_t)> members = [&](std::size_t at) {  // after the '{', to after its '}'
    auto begin = at;
    bool function = false, nested = false, initialised = false;
    int depth = 0;
    const auto forget = [&](std::size_t next) { begin = next, function = nested = initialised = false; };
    for (; at < tokens.size(); ++at) {
      const auto& token = tokens[at];
      if (depth == 0 && token.is("}")) return at + 1;
      if (token.is("(") && depth == 0 && !initialised && !nested && at > begin) {
        const auto first = after_template_head(tokens, begin);
        const bool other = tokens[first].is("using") || tokens[first].is("typedef") ||
                           tokens[first].is("static_assert") || tokens[first].is("friend");
        if (!function && !other && !has_annotation(tokens, begin, at)) places.push_back(tokens[first].span.begin);
        function = true;
      }
      if (token.is("(") || token.is("[")) ++depth;
      if (token.is(")") || token.is("]")) --depth;
      if (depth == 0 && token.is("=") && !function) initialised = true;
      if (depth == 0 && (token.is("struct") || token.is("class") || token.is("union"))) nested = true;
      if (depth == 0 && token.is(":") && at > begin && at - begin == 1) forget(at + 1);  // "public:"
      if (depth == 0 && token.is(";")) forget(at + 1);
      if (token.is("{") && depth == 0) {
        if (nested && !function) {
          at = members(at + 1) - 1;
          continue;
        }
        for (int braces = 1; braces > 0 && ++at < tokens.size();)
          braces += tokens[at].is("{") ? 1 : tokens[at].is("}") ? -1 : 0;
        if (function) forget(at + 1);
      }
    }
    return at;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is("{")) {
      const auto head = std::find_if(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                     [](const Token& token) { return token.is("enum"); });
      if (head == tokens.begin() + static_cast<std::ptrdiff_t>(i)) members(i + 1);
      break;
    }
  std::erase_if(places, [&](std::size_t place) {
    return std::any_of(of_host.begin(), of_host.end(),
                       [&](const cell::Span& one) { return one.begin <= place && place < one.end; });
  });
  std::sort(places.begin(), places.end());
  return with_insertions(text, places, "__host__ __device__ ");
}

WrittenProgram Program::written() const { return Writer(state_->units).write(); }

}  // namespace xcuda::compiler
