// Options that several drawing commands have.
#pragma once

#include "command/command_table.hpp"
#include "display/colour_map.hpp"

namespace xcuda::command {

inline const Option kSaveImage = {
    .name = "--save", .type = OptionType::text, .value = "FILE", .help = "write the image to a PNG file, too"};
inline const Option kSaveChart = {
    .name = "--save", .type = OptionType::text, .value = "FILE", .help = "write the chart to an SVG or PDF file, too"};
inline const Option kId = {.name = "--id",
                           .type = OptionType::text,
                           .value = "NAME",
                           .help = "replace what this cell has shown under the name; a loop makes an animation"};
inline const Option kColours = {.name = "--cmap",
                                .type = OptionType::choice,
                                .value = "MAP",
                                .help = "colours of numbers (viridis); coolwarm suits values around zero",
                                .choices = display::colour_map_names()};
inline const Option kLeast = {.name = "--vmin",
                              .type = OptionType::number,
                              .value = "X",
                              .help = "the value of the first colour (the least value shown)",
                              .minimum = kAnyNumber};
inline const Option kGreatest = {.name = "--vmax",
                                 .type = OptionType::number,
                                 .value = "X",
                                 .help = "the value of the last colour (the greatest value shown)",
                                 .minimum = kAnyNumber};
inline const Option kTitle = {.name = "--title", .type = OptionType::text, .value = "TEXT", .help = "a title above"};
inline const Option kXLabel = {
    .name = "--xlabel", .type = OptionType::text, .value = "TEXT", .help = "what the horizontal axis shows"};
inline const Option kYLabel = {
    .name = "--ylabel", .type = OptionType::text, .value = "TEXT", .help = "what the vertical axis shows"};
inline const Option kLogX = {.name = "--logx", .help = "a logarithmic horizontal axis"};
inline const Option kLogY = {.name = "--logy", .help = "a logarithmic vertical axis"};
inline const Option kLabels = {.name = "--labels",
                               .type = OptionType::text,
                               .value = "\"A,B\"",
                               .help = "names of the series, separated by commas"};

}  // namespace xcuda::command
