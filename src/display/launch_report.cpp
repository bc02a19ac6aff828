#include "display/launch_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/figures.hpp"
#include "display/html.hpp"
#include "display/readable_name.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

std::uint64_t argument_bytes(const LaunchView& launch) {
  return std::accumulate(launch.arguments.begin(), launch.arguments.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ArrayArgument& argument) { return sum + argument.bytes; });
}

// Bytes per second over the median time; unless they were counted, at most so many. 0 where that says nothing: one of
// both is not known, or memory cannot be that fast, so that the kernel did not touch all that it was given.
double bandwidth(const LaunchView& launch, double peak) {
  constexpr double kFastestHost = 1e12;  // bytes per second; bounds devices whose peak is unknown
  if (launch.times.empty()) return 0;
  const double median = summarise(launch.times).median;
  const double rate = median > 0 ? static_cast<double>(traffic_of(launch)) / (median * 1e-9) : 0;
  return rate <= (peak > 0 ? peak : kFastestHost) ? rate : 0;
}

std::string use_text(const ArrayArgument& argument) {
  if (argument.reads && argument.writes) return "read and written";
  return argument.reads ? "read" : argument.writes ? "written" : "not used";
}

std::uint64_t shared_bytes(const LaunchView& launch) {
  return launch.dynamic_shared + (launch.function ? launch.function->shared_bytes : 0);
}

// Operations per second over the median time; 0 where either is unknown.
double operation_rate(const LaunchView& launch) {
  if (!launch.library || launch.times.empty()) return 0;
  const double median = summarise(launch.times).median;
  return median > 0 ? launch.library->operations / (median * 1e-9) : 0;
}

// More than the peak would be a wrong clock, and says nothing.
std::string operations_of_peak(const LaunchView& launch) {
  const double rate = operation_rate(launch), peak = launch.library ? launch.library->peak : 0;
  if (rate <= 0) return "";
  return rate < peak ? fmt::format("{}, {}", operations_text(rate), percent(rate / peak)) : operations_text(rate);
}

std::string configuration(const LaunchView& launch) {
  if (launch.library) return fmt::format("{}, {}", launch.library->library, launch.library->arithmetic);
  if (launch.graph_nodes > 0)
    return fmt::format("{} node{}", format_count(launch.graph_nodes), launch.graph_nodes == 1 ? "" : "s");
  auto text = fmt::format("{} × {}", dim_text(launch.grid), dim_text(launch.block));
  if (launch.cluster) text += ", clusters of " + dim_text(*launch.cluster);
  return text;
}

bool any(const LaunchReport& report, const std::function<bool(const LaunchView&)>& holds) {
  return std::any_of(report.launches.begin(), report.launches.end(), holds);
}

// One column of the table: its title and what it shows for a launch.
struct Figure {
  Column column;
  std::function<Field(const LaunchView&)> field;
};

std::vector<Figure> time_figures(const LaunchReport& report) {
  if (!any(report, [](const LaunchView& launch) { return !launch.times.empty(); })) return {};
  const auto time = [](double TimeSummary::*which) {
    return [which](const LaunchView& launch) -> Field {
      return launch.times.empty() ? "" : time_text(summarise(launch.times).*which);
    };
  };
  if (!any(report, [](const LaunchView& launch) { return launch.times.size() > 1; }))
    return {{{"time", Align::right}, time(&TimeSummary::median)}};
  return {{{"runs", Align::right}, [](const LaunchView& launch) -> Field { return format_count(launch.times.size()); }},
          {{"median", Align::right}, time(&TimeSummary::median)},
          {{"min", Align::right}, time(&TimeSummary::minimum)},
          {{"max", Align::right}, time(&TimeSummary::maximum)},
          {{"spread", Align::right}, [](const LaunchView& launch) -> Field {
             if (launch.times.size() < 2 || summarise(launch.times).median <= 0) return "";
             const auto text = "± " + percent(summarise(launch.times).spread), shape = distribution(launch.times);
             return shape.empty() ? Field(text)
                                  : Field(text, html_escape(text) + " " + element("span", "xc-spark", shape));
           }}};
}

Field bandwidth_field(const LaunchView& launch, double peak) {
  const double rate = bandwidth(launch, peak);
  if (rate <= 0) return "";
  const auto known = (launch.counted ? "" : "≤ ") + format_rate(rate);
  if (peak <= 0) return known;
  const auto text = fmt::format("{}, {}", known, percent(rate / peak));
  return {text, meter(rate / peak, text)};
}

std::vector<Figure> figures_of(const LaunchReport& report) {
  std::vector<Figure> figures = {
      {{"kernel", Align::left, Column::Kind::code},
       [](const LaunchView& launch) { return kernel_field(launch.kernel); }},
      {{any(report, [](const LaunchView& launch) { return !launch.library; }) ? "grid × block" : "library",
        Align::left},
       [](const LaunchView& launch) -> Field { return configuration(launch); }}};
  if (any(report, [](const LaunchView& launch) { return launch.device.has_value(); }))
    figures.insert(figures.begin() + 1, {{"device", Align::right}, [](const LaunchView& launch) -> Field {
                                           return launch.device ? std::to_string(*launch.device) : "";
                                         }});
  if (any(report,
          [](const LaunchView& launch) { return launch.launches > 1 && launch.times.size() != launch.launches; }))
    figures.push_back(
        {{"launches", Align::right}, [](const LaunchView& launch) -> Field { return format_count(launch.launches); }});
  for (auto& figure : time_figures(report)) figures.push_back(std::move(figure));
  if (any(report, [&](const LaunchView& launch) { return bandwidth(launch, report.peak_bandwidth) > 0; }))
    figures.push_back(
        {{report.peak_bandwidth > 0 ? "bandwidth, of peak" : "bandwidth"},
         [peak = report.peak_bandwidth](const LaunchView& launch) { return bandwidth_field(launch, peak); }});
  const bool peaked = any(report, [](const LaunchView& launch) { return launch.library && launch.library->peak > 0; });
  if (any(report, [](const LaunchView& launch) { return operation_rate(launch) > 0; }))
    figures.push_back({{peaked ? "operations / time, of peak" : "operations / time"},
                       [](const LaunchView& launch) -> Field { return operations_of_peak(launch); }});
  if (any(report, [](const LaunchView& launch) { return launch.function && launch.function->registers > 0; }))
    figures.push_back({{"registers", Align::right}, [](const LaunchView& launch) -> Field {
                         return launch.function ? std::to_string(launch.function->registers) : "";
                       }});
  if (any(report, [](const LaunchView& launch) { return shared_bytes(launch) > 0; }))
    figures.push_back({{"shared", Align::right},
                       [](const LaunchView& launch) -> Field { return format_bytes(shared_bytes(launch)); }});
  if (any(report, [](const LaunchView& launch) { return launch.function && launch.function->local_bytes > 0; }))
    figures.push_back({{"local", Align::right}, [](const LaunchView& launch) -> Field {
                         return launch.function ? format_bytes(launch.function->local_bytes) : "";
                       }});
  if (any(report, [](const LaunchView& launch) {
        return launch.function && launch.function->spills && launch.function->spills->any();
      }))
    figures.push_back({{"spills, st / ld", Align::right}, [](const LaunchView& launch) -> Field {
                         return launch.function ? short_spills_text(*launch.function) : "";
                       }});
  if (any(report, [](const LaunchView& launch) { return launch.occupancy.has_value(); }))
    figures.push_back({{"occupancy"}, [](const LaunchView& launch) -> Field {
                         return launch.occupancy ? occupancy_field(*launch.occupancy) : Field("");
                       }});
  return figures;
}

// Remarks below the table, each once.
void add_remarks(Table& table, const LaunchReport& report) {
  const auto add = [](std::vector<std::string>& lines, std::string line) {
    if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  };
  std::vector<std::string> restored;
  for (const auto& launch : report.launches)
    for (const auto& name : launch.restored) add(restored, name);
  if (!restored.empty())
    table.notes.push_back(fmt::format("{} {} restored before each repetition: the result is that of one launch",
                                      fmt::join(restored, ", "), restored.size() == 1 ? "was" : "were"));
  for (const auto& launch : report.launches) {
    if (launch.function)
      if (const auto advice = local_memory_advice(*launch.function); !advice.empty())
        add(table.warnings, readable_name(launch.kernel) + ": " + advice);
    for (const auto& note : launch.notes) add(table.notes, note);
  }
}

nlohmann::json launch_json(const LaunchView& launch, double peak) {
  nlohmann::json json = {{"kernel", launch.kernel},
                         {"source", launch.source},
                         {"line", launch.line},
                         {"grid", dim_json(launch.grid)},
                         {"block", dim_json(launch.block)},
                         {"launches", launch.launches},
                         {"warmup", launch.warmup},
                         {"times", launch.times},
                         {"bytes", argument_bytes(launch)},
                         {"dynamic_shared", launch.dynamic_shared}};
  if (launch.device) json["device"] = *launch.device;
  if (launch.graph_nodes > 0) json["graph_nodes"] = launch.graph_nodes;
  if (launch.cluster) json["cluster"] = dim_json(*launch.cluster);
  if (const auto& library = launch.library) {
    json["library"] = {{"name", library->library},
                       {"algorithm", library->algorithm},
                       {"arithmetic", library->arithmetic},
                       {"operations", library->operations}};
    if (library->peak > 0) json["library"]["peak"] = library->peak;
  }
  if (!launch.times.empty()) {
    const auto time = summarise(launch.times);
    json["median"] = time.median;
    json["min"] = time.minimum;
    json["max"] = time.maximum;
    if (time.median > 0) json["spread"] = time.spread;
  }
  if (const auto traffic = traffic_of(launch); traffic > 0) {
    json["traffic"] = traffic;
    json["counted"] = launch.counted.has_value();
  }
  if (const double rate = bandwidth(launch, peak); rate > 0) {
    json["bandwidth"] = rate;
    if (peak > 0) json["of_peak"] = rate / peak;
  }
  auto arguments = nlohmann::json::array();
  for (const auto& argument : launch.arguments)
    arguments.push_back({{"parameter", argument.parameter},
                         {"array", argument.array},
                         {"bytes", argument.bytes},
                         {"reads", argument.reads},
                         {"writes", argument.writes}});
  json["arguments"] = std::move(arguments);
  if (launch.function) add_resources(json, *launch.function);
  if (launch.occupancy) json["occupancy"] = occupancy_json(*launch.occupancy);
  return json;
}

// Details that do not fit a row: one folded table for each launch.
std::string details(const LaunchView& launch, double peak) {
  Table table;
  table.columns = {{""}, {""}};
  const auto add = [&](std::string what, std::string value) {
    if (!value.empty()) table.rows.push_back({std::move(what), std::move(value)});
  };
  if (launch.library) {
    add("library", launch.library->library);
    add("algorithm", launch.library->algorithm);
    add("arithmetic", launch.library->arithmetic);
    add("operations", operations_of_peak(launch));
  } else {
    add("threads", fmt::format("{} in {} block{} of {}", format_count(launch.grid.count() * launch.block.count()),
                               format_count(launch.grid.count()), launch.grid.count() == 1 ? "" : "s",
                               format_count(launch.block.count())));
  }
  if (launch.cluster) add("cluster", dim_text(*launch.cluster));
  if (!launch.times.empty()) {
    const auto time = summarise(launch.times);
    add("time", launch.times.size() == 1
                    ? time_text(time.median)
                    : fmt::format("median {}, from {} to {}, {} runs{}", time_text(time.median),
                                  time_text(time.minimum), time_text(time.maximum), format_count(launch.times.size()),
                                  launch.warmup > 0 ? fmt::format(" after {} to warm up", launch.warmup) : ""));
    if (const auto shape = distribution(launch.times); !shape.empty())
      table.rows.push_back({Field("distribution"), Field(shape, element("span", "xc-spark", shape))});
  }
  for (const auto& argument : launch.arguments)
    add(fmt::format("{}{}", argument.parameter,
                    argument.array.empty() || argument.array == argument.parameter ? "" : " = " + argument.array),
        fmt::format("{}, {}", format_bytes(argument.bytes), use_text(argument)));
  if (const double rate = bandwidth(launch, peak); rate > 0)
    add("bandwidth",
        fmt::format("{}{}: {} over the median, {}{}", launch.counted ? "" : "at most ", format_rate(rate),
                    format_bytes(traffic_of(launch)),
                    launch.counted ? "counted in one more launch: each byte that it read and each that it wrote, once"
                                   : "each element counted once if the code reads its array and once if it writes it",
                    peak > 0 ? fmt::format("; {} of the peak of {}", percent(rate / peak), format_rate(peak)) : ""));
  if (launch.occupancy) {
    const auto& occupancy = *launch.occupancy;
    add("occupancy",
        fmt::format(
            "{} of the warps that a multiprocessor can hold, in {} block{}{}", percent(occupancy.fraction),
            occupancy.blocks_per_multiprocessor, occupancy.blocks_per_multiprocessor == 1 ? "" : "s",
            occupancy.fraction < 0.995 && !occupancy.limiter.empty()
                ? fmt::format("; more would need fewer {}",
                              occupancy.limiter == "shared memory" ? "bytes of shared memory" : occupancy.limiter)
                : ""));
  }
  if (launch.function) {
    const auto& function = *launch.function;
    if (function.registers > 0) add("registers", fmt::format("{} a thread", function.registers));
    add("shared memory", shared_bytes(launch) == 0
                             ? "none"
                             : fmt::format("{} a block, {} of it dynamic", format_bytes(shared_bytes(launch)),
                                           format_bytes(launch.dynamic_shared)));
    add("local memory", function.local_bytes == 0 ? "none" : format_bytes(function.local_bytes) + " a thread");
    add("spilled registers", spills_text(function));
  }
  return folded(fmt::format("details of {}, {}:{}", readable_name(launch.kernel), launch.source, launch.line),
                table_html(table));
}

}  // namespace

std::uint64_t traffic_of(const LaunchView& launch) {
  if (launch.counted) return *launch.counted;
  if (launch.reaches_elsewhere) return 0;
  return std::accumulate(launch.arguments.begin(), launch.arguments.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ArrayArgument& argument) { return sum + argument.traffic(); });
}

Bundle launch_bundle(const LaunchReport& report) {
  const auto figures = figures_of(report);
  Table table;
  for (const auto& figure : figures) table.columns.push_back(figure.column);
  for (const auto& launch : report.launches) {
    std::vector<Field> row;
    for (const auto& figure : figures) row.push_back(figure.field(launch));
    table.rows.push_back(std::move(row));
  }
  add_remarks(table, report);
  if (!report.device.empty()) {
    auto line = "on " + report.device;
    if (report.peak_bandwidth > 0) line += fmt::format(", peak {}", format_rate(report.peak_bandwidth));
    table.notes.insert(table.notes.begin(), std::move(line));
  }
  Bundle bundle = table_bundle(table);
  std::string html = table_html(table), more;
  for (const auto& launch : report.launches) more += details(launch, report.peak_bandwidth);
  bundle.data[kHtmlMime] = html_output(html + (report.launches.size() > 1 ? folded("details", more) : more));
  auto launches = nlohmann::json::array();
  for (const auto& launch : report.launches) launches.push_back(launch_json(launch, report.peak_bandwidth));
  bundle.data[kLaunchMime] = {{"schema", 1},
                              {"device", report.device},
                              {"peak_bandwidth", report.peak_bandwidth},
                              {"launches", std::move(launches)}};
  return bundle;
}

}  // namespace xcuda::display
