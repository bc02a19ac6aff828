#include "display/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/figures.hpp"
#include "display/html.hpp"
#include "display/table.hpp"
#include "display/times.hpp"

namespace xcuda::display {
namespace {

constexpr std::size_t kBarWidth = 24;  // characters

// A bar to the median, and a whisker to the 95th percentile.
std::string whiskered_bar(double median, double high) {
  auto text = text_bar(std::max(median, 1.0 / (kBarWidth * 8)), kBarWidth);
  const auto end = static_cast<std::size_t>(std::lround(high * static_cast<double>(kBarWidth)));
  const auto begin = code_points_of_bytes(text, text.size());
  for (auto i = begin + 1; i < end; ++i) text += "─";
  return end > begin ? text + "┤" : text;
}

// How a row compares with the fastest one.
std::string relative_text(double relative, Comparison comparison) {
  const auto text = format_ratio(relative) + "×";
  return comparison == Comparison::same ? text + ", no difference beyond noise" : text;
}

std::string_view json_text(Comparison comparison) {
  static constexpr std::string_view kTexts[] = {"too few runs", "same", "different"};
  return kTexts[static_cast<std::size_t>(comparison)];
}

}  // namespace

Bundle bench_bundle(const BenchReport& report) {
  std::vector<TimeSummary> times;
  double longest = 0;
  for (const auto& contender : report.contenders) {
    times.push_back(summarise(contender.times));
    longest = std::max({longest, times.back().median, times.back().high});
  }
  // The one of the least median; 0 when one of them was too short to time: nothing can be compared with it.
  const auto first = static_cast<std::size_t>(
      std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.median < b.median; }) -
      times.begin());
  const double fastest = times.empty() ? 0 : times[first].median;
  const bool compared = fastest > 0 && times.size() > 1;
  Table table;
  table.columns = {{"statement", Align::left, Column::Kind::code},
                   {"median", Align::right},
                   {"min", Align::right},
                   {"spread", Align::right},
                   {"relative", Align::left, Column::Kind::words},
                   {""}};
  auto json = nlohmann::json::array();
  bool host = false, ranked = false, alike = false;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto& contender = report.contenders[i];
    const auto& time = times[i];
    const double relative = fastest > 0 ? time.median / fastest : 0, scale = longest > 0 ? 1 / longest : 0;
    const auto comparison = i == first ? Comparison::too_few : compare(contender.times, report.contenders[first].times);
    host = host || contender.clock == Contender::Clock::host;
    ranked = ranked || comparison != Comparison::too_few;
    alike = alike || comparison == Comparison::same;
    const bool measured = time.median > 0;
    const auto beside = !compared    ? Field("")
                        : i == first ? Field("fastest", element("strong", "", "fastest"))
                                     : Field(relative_text(relative, comparison));
    table.rows.push_back({contender.text, time_text(time.median), time_text(time.minimum),
                          contender.times.size() < 2 || !measured ? Field("") : Field("± " + percent(time.spread)),
                          beside,
                          measured ? Field(whiskered_bar(time.median * scale, time.high * scale),
                                           bar(time.median * scale, {time.low * scale, time.high * scale}))
                                   : Field("")});
    json.push_back({{"text", contender.text},
                    {"source", contender.source},
                    {"line", contender.line},
                    {"times", contender.times},
                    {"median", time.median},
                    {"min", time.minimum},
                    {"max", time.maximum},
                    {"clock", contender.clock == Contender::Clock::device ? "device" : "host"}});
    if (measured) json.back()["spread"] = time.spread;
    if (relative > 0) json.back()["relative"] = relative;
    if (compared && i != first) json.back()["beside_fastest"] = json_text(comparison);
  }
  drop_empty_columns(table);
  const auto runs = report.contenders.empty() ? 0 : report.contenders.front().times.size();
  table.notes.push_back(fmt::format("on {}, {} run{} each after {} to warm up", report.device, format_count(runs),
                                    runs == 1 ? "" : "s", format_count(static_cast<std::uint64_t>(report.warmup))));
  if (runs > 1) table.notes.emplace_back("bars end at the median, whiskers at the 95th percentile");
  if (compared && ranked && alike)
    table.notes.emplace_back(
        "\"no difference beyond noise\": the rank test of Mann and Whitney finds none at the 1 % level");
  if (compared && !ranked && runs > 1)
    table.notes.push_back(
        fmt::format("{} runs are too few to tell a difference from noise: --repeat 20", format_count(runs)));
  if (host)
    table.notes.emplace_back(
        "statements other than a single launch are timed by the host's clock until the device is idle");
  Bundle bundle = table_bundle(table);
  bundle.data[kBenchMime] = {
      {"schema", 1}, {"device", report.device}, {"warmup", report.warmup}, {"contenders", std::move(json)}};
  return bundle;
}

}  // namespace xcuda::display
