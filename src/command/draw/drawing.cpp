#include "command/draw/drawing.hpp"

#include <fmt/format.h>

#include <functional>

#include "arrays/array_node.hpp"
#include "base/output_file.hpp"
#include "base/units.hpp"
#include "command/runner.hpp"
#include "display/device_report.hpp"

namespace xcuda::command {
namespace {

using Maker = std::function<std::vector<std::byte>()>;

// makers: by the endings of the names of files.
void save(Invocation& call, const std::vector<std::pair<std::string_view, Maker>>& makers) {
  const auto path = call.arguments.word("--save");
  if (!path) return;
  call.run.current = path->span;
  std::vector<std::string_view> endings;
  for (const auto& [ending, make] : makers) {
    if (path->text.ends_with(ending)) return write_file(path->text, make());
    endings.push_back(ending);
  }
  throw call
      .error(ErrorKind::value,
             fmt::format("{} saves {} files, but the name is \"{}\"", call.title(), fmt::join(endings, " and "),
                         path->text),
             *path)
      .advise(fmt::format("Name it {}{}.", path->text.substr(0, path->text.rfind('.')), endings.front()));
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

void show_under_id(Invocation& call, const display::Bundle& bundle, std::string_view part) {
  if (const auto id = call.arguments.text("--id"))
    call.run.sink.display_as(fmt::format("{}{}", *id, part), bundle);
  else
    call.show(bundle);
}

session::Pointer array_at(Invocation& call, const cell::Word& word) {
  auto array = call.any_array(word);
  auto lane = array.type;
  if (lane.lanes > 1) lane = type_of(lane.scalar);
  if (!session::is_pictured(lane)) {
    auto error = call.error(
        ErrorKind::type,
        fmt::format("{} cannot draw {}: its elements are {}", call.title(), word.text, array.type.name), word);
    throw std::move(error).advise("It draws only numbers: copy a member to its own array.");
  }
  return array;
}

session::Pointer row_at(Invocation& call, const cell::Word& word) {
  auto array = array_at(call, word);
  if (array.type.lanes > 1)
    throw call
        .error(ErrorKind::type,
               fmt::format("{} cannot draw {}: its elements are {}", call.title(), word.text, array.type.name), word)
        .advise("It draws only numbers: copy a member to its own array.");
  array.shape = {elements_of(array)};
  return array;
}

std::string drawn_name(const session::Pointer& array, const cell::Word& word) {
  return array.type.is_complex() ? fmt::format("|{}|", word.text) : word.text;
}

std::uint64_t elements_of(const session::Pointer& array) { return arrays::count_of(array.shape); }

std::string array_title(const session::Pointer& array) {
  return fmt::format("{}, {}", dtype_name(array.type), display::shape_text(array.shape));
}

void show_picture(Invocation& call, const display::ImageView& image) {
  auto png = display::image_png(image);
  save(call, {{".png", [&] { return png; }}});
  show_under_id(call, display::image_bundle(image, png));
  if (const auto id = call.arguments.text("--id")) call.runner.frames().add(*id, call.run.source.name, std::move(png));
  show_under_id(call, display::legend_bundle(image), "/legend");
}

void show_picture(Invocation& call, const display::Chart& chart) {
  save(call, {{".svg", [&] { return bytes_of(display::chart_svg(chart)); }},
              {".pdf", [&] { return bytes_of(display::chart_pdf(chart)); }}});
  show_under_id(call, display::chart_bundle(chart));
}

void show_picture(Invocation& call, const display::AnimationView& animation) {
  save(call, {{".png", [&] { return display::animated_png(animation); }}});
  show_under_id(call, display::animation_bundle(animation));
}

void label(const Invocation& call, display::Chart& chart) {
  chart.title = call.arguments.text("--title").value_or(chart.title);
  chart.x_label = call.arguments.text("--xlabel").value_or(chart.x_label);
  chart.y_label = call.arguments.text("--ylabel").value_or(chart.y_label);
  if (call.arguments.has("--logx")) chart.x_scale = display::Scale::logarithmic;
  if (call.arguments.has("--logy")) chart.y_scale = display::Scale::logarithmic;
}

}  // namespace xcuda::command
