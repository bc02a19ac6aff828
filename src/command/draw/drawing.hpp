// What the commands that draw arrays share: which arrays, which options, and where the result goes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arrays/picture.hpp"
#include "command/invocation.hpp"
#include "display/animation.hpp"
#include "display/chart/chart.hpp"

namespace xcuda::command {

// The array that a word names, with numbers or vectors of numbers. Error(type) for anything else.
session::Pointer array_at(Invocation& call, const cell::Word& word);
// The array that a word names as one dimension: the elements in order.
session::Pointer row_at(Invocation& call, const cell::Word& word);

// The name of what the picture shows: "u", for complex numbers the magnitude "|u|".
std::string drawn_name(const session::Pointer& array, const cell::Word& word);

std::uint64_t elements_of(const session::Pointer& array);
std::string array_title(const session::Pointer& array);  // "float32, 512 × 512"

// Shows under --id where one is given; part: a part of what is shown under it.
void show_under_id(Invocation& call, const display::Bundle& bundle, std::string_view part = "");
// Shows the result, under --id where one is given, and writes it to --save. An image under --id is a frame of an
// animation.
void show_picture(Invocation& call, const display::ImageView& image);
void show_picture(Invocation& call, const display::Chart& chart);
void show_picture(Invocation& call, const display::AnimationView& animation);
// Applies --title, --xlabel, --ylabel, --logx, --logy.
void label(const Invocation& call, display::Chart& chart);

}  // namespace xcuda::command
