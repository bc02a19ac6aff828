#include "nvcc/profile_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/text.hpp"

namespace xcuda::nvcc {
namespace {

using Fields = std::vector<std::string>;

// One line of CSV: fields in quotes may hold commas, and two quotes are one.
Fields fields_of(std::string_view line) {
  Fields fields{{}};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

// "1,234.5" is a number, too.
double number_of(std::string text) {
  std::erase(text, ',');
  return std::strtod(text.c_str(), nullptr);
}

// The rows below the line that has all of these columns; each as a map of its columns.
std::vector<std::map<std::string, std::string>> rows_of(std::string_view report, const Fields& wanted) {
  std::vector<std::map<std::string, std::string>> rows;
  Fields head;
  std::size_t last = 0;  // of the wanted columns
  for (const auto line : split_lines(report)) {
    auto fields = fields_of(line);
    if (head.empty()) {
      const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const auto& column) {
        return std::find(fields.begin(), fields.end(), column) != fields.end();
      });
      if (!all) continue;
      head = std::move(fields);
      for (const auto& column : wanted)
        last = std::max(last, static_cast<std::size_t>(std::find(head.begin(), head.end(), column) - head.begin()));
      continue;
    }
    // Fewer are what the tool says between; Nsight Compute leaves out empty fields at a row's end.
    if (fields.size() <= last || fields.size() > head.size()) continue;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[head[i]] = std::move(fields[i]);
  }
  return rows;
}

// Nanoseconds of a time in the unit that the tool chose; nothing for another unit.
std::optional<double> nanoseconds(const std::string& value, const std::string& unit) {
  static const std::map<std::string, double> kUnits{{"ns", 1},   {"nsecond", 1},   {"us", 1e3}, {"usecond", 1e3},
                                                    {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9},  {"second", 1e9}};
  const auto found = kUnits.find(unit);
  return found == kUnits.end() ? std::nullopt : std::optional(number_of(value) * found->second);
}

void sort_by_time(std::vector<ProfiledKernel>& kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
}

struct Launch {
  std::string kernel;
  std::optional<double> time, compute, memory;
};

}  // namespace

std::vector<ProfiledKernel> parse_ncu(std::string_view report) {
  // A row is a metric of a launch, which has a number.
  std::vector<std::pair<std::string, Launch>> launches;
  for (auto& row : rows_of(report, {"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"})) {
    const auto key = row["Process ID"] + " " + row["ID"];
    auto at = std::find_if(launches.begin(), launches.end(), [&](const auto& one) { return one.first == key; });
    if (at == launches.end()) at = launches.insert(launches.end(), {key, {row["Kernel Name"], {}, {}, {}}});
    const auto& metric = row["Metric Name"];
    const auto& value = row["Metric Value"];
    if (metric == "Duration") at->second.time = nanoseconds(value, row["Metric Unit"]);
    if (metric == "Compute (SM) Throughput" || metric == "Compute (SM) [%]") at->second.compute = number_of(value);
    if (metric == "Memory Throughput" && row["Metric Unit"] == "%") at->second.memory = number_of(value);
    if (metric == "Memory [%]") at->second.memory = number_of(value);
  }
  std::vector<ProfiledKernel> kernels;
  for (const auto& keyed : launches) {
    const auto& launch = keyed.second;
    if (!launch.time) continue;
    auto at = std::find_if(kernels.begin(), kernels.end(), [&](const auto& one) { return one.name == launch.kernel; });
    if (at == kernels.end()) at = kernels.insert(kernels.end(), {launch.kernel, 0, 0, *launch.time, 0, {}, {}});
    // The mean so far, and this one, each with its time.
    const auto mean = [&](std::optional<double>& of, std::optional<double> value) {
      if (value) of = (of.value_or(0) * at->total + *value * *launch.time) / (at->total + *launch.time);
    };
    mean(at->compute, launch.compute);
    mean(at->memory, launch.memory);
    ++at->launches;
    at->total += *launch.time;
    at->shortest = std::min(at->shortest, *launch.time);
    at->longest = std::max(at->longest, *launch.time);
  }
  sort_by_time(kernels);
  return kernels;
}

std::vector<ProfiledKernel> parse_nsys(std::string_view report) {
  std::vector<ProfiledKernel> kernels;
  for (auto& row : rows_of(report, {"Total Time (ns)", "Instances", "Min (ns)", "Max (ns)", "Name"}))
    kernels.push_back({row["Name"],
                       static_cast<std::uint64_t>(number_of(row["Instances"])),
                       number_of(row["Total Time (ns)"]),
                       number_of(row["Min (ns)"]),
                       number_of(row["Max (ns)"]),
                       {},
                       {}});
  sort_by_time(kernels);
  return kernels;
}

}  // namespace xcuda::nvcc
