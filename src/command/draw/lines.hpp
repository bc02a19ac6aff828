// Parts that charts of one or two arrays share: lines with their names, lengths, points that an axis hides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/draw/drawing.hpp"

namespace xcuda::command {

using display::Chart;
using display::Series;
using session::Among;
using session::Pointer;

constexpr std::size_t kMostSeries = display::kColours;

// One line: the values over x, or over the index, and how far each may be off.
struct Line {
  std::string label;
  Pointer y;
  std::optional<Pointer> x, error;
};

Among drawn(display::Scale scale);  // the numbers that have a place on an axis
void note_hidden(Chart& chart);     // notes points without a place
void expect_same_length(Invocation& call, const Pointer& a, const cell::Word& a_word, const Pointer& b,
                        const cell::Word& b_word);
// Takes --labels "first,second".
void take_labels(Invocation& call, std::vector<Line>& lines);

}  // namespace xcuda::command
