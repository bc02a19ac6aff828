#include "display/chart/timeline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "display/chart/axis.hpp"
#include "display/chart/canvas.hpp"
#include "display/chart/chart.hpp"
#include "display/chart/vega.hpp"
#include "display/figures.hpp"
#include "display/palette.hpp"

namespace xcuda::display {
namespace {

struct TimeUnit {
  const char* name;
  double nanoseconds;
};
TimeUnit unit_for(double nanoseconds) {
  for (const TimeUnit& unit : {TimeUnit{"s", 1e9}, TimeUnit{"ms", 1e6}, TimeUnit{"µs", 1e3}})
    if (nanoseconds >= unit.nanoseconds) return unit;
  return {"ns", 1};
}

// In the order in which they first occur.
std::vector<std::string> labels_of(const TimelineView& view) {
  std::vector<std::string> labels;
  for (const auto& bar : view.bars)
    if (std::find(labels.begin(), labels.end(), bar.label) == labels.end()) labels.push_back(bar.label);
  return labels;
}

std::size_t number_of(const std::string& label, const std::vector<std::string>& labels) {
  return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

std::vector<std::string> notes_of(const TimelineView& view) {
  const auto time = busy_time(view);
  std::vector<std::string> notes;
  auto text = fmt::format("{}: {} in {}", view.device,
                          view.bars.size() == 1 ? "1 operation" : fmt::format("{} operations", view.bars.size()),
                          format_duration(time.total));
  if (time.total > 0) text += fmt::format(", busy for {}", percent(time.busy / time.total));
  if (time.together > 0)
    text += fmt::format(", two or more streams at once for {}", percent(time.together / time.total));
  notes.push_back(std::move(text));
  if (view.before > time.total)  // a GPU's first launch waits for the code
    notes.push_back(
        fmt::format("time 0 is {} after the cell began, when its first operation did", format_duration(view.before)));
  if (view.left_out > 0) notes.push_back(fmt::format("{} later operations are not shown", format_count(view.left_out)));
  return notes;
}

std::string description_of(const TimelineView& view) {
  return fmt::format("timeline of {}; {}", fmt::join(view.streams, ", "), notes_of(view).front());
}

// A letter for each label; where several bars share a character, the one that has most of it.
std::string timeline_text(const TimelineView& view) {
  constexpr std::size_t kColumns = 64;
  const auto labels = labels_of(view);
  const double total = busy_time(view).total;
  const auto letter = [](std::size_t label) { return static_cast<char>(label < 26 ? 'a' + label : '#'); };
  std::size_t widest = 0;
  for (const auto& name : view.streams) widest = std::max(widest, code_points_of_bytes(name, name.size()));
  std::string text;
  for (std::size_t stream = 0; stream < view.streams.size(); ++stream) {
    std::vector<double> most(kColumns);
    std::string row(kColumns, ' ');
    for (const auto& bar : view.bars) {
      if (bar.stream != stream || total <= 0) continue;
      const double from = bar.begin / total * kColumns, to = bar.end / total * kColumns;
      const auto first = static_cast<std::size_t>(from);
      for (auto at = first; at < kColumns && (at == first || static_cast<double>(at) < to); ++at) {
        constexpr double kLeast = 1e-9;  // of a bar that is too short to see
        const double left = std::max(from, static_cast<double>(at)), right = std::min(to, static_cast<double>(at) + 1);
        const double share = std::max(right - left, kLeast);
        if (share <= most[at]) continue;
        most[at] = share;
        row[at] = letter(number_of(bar.label, labels));
      }
    }
    const auto& name = view.streams[stream];
    text += fmt::format("{}{} │{}│\n", name, std::string(widest - code_points_of_bytes(name, name.size()), ' '), row);
  }
  for (std::size_t i = 0; i < labels.size(); ++i)
    text += fmt::format("{}{}: {}", i > 0 ? ", " : "", letter(i), labels[i]);
  if (!labels.empty()) text += "\n";
  return text + fmt::format("{}", fmt::join(notes_of(view), "\n"));
}

class TimelineDrawing {
 public:
  TimelineDrawing(const TimelineView& view, Canvas& canvas)
      : view_(view), canvas_(canvas), labels_(labels_of(view)), total_(busy_time(view).total), unit_(unit_for(total_)) {
    for (const auto& name : view.streams) left_ = std::max(left_, width_of(name) + 16);
  }

  std::string draw() {
    double top = 10;
    if (!labels_.empty()) top = legend(top) + 8;
    const double bottom = top + kRow * static_cast<double>(view_.streams.size());
    const Axis axis(Scale::linear, 0, std::max(total_ / unit_.nanoseconds, 1e-9), Axis::Room::none);
    const auto x = [&](double value) { return left_ + axis.at(value) * (kRight - left_); };
    const auto ticks = axis.ticks(8);
    for (const auto& tick : ticks) canvas_.line(x(tick.value), top, x(tick.value), bottom + 4, {.opacity = 0.25});
    for (const auto& tick : ticks) {
      if (x(tick.value) + width_of(tick.label) / 2 > kWidth) continue;
      words(x(tick.value), bottom + 17, Words::Anchor::middle, tick.label);
    }
    for (std::size_t i = 0; i < view_.streams.size(); ++i)
      words(left_ - 8, top + kRow * (static_cast<double>(i) + 0.5) + 4, Words::Anchor::end, view_.streams[i]);
    for (std::size_t label = 0; label < labels_.size(); ++label) {
      Path path;
      for (const auto& bar : view_.bars) {
        if (bar.label != labels_[label]) continue;
        const double above = top + kRow * static_cast<double>(bar.stream), from = x(bar.begin / unit_.nanoseconds);
        path.bar(from, above + 3, std::max(x(bar.end / unit_.nanoseconds), from + kNarrowest), above + kRow - 3);
      }
      canvas_.fill(path, {series_colour(label)});
    }
    canvas_.line(left_, bottom, kRight, bottom, {});
    canvas_.words(
        {.anchor = Words::Anchor::middle, .x = (left_ + kRight) / 2, .y = bottom + 34, .text = unit_.name, .size = 12});
    double below = bottom + 54;
    for (const auto& note : notes_of(view_)) {
      canvas_.words({.face = Words::Face::slanted, .x = 12, .y = below, .text = note});
      below += 16;
    }
    return canvas_.finish(kWidth, below - 6, description_of(view_));
  }

 private:
  static constexpr double kWidth = 640, kRight = 624, kRow = 26, kNarrowest = 1;  // pixels
  static double width_of(std::string_view text) {
    return 6.4 * static_cast<double>(code_points_of_bytes(text, text.size()));
  }

  void words(double x, double y, Words::Anchor anchor, const std::string& text) {
    canvas_.words({.anchor = anchor, .x = x, .y = y, .text = text});
  }

  // As many lines as it takes; the level below it.
  double legend(double top) {
    double at = 12;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const double width = 16 + width_of(labels_[i]) + 14;
      if (at > 12 && at + width > kWidth) {
        at = 12;
        top += 16;
      }
      Path mark;
      mark.bar(at, top, at + 11, top + 11);
      canvas_.fill(mark, {series_colour(i)});
      words(at + 16, top + 9.5, Words::Anchor::start, labels_[i]);
      at += width;
    }
    return top + 12;
  }

  const TimelineView& view_;
  Canvas& canvas_;
  std::vector<std::string> labels_;
  double total_ = 0, left_ = 40;
  TimeUnit unit_;
};

nlohmann::json timeline_vega(const TimelineView& view) {
  const auto labels = labels_of(view);
  const auto unit = unit_for(busy_time(view).total);
  VegaRows rows({"stream", "label", "begin", "end"});
  for (const auto& bar : view.bars)
    rows.add({std::to_string(bar.stream), std::to_string(number_of(bar.label, labels)),
              fmt::format("{:.6g}", bar.begin / unit.nanoseconds), fmt::format("{:.6g}", bar.end / unit.nanoseconds)});
  auto spec = vega_json(
      {"", notes_of(view), description_of(view), kVegaWidth, 26.0 * static_cast<double>(view.streams.size())});
  spec["data"] = rows.json();
  const auto text_of = [](const std::vector<std::string>& texts, const char* field) {
    return fmt::format("{}[datum.{}]", nlohmann::json(texts).dump(), field);
  };
  auto colours = nlohmann::json::array();
  for (std::size_t i = 0; i < labels.size(); ++i) colours.push_back(series_colour(i));
  spec["transform"] = {{{"calculate", text_of(view.streams, "stream")}, {"as", "on"}},
                       {{"calculate", text_of(labels, "label")}, {"as", "what"}},
                       {{"calculate", "datum.end - datum.begin"}, {"as", "takes"}}};
  spec["params"] = nlohmann::json::array(
      {{{"name", "view"}, {"select", {{"type", "interval"}, {"encodings", {"x"}}}}, {"bind", "scales"}}});
  spec["mark"] = {{"type", "bar"}, {"clip", true}, {"strokeWidth", 1}};
  const auto legend = legend_json(labels, kVegaWidth);
  const auto tip = [&](const char* field, const std::string& title, const char* type) -> nlohmann::json {
    return {{"field", field}, {"title", title}, {"type", type}};
  };
  spec["encoding"] = {{"x", {{"field", "begin"}, {"type", "quantitative"}, {"title", unit.name}}},
                      {"x2", {{"field", "end"}}},
                      {"y", {{"field", "on"}, {"type", "nominal"}, {"title", nullptr}, {"sort", view.streams}}},
                      {"color",
                       {{"field", "what"},
                        {"type", "nominal"},
                        {"title", nullptr},
                        {"legend", legend},
                        {"scale", {{"domain", labels}, {"range", colours}}}}},
                      // The shortest are as wide as a line.
                      {"stroke",
                       {{"field", "what"},
                        {"type", "nominal"},
                        {"title", nullptr},
                        {"legend", legend},
                        {"scale", {{"domain", labels}, {"range", std::move(colours)}}}}},
                      {"tooltip",
                       {tip("what", "what", "nominal"), tip("on", "stream", "nominal"),
                        tip("begin", fmt::format("begins, {}", unit.name), "quantitative"),
                        tip("takes", fmt::format("takes, {}", unit.name), "quantitative")}}};
  return spec;
}

nlohmann::json timeline_json(const TimelineView& view) {
  const auto time = busy_time(view);
  auto bars = nlohmann::json::array();
  for (const auto& bar : view.bars) {
    nlohmann::json one = {
        {"stream", view.streams[bar.stream]}, {"label", bar.label}, {"begin", bar.begin}, {"end", bar.end}};
    if (bar.bytes > 0) one["bytes"] = bar.bytes;
    bars.push_back(std::move(one));
  }
  return {{"schema", 1},       {"device", view.device},     {"streams", view.streams},
          {"bars", bars},      {"before", view.before},     {"total", time.total},
          {"busy", time.busy}, {"together", time.together}, {"left_out", view.left_out}};
}

}  // namespace

BusyTime busy_time(const TimelineView& view) {
  // Ends of bars in order of time: what each adds to the bars of its stream that are under way.
  std::vector<std::pair<double, std::pair<std::size_t, int>>> ends;
  BusyTime time;
  for (const auto& bar : view.bars) {
    ends.push_back({bar.begin, {bar.stream, 1}});
    ends.push_back({bar.end, {bar.stream, -1}});
    time.total = std::max(time.total, bar.end);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<int> running(view.streams.size());
  double last = 0;
  for (const auto& [at, end] : ends) {
    const auto streams = std::count_if(running.begin(), running.end(), [](int bars) { return bars > 0; });
    if (streams > 0) time.busy += at - last;
    if (streams > 1) time.together += at - last;
    running[end.first] += end.second;
    last = at;
  }
  return time;
}

Bundle timeline_bundle(const TimelineView& view) {
  Bundle bundle = text_bundle(timeline_text(view));
  bundle.data[kSvgMime] = TimelineDrawing(view, *svg_canvas()).draw();
  const auto pdf = TimelineDrawing(view, *pdf_canvas()).draw();
  bundle.data[kPdfMime] = base64(std::as_bytes(std::span(pdf)));
  bundle.data[kVegaMime] = timeline_vega(view);
  bundle.data[kTimelineMime] = timeline_json(view);
  return bundle;
}

}  // namespace xcuda::display
