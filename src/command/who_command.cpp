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

// Whether the words choose it: by what it is, or by its type. All words together are one type, too: unsigned char.
bool is_chosen(const std::vector<cell::Word>& words, std::string_view what, std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  std::string together;
  for (const auto& word : words) {
    if (word.text == what || word.text == type) return true;
    together += (together.empty() ? "" : " ") + word.text;
  }
  return words.empty() || together == what || together == type;
}

void run_who(Invocation& call) {
  const auto scope = scope_of(call.session);
  const auto& words = call.arguments.operands;
  display::Table table{.title = "Names",
                       .columns = {{.title = "name", .kind = display::Column::Kind::code},
                                   {.title = "what"},
                                   {.title = "declared as", .kind = display::Column::Kind::code},
                                   {.title = "value", .kind = display::Column::Kind::code},
                                   {.title = "in"}}};
  std::multimap<std::string, std::vector<display::Field>> rows;
  for (const auto& array : scope.arrays)
    if (is_chosen(words, "array", array.type.as_written()))
      rows.insert(
          {array.name,
           {array.name, "array", fmt::format("{} {}", array.type.as_written(), display::shape_text(array.shape)), "",
            array.defined}});
  for (const auto& scalar : scope.scalars)
    if (is_chosen(words, "scalar", scalar.type))
      rows.insert({scalar.name, {scalar.name, "scalar", scalar.type, scalar.value, scalar.defined}});
  for (const auto& definition : scope.definitions)
    if (is_chosen(words, kind_text(definition.kind), {}))
      rows.insert({definition.name,
                   {definition.name, std::string(kind_text(definition.kind)), declaration_of(definition), "",
                    definition.defined}});
  if (rows.empty())
    return call.show(display::text_bundle(words.empty() ? "The session has no names yet."
                                                        : "No name of the session is one of these."));
  for (auto& [name, row] : rows) table.rows.push_back(std::move(row));
  call.show(display::table_bundle(table));
}

}  // namespace

Command who_command() {
  return {
      .name = "who",
      .operand = Operand::text,
      .usage = "%who [type ...]",
      .summary = "List the names of the session: arrays, scalars, kernels, functions and types",
      .details =
          "With types, such as int or float, only the arrays and scalars of these types. The words of the second "
          "column choose, too: array, scalar, kernel, device function, type, device variable, macro.",
      .setup = kScaleSetup,
      .example = "%who\n",
      .run = run_who,
  };
}

}  // namespace xcuda::command
