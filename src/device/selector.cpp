#include "device/selector.hpp"

#include <fmt/format.h>

#include <charconv>

namespace xcuda::device {
namespace {

// Digits as they are printed: no sign, and no zero before others.
std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || fmt::format("{}", number) != text) return std::nullopt;
  return number;
}

}  // namespace

std::string to_text(const Selector& selector) {
  if (selector.reach == Selector::Reach::mpi) return fmt::format("mpi:{}", selector.count);
  if (selector.kind != Kind::cuda) {
    const auto name = kind_name(selector.kind);
    return selector.count == 1 ? std::string(name) : fmt::format("{}:{}", name, selector.count);
  }
  if (selector.count == Selector::kAll) return "gpu:all";
  if (selector.count == 1) return fmt::format("gpu:{}", selector.ordinal);
  return fmt::format("gpu:{}-{}", selector.ordinal, selector.ordinal + static_cast<int>(selector.count) - 1);
}

std::optional<Selector> parse_selector(std::string_view text) {
  if (text == "cpu") return Selector{};
  if (text == "gpu") return Selector{Kind::cuda};
  if (text == "gpu:all") return Selector{Kind::cuda, 0, Selector::kAll};
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto numbers = text.substr(colon + 1);
  if (const auto what = text.substr(0, colon); what == "cpu" || what == "mpi") {
    const auto count = number_in(numbers);
    const auto reach = what == "mpi" ? Selector::Reach::mpi : Selector::Reach::host;
    return count && *count >= 1 && *count <= kMostDevices ? std::optional(Selector{Kind::cpu, 0, *count, reach})
                                                          : std::nullopt;
  }
  if (text.substr(0, colon) != "gpu") return std::nullopt;
  const auto dash = numbers.find('-');
  const auto first = number_in(numbers.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in(numbers.substr(dash + 1));
  constexpr std::uint32_t kLargest = 9999;
  if (!first || !last || *last < *first || *last > kLargest || *last - *first >= kMostDevices) return std::nullopt;
  return Selector{Kind::cuda, static_cast<int>(*first), *last - *first + 1};
}

}  // namespace xcuda::device
