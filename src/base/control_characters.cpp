#include "base/control_characters.hpp"

namespace xcuda {
namespace {

constexpr unsigned char kDelete = 0x7F;
constexpr unsigned char kLeadOfHighControls = 0xC2;  // of U+0080 to U+00BF in UTF-8

bool is_control(unsigned char c) { return c < ' ' || c == kDelete; }

// U+2400 is the picture of NUL, U+2421 that of DEL.
void add_picture(std::string& out, unsigned char c) {
  out += "\xE2\x90";
  out += static_cast<char>(c == kDelete ? 0xA1 : 0x80 + c);
}

}  // namespace

std::string show_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : '\0';
    if (c == kLeadOfHighControls && next >= 0x80 && next < 0xA0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else if (!is_control(c) || c == '\n' || c == '\t' || (c == '\r' && next == '\n')) {
      out += text[i];
    } else {
      add_picture(out, c);
    }
  }
  return out;
}

}  // namespace xcuda
