// %copy
#include <fmt/format.h>

#include <cctype>

#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"

namespace xcuda::command {
namespace {

bool is_name(std::string_view text) {
  if (text.empty() || (std::isdigit(static_cast<unsigned char>(text[0])) != 0)) return false;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  return true;
}

void run_copy(Invocation& call) {
  call.expect_operands(2, 2);
  const auto& from = call.array(call.arguments.operands[0]);
  const auto& target = call.arguments.operands[1];
  if (auto* to = call.session.arrays().find(target.text)) {
    if (to->type != from.type || to->shape != from.shape)
      throw call
          .error(ErrorKind::type,
                 fmt::format("{} and {} differ: {}, {}", from.name, to->name, declaration_text(from),
                             declaration_text(*to)),
                 target)
          .advise(fmt::format("%free {} first, or choose another name.", to->name));
    if (to->read_only) throw call.error(ErrorKind::type, fmt::format("{} is const", to->name), target);
    if (to != &from) call.session.submission().copy(to->address, from.address, from.bytes());
    return;
  }
  if (!is_name(target.text)) throw call.error(ErrorKind::syntax, fmt::format("{} is not a name", target.text), target);
  auto copy = call.session.arrays().allocate(call.run, {target.text, from.type, from.shape, false, target.span});
  call.session.submission().copy(copy.address, from.address, from.bytes());
  call.session.arrays().define(std::move(copy));
}

}  // namespace

Command copy_command() {
  return {
      .name = "copy",
      .operand = Operand::copy,
      .usage = "%copy from to",
      .summary = "Copy an array; the second one is created if it does not exist",
      .details =
          "An existing array must have the same shape and element type. In a statement, auto b = a; does the same.",
      .setup = kScaleSetup,
      .example = "%copy x backup\n",
      .run = run_copy,
  };
}

}  // namespace xcuda::command
