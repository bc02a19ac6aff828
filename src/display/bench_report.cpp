#include "display/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "display/figures.hpp"
#include "display/html.hpp"
#include "display/launch_report.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

constexpr std::size_t kBarWidth = 24;  // characters

// Eighths of a character.
std::string text_bar(double fraction) {
  static constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      std::max<std::size_t>(1, static_cast<std::size_t>(fraction * static_cast<double>(kBarWidth) * 8 + 0.5));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text.append(kParts[eighths % 8]);
}

}  // namespace

Bundle bench_bundle(const BenchReport& report) {
  std::vector<TimeSummary> times;
  double slowest = 0;
  for (const auto& contender : report.contenders) {
    times.push_back(summarise(contender.times));
    slowest = std::max(slowest, times.back().median);
  }
  double fastest = slowest;  // 0 when one of them was too short to time: nothing can be compared with it
  for (const auto& time : times) fastest = std::min(fastest, time.median);
  Table table;
  table.columns = {{"statement", Align::left, Column::Kind::code},
                   {"median", Align::right},
                   {"min", Align::right},
                   {"spread", Align::right},
                   {"relative", Align::right},
                   {""}};
  auto json = nlohmann::json::array();
  bool host = false;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto& contender = report.contenders[i];
    const auto& time = times[i];
    const double relative = fastest > 0 ? time.median / fastest : 0, fraction = slowest > 0 ? time.median / slowest : 0;
    host = host || contender.clock == Contender::Clock::host;
    const bool measured = time.median > 0;
    table.rows.push_back({contender.text, time_text(time.median), time_text(time.minimum),
                          contender.times.size() < 2 || !measured ? Field("") : Field("± " + percent(time.spread)),
                          relative > 0 ? Field(fmt::format("{:.2f}×", relative)) : Field(""),
                          measured ? Field(text_bar(fraction), bar(fraction)) : Field("")});
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
  }
  const auto runs = report.contenders.empty() ? 0 : report.contenders.front().times.size();
  table.notes.push_back(fmt::format("on {}, {} run{} each after {} to warm up", report.device, runs,
                                    runs == 1 ? "" : "s", report.warmup));
  if (host)
    table.notes.emplace_back(
        "statements other than a single launch are timed by the host's clock until the device is idle");
  Bundle bundle = table_bundle(table);
  bundle.data[kBenchMime] = {
      {"schema", 1}, {"device", report.device}, {"warmup", report.warmup}, {"contenders", std::move(json)}};
  return bundle;
}

}  // namespace xcuda::display
