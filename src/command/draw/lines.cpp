#include "command/draw/lines.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"

namespace xcuda::command {
Among drawn(display::Scale scale) { return scale == display::Scale::logarithmic ? Among::over_zero : Among::all; }

void note_hidden(Chart& chart) {
  std::uint64_t hidden = 0, not_finite = 0;
  for (const auto& series : chart.series)
    for (std::size_t i = 0; i < series.y.size(); ++i)
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i]))
        ++not_finite;
      else if ((chart.x_scale == display::Scale::logarithmic && series.x[i] <= 0) ||
               (chart.y_scale == display::Scale::logarithmic && series.y[i] <= 0))
        ++hidden;
  if (not_finite > 0)
    chart.notes.push_back(fmt::format("{} point{} not drawn: NaN or infinite", format_count(not_finite),
                                      not_finite == 1 ? " is" : "s are"));
  if (hidden > 0)
    chart.notes.push_back(fmt::format("{} point{} at or below 0 {} no place on a logarithmic axis",
                                      format_count(hidden), hidden == 1 ? "" : "s", hidden == 1 ? "has" : "have"));
}

void expect_same_length(Invocation& call, const Pointer& a, const cell::Word& a_word, const Pointer& b,
                        const cell::Word& b_word) {
  if (elements_of(a) == elements_of(b)) return;
  throw call
      .error(ErrorKind::value,
             fmt::format("{} has {} elements, but {} has {}", a_word.text, format_count(elements_of(a)), b_word.text,
                         format_count(elements_of(b))),
             b_word)
      .advise("Each point needs one element of each: slice the longer array.");
}

// --labels "first,second"
void take_labels(Invocation& call, std::vector<Line>& lines) {
  const auto given = call.arguments.word("--labels");
  if (!given) return;
  std::vector<std::string> labels;
  for (std::size_t at = 0; at <= given->text.size();) {
    const auto end = std::min(given->text.find(',', at), given->text.size());
    labels.emplace_back(trim(std::string_view(given->text).substr(at, end - at)));
    at = end + 1;
  }
  if (labels.size() != lines.size())
    throw call
        .error(ErrorKind::value,
               fmt::format("--labels names {} line{}, but {} {} drawn", labels.size(), labels.size() == 1 ? "" : "s",
                           lines.size(), lines.size() == 1 ? "is" : "are"),
               *given)
        .advise("Separate them by commas: --labels \"before,after\".");
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].label = labels[i];
}

}  // namespace xcuda::command
