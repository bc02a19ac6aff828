#include "command/snapshot.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cell/parse.hpp"
#include "command/magic_arguments.hpp"
#include "interpreter/texture_declarations.hpp"
#include "session/session.hpp"

namespace xcuda::command {
namespace {

constexpr const char* kSource = "a subshell";

Error not_beside(std::string_view code, cell::Span span) {
  return Error(ErrorKind::unsupported, "a subshell runs %arrays and %info, and nothing else")
      .advise("Run this cell in the notebook's own shell, which runs one cell after the other.")
      .at(cell::place_of(code, span, kSource));
}

class Asked {
 public:
  Asked(const Snapshot& snapshot, std::string_view code) : snapshot_(snapshot), code_(code) {}

  display::Bundle answer(const cell::Statement& statement) const {
    const auto* magic = std::get_if<cell::Magic>(&statement.node);
    if (magic == nullptr || (magic->name != "arrays" && magic->name != "info")) throw not_beside(code_, statement.span);
    const auto& row = *find(magic->name);
    const auto arguments = read_arguments(row, *magic, {kSource, code_});
    const std::size_t wanted = row.operand == Operand::none ? 0 : 1;
    if (arguments.operands.size() != wanted)
      throw Error(ErrorKind::value,
                  fmt::format("%{} takes {}, got {} words", row.name, wanted == 0 ? "no words" : "the name of a kernel",
                              arguments.operands.size()))
          .advise(fmt::format("Usage: {}", row.usage))
          .at(cell::place_of(code_, magic->name_span, kSource));
    return wanted == 0 ? display::array_list_bundle(snapshot_.arrays)
                       : display::kernel_bundle(kernel(arguments.operands.front()));
  }

 private:
  const display::KernelView& kernel(const cell::Word& word) const {
    std::vector<std::string> names;
    for (const auto& view : snapshot_.kernels) {
      if (view.signature.name == word.text) return view;
      names.push_back(view.signature.name);
    }
    const auto near = nearest(word.text, names);
    throw Error(ErrorKind::name, fmt::format("there was no kernel {} when the running cell began", word.text))
        .advise(near.empty() ? "" : fmt::format("Did you mean {}?", near))
        .at(cell::place_of(code_, word.span, kSource));
  }

  const Snapshot& snapshot_;
  std::string_view code_;
};

}  // namespace

std::string place_text(session::Session& session, const session::Array& array) {
  using session::Spread;
  if (!session.chosen().started()) return {};
  auto& order = session.chosen().order();
  if (!order.several()) return session.device_info().name;
  const auto& spread = array.spread;
  if (spread.kind == Spread::Kind::replicated) return "a copy on each";
  if (spread.kind == Spread::Kind::none) return fmt::format("device {}", spread.device);
  std::string parts;
  for (std::uint32_t device = 0; device < order.devices(); ++device) {
    const auto [first, last] = spread.part(device);
    parts += fmt::format("{}{}", parts.empty() ? "" : ", ", last - first);
  }
  return fmt::format("devices 0 to {}: {} along axis {}", order.devices() - 1, parts, spread.axis);
}

namespace {

std::vector<display::ArrayPart> parts_of(session::Session& session, const session::Array& array) {
  using session::Spread;
  std::vector<display::ArrayPart> parts;
  if (!session.chosen().started() || !session.chosen().order().several()) return parts;
  const auto& spread = array.spread;
  if (spread.kind == Spread::Kind::none) return {{spread.device, 0, 1}};
  for (std::uint32_t device = 0; device < session.chosen().order().devices(); ++device) {
    parts.push_back({device, 0, 1});
    if (spread.kind != Spread::Kind::sharded) continue;
    const auto [first, last] = spread.part(device);
    const auto whole = static_cast<double>(spread.bounds.back());
    parts.back().begin = static_cast<double>(first) / whole;
    parts.back().end = static_cast<double>(last) / whole;
  }
  return parts;
}

}  // namespace

display::ArrayList array_list_of(session::Session& session) {
  display::ArrayList list;
  if (session.chosen().started()) list.device = session.device_info().name;
  std::string shared;
  for (const auto& array : session.arrays().all()) {
    list.arrays.push_back({array.name, array.type, array.shape, array.bytes(), place_text(session, array),
                           array.defined, parts_of(session, array)});
    if (session.arrays().is_lent(array)) shared += (shared.empty() ? "" : ", ") + array.name;
  }
  if (!shared.empty()) list.notes.push_back("shared with Python: " + shared);
  for (const auto& [name, variable] : session.names().outermost())
    if (const auto* texture = std::get_if<session::Texture>(&variable.value))
      list.notes.push_back(interpreter::description(session, *texture));
  return list;
}

display::KernelView kernel_view_of(session::Session& session, const session::Kernel& kernel) {
  display::KernelView view;
  view.signature = *kernel.signature;
  view.source = kernel.module->source;
  view.function = *kernel.function;
  view.architecture = kernel.module->output.architecture;
  if (session.chosen().started()) view.device = session.device_info().name;
  const auto base = view.signature.name.substr(0, view.signature.name.find('<'));
  for (const auto& name : session.code().modules().names())
    if (name != base && name.starts_with(base + "<")) view.instances.push_back(name);
  return view;
}

Snapshot snapshot_of(session::Session& session) {
  Snapshot snapshot{scope_of(session), array_list_of(session), {}};
  const auto& modules = session.code().modules();
  for (const auto& name : modules.names())
    if (const auto& overloads = modules.find(name); !overloads.empty())
      snapshot.kernels.push_back(kernel_view_of(session, overloads.front()));
  return snapshot;
}

void run_cell(const Snapshot& snapshot, std::string_view code, const Show& show) {
  const auto cell = cell::parse_cell(code, kSource, grammar);
  if (cell.magic) throw not_beside(code, cell.magic->name_span);
  if (!cell.device.empty()) throw not_beside(code, cell.device.front().span);
  const Asked asked(snapshot, code);
  std::vector<display::Bundle> answers;
  for (const auto& statement : cell.statements)
    if (!std::holds_alternative<cell::Empty>(statement->node)) answers.push_back(asked.answer(*statement));
  for (const auto& answer : answers) show(answer);
}

}  // namespace xcuda::command
