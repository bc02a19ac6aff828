// Words that a declaration begins with where C++ has no such type: those of statements, and auto.
#pragma once

#include <cstdint>
#include <string_view>

namespace xcuda::cell {

enum class TypeWord : std::uint8_t { none, automatic, dim3, stream, event, texture, surface, text };

struct TypeWordRow {
  std::string_view text;
  TypeWord word;
};
constexpr TypeWordRow kTypeWords[] = {
    {"auto", TypeWord::automatic},        {"dim3", TypeWord::dim3},           {"stream", TypeWord::stream},
    {"event", TypeWord::event},           {"cudaStream_t", TypeWord::stream}, {"cudaEvent_t", TypeWord::event},
    {"texture", TypeWord::texture},       {"surface", TypeWord::surface},     {"std::string", TypeWord::text},
    {"std::string_view", TypeWord::text},  // of its own characters
};

// The word of a type as it is written: "texture<float>" is a texture.
constexpr TypeWord type_word(std::string_view type) {
  for (const auto& row : kTypeWords) {
    const bool whole = type == row.text;
    const bool texture = row.word == TypeWord::texture || row.word == TypeWord::surface;
    if (whole || (texture && type.substr(0, type.find('<')) == row.text)) return row.word;
  }
  return TypeWord::none;
}

constexpr bool is_texture(TypeWord word) { return word == TypeWord::texture || word == TypeWord::surface; }

}  // namespace xcuda::cell
