#include "session/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "base/units.hpp"
#include "compiler/options.hpp"

namespace xcuda::session {
namespace {

constexpr double kLeastDuration = 1;                            // seconds
constexpr std::uint64_t kLeastMemory = std::uint64_t{2} << 20;  // bytes: one piece of a device's memory

template <class Number> bool read(std::string_view text, Number& target, Number least) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least)) return false;
  target = value;
  return true;
}

bool read_seconds(std::string_view text, double& target) {
  double scale = 1;
  if (text.ends_with("ms")) {
    scale = 1e-3;
    text.remove_suffix(2);
  } else if (text.ends_with("s"))
    text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  if (!read(text, value, 0.0) || !(value * scale <= kMaxSeconds)) return false;
  target = value * scale;
  return true;
}

bool read_bytes(std::string_view text, std::uint64_t& target) {
  std::uint64_t scale = 1;
  for (const auto& [suffix, unit] : {std::pair<std::string_view, std::uint64_t>{"KiB", 1 << 10},
                                     {"MiB", 1 << 20},
                                     {"GiB", 1 << 30},
                                     {"kB", 1000},
                                     {"MB", 1000 * 1000},
                                     {"GB", 1000 * 1000 * 1000},
                                     {"k", 1 << 10},
                                     {"M", 1 << 20},
                                     {"G", 1 << 30}}) {
    if (!text.ends_with(suffix)) continue;
    scale = unit;
    text.remove_suffix(suffix.size());
    break;
  }
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::uint64_t value = 0;
  if (!read<std::uint64_t>(text, value, 0) || value > (std::uint64_t{1} << 50) / scale) return false;
  target = value * scale;
  return true;
}

std::string seconds_text(double seconds) { return seconds == 0 ? "0 (no limit)" : fmt::format("{} s", seconds); }

bool read_switch(std::string_view text, bool& target) {
  if (text != "on" && text != "off") return false;
  target = text == "on";
  return true;
}

}  // namespace

const std::vector<Setting>& setting_table() {
  static const std::vector<Setting> rows = {
      {"grace", "SECONDS", "how long an interrupted cell may take to stop before its process is replaced",
       [](const Settings& s) { return fmt::format("{} s", s.grace); },
       [](Settings& s, std::string_view text) { return read_seconds(text, s.grace); }},
      {"timeout", "SECONDS",
       "how long the launches of a cell may take, from here on; %%launch --timeout is for one cell; 0 means no limit",
       [](const Settings& s) { return seconds_text(s.timeout); },
       [](Settings& s, std::string_view text) { return read_seconds(text, s.timeout); }},
      {"duration", "SECONDS",
       "how long each later cell may take in all, at least 1 s, before it is interrupted; 0 means no limit",
       [](const Settings& s) { return seconds_text(s.duration); },
       [](Settings& s, std::string_view text) {
         double seconds = 0;
         // A cell that takes the limit away must have the time for it.
         if (!read_seconds(text, seconds) || (seconds > 0 && seconds < kLeastDuration)) return false;
         s.duration = seconds;
         return true;
       }},
      {"memory", "BYTES|off",
       "how much memory all arrays together may take, and each worker by itself (at least 1 GiB); off: all there is",
       [](const Settings& s) { return s.memory == 0 ? std::string("off") : format_bytes(s.memory); },
       [](Settings& s, std::string_view text) {
         if (text == "off") return s.memory = 0, true;
         std::uint64_t bytes = 0;
         if (!read_bytes(text, bytes) || bytes < kLeastMemory) return false;
         s.memory = bytes;
         return true;
       }},
      {"processes", "COUNT|off", "how many processes a command or program of a cell may have at once",
       [](const Settings& s) { return s.processes == 0 ? std::string("off") : std::to_string(s.processes); },
       [](Settings& s, std::string_view text) {
         if (text == "off") return s.processes = 0, true;
         return read<std::uint64_t>(text, s.processes, 1);
       }},
      {"idle", "MINUTES|off", "how long the device may be idle before its process and context end; arrays are kept",
       [](const Settings& s) { return s.idle == 0 ? std::string("off") : fmt::format("{} min", s.idle); },
       [](Settings& s, std::string_view text) {
         if (text == "off") {
           s.idle = 0;
           return true;
         }
         if (text.ends_with("min")) text.remove_suffix(3);
         while (text.ends_with(' ')) text.remove_suffix(1);
         double minutes = 0;
         if (!read(text, minutes, 0.0) || minutes > 1e6) return false;
         s.idle = minutes;
         return true;
       }},
      {"output", "BYTES", "how much output a cell may send before the rest is dropped",
       [](const Settings& s) { return format_bytes(s.output_cap); },
       [](Settings& s, std::string_view text) { return read_bytes(text, s.output_cap); }},
      {"checks", "on|off", "bounds checks of the CPU device",
       [](const Settings& s) { return std::string(s.bounds_checks ? "on" : "off"); },
       [](Settings& s, std::string_view text) { return read_switch(text, s.bounds_checks); }},
      {"deterministic", "on|off",
       "whether libraries add in a fixed order, so that a cell gives the same bits each time",
       [](const Settings& s) { return std::string(s.deterministic ? "on" : "off"); },
       [](Settings& s, std::string_view text) { return read_switch(text, s.deterministic); }},
      {"split_launches", "on|off",
       "whether devices that are used together share the grid of a launch whose arrays are split, where that is safe",
       [](const Settings& s) { return std::string(s.split ? "on" : "off"); },
       [](Settings& s, std::string_view text) { return read_switch(text, s.split); }},
      {"tf32", "on|off", "whether matmul() of float rounds the factors to TF32, which is faster on a GPU",
       [](const Settings& s) { return std::string(s.tf32 ? "on" : "off"); },
       [](Settings& s, std::string_view text) { return read_switch(text, s.tf32); }},
      {"options", "OPTIONS", "NVRTC options of every compile, before the cell's own",
       [](const Settings& s) { return s.compiler_options.empty() ? std::string("(none)") : s.compiler_options; },
       [](Settings& s, std::string_view text) {
         compiler::OptionsRequest request;
         request.words = compiler::words_of(text);
         compiler::parse_options(request);  // throws what is wrong with them
         s.compiler_options = text;
         return true;
       }},
      {"launcher", "COMMAND", "the command that starts the ranks of %device mpi:N; {n} in it is their number",
       [](const Settings& s) { return s.launcher; },
       [](Settings& s, std::string_view text) { return s.launcher = text, !text.empty(); }},
      {"precision", "DIGITS", "digits after the point of array elements",
       [](const Settings& s) { return std::to_string(s.precision); },
       [](Settings& s, std::string_view text) { return read(text, s.precision, 0) && s.precision <= 17; }},
      {"edge", "ITEMS", "elements shown at each end of a long axis",
       [](const Settings& s) { return std::to_string(s.edge_items); },
       [](Settings& s, std::string_view text) {
         return read<std::uint64_t>(text, s.edge_items, 1) && s.edge_items <= 1000;
       }},
      {"threshold", "ELEMENTS",
       "arrays with more elements are summarised; page: with more than 20 lines of 120 columns",
       [](const Settings& s) { return s.threshold ? std::to_string(*s.threshold) : "page"; },
       [](Settings& s, std::string_view text) {
         if (text == "page") return s.threshold.reset(), true;
         return read<std::uint64_t>(text, s.threshold.emplace(), 1) && *s.threshold <= 1000000;
       }},
  };
  return rows;
}

const Setting* find_setting(std::string_view name) {
  for (const auto& row : setting_table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace xcuda::session
