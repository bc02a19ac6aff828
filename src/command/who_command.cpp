// %who
#include <fmt/format.h>

#include <map>

#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "command/scope.hpp"
#include "display/device_report.hpp"
#include "display/table.hpp"

namespace xcuda::command {
namespace {

void run_who(Invocation& call) {
  const auto scope = scope_of(call.session);
  display::Table table{.title = "Names",
                       .columns = {{.title = "name", .kind = display::Column::Kind::code},
                                   {.title = "what"},
                                   {.title = "declared as", .kind = display::Column::Kind::code},
                                   {.title = "value", .kind = display::Column::Kind::code},
                                   {.title = "in"}}};
  std::multimap<std::string, std::vector<display::Field>> rows;
  for (const auto& array : scope.arrays)
    rows.insert({array.name,
                 {array.name, "array", fmt::format("{} {}", array.type.as_written(), display::shape_text(array.shape)),
                  "", array.defined}});
  for (const auto& scalar : scope.scalars)
    rows.insert({scalar.name, {scalar.name, "scalar", scalar.type, scalar.value, scalar.defined}});
  for (const auto& definition : scope.definitions)
    rows.insert({definition.name,
                 {definition.name, std::string(kind_text(definition.kind)), declaration_of(definition), "",
                  definition.defined}});
  if (rows.empty()) return call.show(display::text_bundle("The session has no names yet."));
  for (auto& [name, row] : rows) table.rows.push_back(std::move(row));
  call.show(display::table_bundle(table));
}

}  // namespace

Command who_command() {
  return {
      .name = "who",
      .operand = Operand::none,
      .usage = "%who",
      .summary = "List all names of the session: arrays, scalars, kernels, functions and types",
      .setup = kScaleSetup,
      .example = "%who\n",
      .run = run_who,
  };
}

}  // namespace xcuda::command
