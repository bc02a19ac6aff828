#include "display/array_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/units.hpp"
#include "display/number_format.hpp"

namespace xcuda::display {
namespace {

double size_of_number(const std::optional<Number>& number) {
  return number ? std::visit([](auto value) { return std::abs(static_cast<double>(value)); }, *number) : 0.0;
}

// A mean is 0 where additions of elements of this size leave no more than their rounding.
double rounded_mean(double mean, const ArrayStatistics& known) {
  return std::abs(mean) < 1e-15 * std::max(size_of_number(known.min), size_of_number(known.max)) ? 0.0 : mean;
}

std::string number_text(const Number& number, const Type& type) {
  if (const auto* real = std::get_if<double>(&number)) {
    const auto lane = type_of(type.scalar);
    return shortest({*real, lane.is_floating() ? lane.scalar : Scalar::float64});
  }
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return std::to_string(*whole);
  return std::to_string(std::get<std::uint64_t>(number));
}

using MemberText = std::function<std::string(const ArrayStatistics&)>;

// "0.5", or "(0.5, 2)" of several members; empty where one of them has none.
std::string of_members(const std::vector<ArrayStatistics>& members, const MemberText& text_of) {
  std::vector<std::string> texts;
  for (const auto& member : members) texts.push_back(text_of(member));
  if (std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); })) return "";
  return texts.size() == 1 ? texts.front() : fmt::format("({})", fmt::join(texts, ", "));
}

// Whether the mean of finite elements is known; sums that overflow give none.
bool has_mean(const ArrayStatistics& known) {
  return known.mean && std::isfinite(*known.mean) && std::isfinite(known.imaginary);
}
bool has_std(const ArrayStatistics& known) { return has_mean(known) && known.std && std::isfinite(*known.std); }

std::string mean_text(const ArrayStatistics& known, const Type& type) {
  if (!has_mean(known)) return "";
  const auto real = fmt::format("{:.6g}", rounded_mean(*known.mean, known));
  return type.is_complex() ? fmt::format("{}{:+.6g}j", real, rounded_mean(known.imaginary, known)) : real;
}

nlohmann::json number_json(const Number& number) {
  return std::visit(
      [](auto value) -> nlohmann::json {
        if constexpr (std::is_same_v<decltype(value), double>)
          return real_json(value);
        else
          return value;
      },
      number);
}

nlohmann::json member_json(const ArrayStatistics& known, const Type& type) {
  nlohmann::json json = {{"nan", known.nans}, {"inf", known.infinities}};
  const bool complex = type.is_complex();
  if (known.min) json[complex ? "min_magnitude" : "min"] = number_json(*known.min);
  if (known.max) json[complex ? "max_magnitude" : "max"] = number_json(*known.max);
  if (has_mean(known))
    json["mean"] =
        complex ? nlohmann::json::array({real_json(*known.mean), real_json(known.imaginary)}) : real_json(*known.mean);
  if (has_std(known)) json["std"] = real_json(*known.std);
  return json;
}

}  // namespace

nlohmann::json real_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";  // JSON has no number for these
}

std::vector<std::string> statistics_texts(const KnownStatistics& known) {
  std::vector<std::string> texts;
  const auto& type = known.type;
  const auto& members = known.members;
  const auto count = known.count;
  if (members.empty()) return texts;
  if (type.scalar == Scalar::boolean) {
    const auto holds = std::llround(members.front().mean.value_or(0) * static_cast<double>(count));
    texts.push_back(fmt::format("{} of {} true", format_count(static_cast<std::uint64_t>(holds)), format_count(count)));
    return texts;
  }
  const auto add = [&](std::string_view title, const MemberText& text_of) {
    if (const auto text = of_members(members, text_of); !text.empty())
      texts.push_back(fmt::format("{} {}", title, text));
  };
  if (type.is_complex()) {
    const auto& only = members.front();
    if (only.min && only.max)
      texts.push_back(
          fmt::format("magnitude {:.6g} to {:.6g}", std::get<double>(*only.min), std::get<double>(*only.max)));
  } else {
    add("min", [&](const ArrayStatistics& one) { return one.min ? number_text(*one.min, type) : ""; });
    add("max", [&](const ArrayStatistics& one) { return one.max ? number_text(*one.max, type) : ""; });
  }
  add("mean", [&](const ArrayStatistics& one) { return mean_text(one, type); });
  add("std", [](const ArrayStatistics& one) { return has_std(one) ? fmt::format("{:.6g}", *one.std) : ""; });
  std::uint64_t nans = 0, infinities = 0;
  for (const auto& member : members) {
    nans += member.nans;
    infinities += member.infinities;
  }
  if (nans > 0) texts.push_back(format_count(nans) + " NaN");
  if (infinities > 0) texts.push_back(format_count(infinities) + " inf");
  return texts;
}

nlohmann::json statistics_json(const KnownStatistics& known) {
  if (known.members.size() == 1) return member_json(known.members.front(), known.type);
  auto list = nlohmann::json::array();
  for (const auto& member : known.members) list.push_back(member_json(member, known.type));
  return list;
}

}  // namespace xcuda::display
