#include "device/selector.hpp"

#include <fmt/format.h>

#include <charconv>

namespace xcuda::device {

std::string to_text(const Selector& selector) {
  return selector.kind == Kind::cuda ? fmt::format("gpu:{}", selector.ordinal) : std::string(kind_name(selector.kind));
}

std::optional<Selector> parse_selector(std::string_view text) {
  Selector selector;
  if (text == to_text(selector)) return selector;
  selector.kind = Kind::cuda;
  if (text == "gpu") return selector;
  const auto digits = text.substr(std::min(text.size(), text.find(':') + 1));
  std::from_chars(digits.data(), digits.data() + digits.size(), selector.ordinal);
  return text == to_text(selector) ? std::optional(selector) : std::nullopt;
}

}  // namespace xcuda::device
