// The arguments of a call in Python's words, and what calls that make arrays, draw numbers or read files become.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "language/python/python_text.hpp"

namespace xcuda::language {

// Nothing where the call is not of that kind, or no line of the cell's language means the same.
using PythonAnswer = std::optional<PythonPiece>;

// The arguments of one call, taken one by one: what is left over has no place in the cell's language.
class PythonArguments {
 public:
  PythonArguments(PythonCall& call, const PythonNames& names) : call_(call), names_(names) {}

  const std::string& function() const { return call_.function; }
  bool is_method() const { return call_.of == PythonCall::Of::value; }
  bool is_plain() const { return call_.of == PythonCall::Of::nothing; }
  // Whether the call is PyTorch's, by its module or its words; x.f() alone may be NumPy's or PyTorch's.
  bool is_torch() const { return call_.of_torch; }
  std::size_t count() const { return call_.arguments.size(); }
  const PythonPiece& at(std::size_t i) const { return call_.arguments[i]; }
  const std::string& text(std::size_t i) const { return call_.arguments[i].text; }
  std::optional<PythonPiece> take(std::string_view name) {
    for (auto one = call_.named.begin(); one != call_.named.end(); ++one)
      if (one->first == name) {
        auto piece = std::move(one->second);
        call_.named.erase(one);
        return piece;
      }
    return std::nullopt;
  }
  // The i-th argument, or the one of a name.
  std::optional<PythonPiece> take(std::size_t i, std::string_view name) {
    return i < count() ? std::optional(at(i)) : take(name);
  }
  const PythonPiece* find(std::string_view name) const {
    for (const auto& [one, piece] : call_.named)
      if (one == name) return &piece;
    return nullptr;
  }
  bool none_left() const { return call_.named.empty(); }
  // No line of the cell's language means the same.
  PythonAnswer refuse() {
    refused_ = true;
    return std::nullopt;
  }
  bool is_refused() const { return refused_; }
  void add(PythonPiece piece) { call_.arguments.push_back(std::move(piece)); }
  void drop(std::size_t from) { call_.arguments.resize(std::min(from, count())); }
  void set(std::size_t i, PythonPiece piece) { call_.arguments[i] = std::move(piece); }
  void name(std::string name, PythonPiece piece) { call_.named.emplace_back(std::move(name), std::move(piece)); }
  std::optional<Kind> kind(std::size_t i) const { return names_.kind ? names_.kind(text(i)) : std::nullopt; }
  std::optional<std::size_t> rank_of(const PythonPiece& piece) const { return names_.rank(piece.text); }
  std::optional<std::size_t> rank(std::size_t i) const { return i < count() ? names_.rank(text(i)) : std::nullopt; }

  std::string next_seed() const { return names_.seed ? names_.seed() : std::string(); }
  std::optional<PythonCuts> cuts() const { return cuts_of(call_, names_); }

  // np.savez("x.npz", a=a, b=b): the arrays keep their names.
  PythonAnswer array_of(const PythonPiece& list, std::optional<std::string> type) const {
    return array_of_list(list, std::move(type), &names_);
  }
  PythonAnswer archive(const std::string& path) const {
    std::string names;
    for (const auto& [name, piece] : call_.named) {
      if (piece.text != name) return std::nullopt;
      names += name + " ";
    }
    if (names.empty()) return std::nullopt;
    return PythonPiece{fmt::format("%save {}{}{}", names, path, path.find('.') == std::string::npos ? ".npz" : ""),
                       Binding::ternary, PieceKind::statement};
  }

  PythonPiece call(std::string_view function) const { return {written_call(call_, function)}; }

 private:
  PythonCall& call_;
  const PythonNames& names_;
  bool refused_ = false;
};

PythonPiece python_statement(std::string text);
// The place of an axis; nothing where the text is not a digit, or there are fewer axes.
std::optional<std::size_t> axis_of(std::string_view text, std::size_t rank);
// C++'s name of what dtype says, or the argument at that place; refuses what has no name.
std::optional<std::string> taken_type(PythonArguments& given, std::optional<std::size_t> place = std::nullopt);

// The function of a call that draws numbers: "normal" of np.random.normal.
std::optional<std::string> drawing_of(const PythonArguments& given);
PythonAnswer of_random(PythonArguments& given, std::string_view function);
PythonAnswer of_keywords(PythonArguments& given);  // what they ask for in other words
PythonAnswer of_creation(PythonArguments& given);
PythonAnswer of_files(PythonArguments& given);
PythonAnswer of_builtins(PythonArguments& given);  // Python's own functions, and x.item()
PythonAnswer of_parts(PythonArguments& given);
PythonAnswer of_products(PythonArguments& given);
PythonAnswer of_torch(PythonArguments& given);

}  // namespace xcuda::language
