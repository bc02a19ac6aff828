#include "ptx/words.hpp"

#include <array>
#include <unordered_map>

#include "ptx/instructions.hpp"

namespace xcuda::ptx {
namespace {

struct ModifierRow {
  std::string_view text;
  Category category;
};
constexpr ModifierRow kModifierRows[] = {
    {"", Category::other},
#define XCUDA_PTX_MODIFIER(name, text, category) {text, Category::category},
#include "ptx/words.def"
};

struct TypeRow {
  std::string_view text;
  int bits;
};
constexpr TypeRow kTypeRows[] = {
    {"", 0},
#define XCUDA_PTX_TYPE(name, text, bits) {text, bits},
#include "ptx/words.def"
};

struct SpecialRow {
  std::string_view text;
  Type type;
};
constexpr SpecialRow kSpecialRows[] = {
#define XCUDA_PTX_SPECIAL(name, text, type) {"%" text, Type::type},
#include "ptx/words.def"
};

// The rows of a table by their text; `skip` leading characters are not part of the word.
template <class Word, class Rows>
std::optional<Word> find_in(const Rows& rows, std::string_view word, std::size_t skip = 0) {
  static const auto index = [&] {
    std::unordered_map<std::string_view, Word> map;
    for (std::size_t i = 0; i < std::size(rows); ++i)
      if (!rows[i].text.empty()) map.emplace(rows[i].text.substr(skip), static_cast<Word>(i));
    return map;
  }();
  const auto found = index.find(word);
  if (found == index.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::string_view text_of(Modifier modifier) { return kModifierRows[static_cast<std::size_t>(modifier)].text; }
std::string_view text_of(Type type) { return kTypeRows[static_cast<std::size_t>(type)].text; }
std::string_view text_of(Special special) { return kSpecialRows[static_cast<std::size_t>(special)].text; }

std::string_view text_of(Space space) {
  constexpr std::array<std::string_view, 8> names = {"generic",         "reg",   "global", "shared",
                                                     "shared::cluster", "const", "local",  "param"};
  return names[static_cast<std::size_t>(space)];
}

Category category_of(Modifier modifier) { return kModifierRows[static_cast<std::size_t>(modifier)].category; }
int bits_of(Type type) { return kTypeRows[static_cast<std::size_t>(type)].bits; }
int bytes_of(Type type) { return (bits_of(type) + 7) / 8; }
Type type_of(Special special) { return kSpecialRows[static_cast<std::size_t>(special)].type; }

bool is_floating(Type type) {
  switch (type) {
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::tf32:
    case Type::f32:
    case Type::f64:
    case Type::f32x2: return true;
    default: return false;
  }
}

std::optional<Opcode> find_opcode(std::string_view word) { return find_in<Opcode>(instruction_rows(), word); }
std::optional<Modifier> find_modifier(std::string_view word) { return find_in<Modifier>(kModifierRows, word); }
std::optional<Type> find_type(std::string_view word) { return find_in<Type>(kTypeRows, word); }
std::optional<Special> find_special(std::string_view word) { return find_in<Special>(kSpecialRows, word, 1); }

}  // namespace xcuda::ptx
