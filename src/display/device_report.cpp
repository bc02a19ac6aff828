#include "display/device_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.hpp"
#include "display/html.hpp"
#include "display/palette.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

using State = DeviceView::State;

std::string_view state_name(State state) {
  switch (state) {
    case State::available: return "available";
    case State::current: return "current";
    case State::not_started: return "not started";
    case State::unavailable: return "unavailable";
  }
  return "";
}

// "▇▇▇" in the colours of the devices, a copy below the other.
std::string parts_picture(const std::vector<ArrayPart>& parts) {
  constexpr int kWidth = 64, kHeight = 10;
  const bool copies = parts.size() > 1 && parts[1].begin < parts[0].end;
  const double height = copies ? static_cast<double>(kHeight) / static_cast<double>(parts.size()) : kHeight;
  std::string shapes;
  for (std::size_t i = 0; i < parts.size(); ++i)
    shapes += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>",
                          kWidth * parts[i].begin, copies ? height * static_cast<double>(i) : 0.0,
                          kWidth * (parts[i].end - parts[i].begin), copies ? height * 0.8 : height,
                          series_colour(parts[i].device));
  return fmt::format("<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">{2}</svg> ", kWidth, kHeight, shapes);
}

// How much is free is known of a device that runs, and 0 elsewhere.
bool knows_free_memory(const DeviceView& device) {
  return device.state == State::current || device.info.memory_free > 0;
}

Field memory_field(const DeviceView& device) {
  const auto total = device.info.memory_total, free = device.info.memory_free;
  if (total == 0) return "unknown";
  if (!knows_free_memory(device)) return format_bytes(total) + ", use unknown";
  const auto used = total - std::min(free, total);
  const auto text = fmt::format("{} of {} used", format_bytes(used), format_bytes(total));
  return {text, meter(static_cast<double>(used) / static_cast<double>(total), text)};
}

// "gpu:0: 1,980 of 1,980 MHz, memory at 2,619 MHz; 35 °C, 121 of 700 W". What the board does not tell is 0, and left
// out; nothing when it tells nothing.
std::string board_text(const std::string& selector, const device::DeviceInfo& info) {
  const auto& board = *info.board;
  const auto amount = [](double now, double most, std::string_view unit) {
    const auto count = [](double value) { return format_count(static_cast<std::uint64_t>(std::llround(value))); };
    return most > 0 ? fmt::format("{} of {} {}", count(now), count(most), unit)
                    : fmt::format("{} {}", count(now), unit);
  };
  std::vector<std::string> clocks, state;
  if (board.clock_hz > 0) clocks.push_back(amount(1e-6 * board.clock_hz, 1e-6 * info.clock_hz, "MHz"));
  if (board.memory_clock_hz > 0) clocks.push_back("memory at " + amount(1e-6 * board.memory_clock_hz, 0, "MHz"));
  if (board.temperature > 0) state.push_back(fmt::format("{} °C", board.temperature));
  if (board.power > 0) state.push_back(amount(board.power, board.power_limit, "W"));
  std::vector<std::string> parts;
  for (const auto& list : {clocks, state})
    if (!list.empty()) parts.push_back(fmt::format("{}", fmt::join(list, ", ")));
  if (!board.slowed_by.empty()) parts.push_back("slowed by: " + board.slowed_by);
  if (board.memory_errors > 0)
    parts.push_back("memory errors that ECC could not correct: " + format_count(board.memory_errors));
  if (board.remap_pending) parts.emplace_back("rows of memory have failed: reset the GPU to replace them");
  return parts.empty() ? "" : fmt::format("{}: {}", selector, fmt::join(parts, "; "));
}

nlohmann::json device_json(const DeviceView& device) {
  const auto& info = device.info;
  nlohmann::json json = {{"selector", device::to_text(device.selector)},
                         {"state", state_name(device.state)},
                         {"kind", device::kind_name(device.selector.kind)},
                         {"name", info.name},
                         {"architecture", info.architecture},
                         {"driver", info.driver},
                         {"uuid", info.uuid},
                         {"memory_total", nullptr},
                         {"memory_free", nullptr},
                         {"array_bytes", device.array_bytes},
                         {"memory_outlives_process", info.memory_outlives_process},
                         {"multiprocessors", info.multiprocessors},
                         {"warp_size", info.warp_size},
                         {"max_threads_per_block", info.max_threads_per_block},
                         {"shared_per_block", info.shared_per_block},
                         {"shared_per_block_optin", info.shared_per_block_optin},
                         {"l2_cache", info.l2_cache},
                         {"peak_bandwidth", info.peak_bandwidth},
                         {"clock_hz", info.clock_hz},
                         {"memory_clock_hz", info.memory_clock_hz},
                         {"cooperative_launch", info.cooperative_launch},
                         {"process", info.process}};
  if (info.memory_total > 0) json["memory_total"] = info.memory_total;
  if (info.memory_total > 0 && knows_free_memory(device)) json["memory_free"] = info.memory_free;
  if (info.ecc) json["ecc"] = *info.ecc;
  if (const auto& board = info.board)
    json["board"] = {{"clock_hz", board->clock_hz},           {"memory_clock_hz", board->memory_clock_hz},
                     {"temperature", board->temperature},     {"power", board->power},
                     {"power_limit", board->power_limit},     {"slowed_by", board->slowed_by},
                     {"memory_errors", board->memory_errors}, {"remap_pending", board->remap_pending}};
  for (const auto& member : device.members)
    json["members"].push_back({{"name", member.name},
                               {"uuid", member.uuid},
                               {"memory_total", member.memory_total},
                               {"memory_free", member.memory_free},
                               {"process", member.process}});
  if (!device.reason.empty()) json["reason"] = device.reason;
  return json;
}

}  // namespace

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const auto extent : shape) text += (text.empty() ? "" : " × ") + format_count(extent);
  return text;
}

std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(index % shape[axis]) + (text.empty() ? "" : ", ") + text;
    index /= shape[axis];
  }
  return text;
}

Bundle device_bundle(const std::vector<DeviceView>& devices, std::string_view picture) {
  Table table;
  table.columns = {{""},
                   {"device", Align::left, Column::Kind::code},
                   {"name"},
                   {"compute", Align::right},
                   {"SMs", Align::right},
                   {"memory"},
                   {"arrays", Align::right},
                   {"bandwidth", Align::right},
                   {"driver"}};
  for (const auto& device : devices) {
    const auto& info = device.info;
    const auto selector = device::to_text(device.selector);
    std::vector<Field> row = {device.state == State::current ? Field("*", element("span", "xc-mark", "●")) : Field(""),
                              selector, info.name};
    if (device.state == State::unavailable) {
      table.notes.push_back(fmt::format("{} is unavailable: {}", selector, device.reason));
      table.rows.push_back(std::move(row));
      continue;
    }
    row.emplace_back(info.compute_major > 0 ? fmt::format("{}.{}", info.compute_major, info.compute_minor)
                                            : info.architecture);
    row.emplace_back(info.multiprocessors > 0 ? std::to_string(info.multiprocessors) : "");
    row.push_back(memory_field(device));
    row.emplace_back(format_bytes(device.array_bytes));
    row.emplace_back(info.peak_bandwidth > 0 ? format_rate(info.peak_bandwidth) : "");
    row.emplace_back(info.driver + (info.ecc ? (*info.ecc ? ", ECC on" : ", ECC off") : ""));
    if (info.board)
      if (auto line = board_text(selector, info); !line.empty()) table.notes.push_back(std::move(line));
    for (std::size_t i = 0; i < device.members.size(); ++i) {
      const auto& member = device.members[i];
      const auto used = member.memory_total - std::min(member.memory_free, member.memory_total);
      table.notes.push_back(fmt::format("device {}: {}, {} of {} used, process {}", i, member.name, format_bytes(used),
                                        format_bytes(member.memory_total), member.process));
    }
    table.notes.insert(table.notes.end(), device.links.begin(), device.links.end());
    if (device.state == State::not_started) table.notes.push_back(selector + " is not started yet");
    if (device.state == State::current && !info.memory_outlives_process)
      table.notes.push_back(selector + " cannot share its memory between processes: arrays will not survive a fault");
    table.rows.push_back(std::move(row));
  }
  drop_empty_columns(table);
  Bundle bundle = table_bundle(table);
  if (!picture.empty()) bundle.data[kHtmlMime] = html_output(table_html(table) + std::string(picture));
  auto list = nlohmann::json::array();
  for (const auto& device : devices) list.push_back(device_json(device));
  bundle.data[kDeviceMime] = {{"schema", 1}, {"devices", std::move(list)}};
  return bundle;
}

Bundle array_list_bundle(const ArrayList& list) {
  Table table;
  table.title = list.title;
  const bool cells =
      std::any_of(list.arrays.begin(), list.arrays.end(), [](const ArrayRow& array) { return !array.defined.empty(); });
  const bool types = std::any_of(list.arrays.begin(), list.arrays.end(),
                                 [](const ArrayRow& array) { return dtype_name(array.type) != array.type.name; });
  table.columns = {{"array", Align::left, Column::Kind::code}, {"dtype"}};
  if (types) table.columns.push_back({"type", Align::left, Column::Kind::code});
  table.columns.insert(table.columns.end(), {{"shape"}, {"size", Align::right}, {"device"}});
  if (cells) table.columns.push_back({"cell"});
  auto arrays = nlohmann::json::array();
  std::uint64_t bytes = 0;
  for (const auto& array : list.arrays) {
    bytes += array.bytes;
    std::vector<Field> row = {array.name, dtype_name(array.type)};
    if (types) row.emplace_back(std::string(array.type.as_written()));
    const auto size = format_bytes(array.bytes);
    const double share =
        list.largest() > 0 ? static_cast<double>(array.bytes) / static_cast<double>(list.largest()) : 0;
    row.insert(row.end(),
               {shape_text(array.shape), list.arrays.size() > 1 ? Field(size, meter(share, size)) : Field(size),
                array.parts.empty() ? Field(array.device)
                                    : Field(array.device, parts_picture(array.parts) + html_escape(array.device))});
    if (cells) row.emplace_back(array.defined);
    table.rows.push_back(std::move(row));
    arrays.push_back({{"name", array.name},
                      {"dtype", dtype_name(array.type)},
                      {"type", array.type.name},
                      {"shape", array.shape},
                      {"bytes", array.bytes},
                      {"device", array.device},
                      {"defined", array.defined}});
    for (const auto& part : array.parts)
      arrays.back()["parts"].push_back({{"device", part.device}, {"begin", part.begin}, {"end", part.end}});
  }
  const auto count = list.arrays.size();
  auto total = count == 0
                   ? std::string("no arrays")
                   : fmt::format("{} array{}, {}", format_count(count), count == 1 ? "" : "s", format_bytes(bytes));
  if (list.memory_total > 0)
    total += fmt::format("; {} of {} free{}", format_bytes(list.memory_free), format_bytes(list.memory_total),
                         list.device.empty() ? "" : " on " + list.device);
  table.notes.push_back(total);
  table.notes.insert(table.notes.end(), list.notes.begin(), list.notes.end());
  if (count == 0) table.columns.clear();
  Bundle bundle = count == 0 ? text_bundle(total) : table_bundle(table);
  bundle.data[kArrayMime] = {{"schema", 1},
                             {"arrays", std::move(arrays)},
                             {"bytes", bytes},
                             {"memory_total", list.memory_total},
                             {"memory_free", list.memory_free},
                             {"device", list.device}};
  return bundle;
}

}  // namespace xcuda::display
