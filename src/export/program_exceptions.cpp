// throw, try and catch of an exported program: as the cells write them.
#include <fmt/format.h>

#include "cell/container_types.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {

void ProgramWriter::attempt(const cell::Try& tried) {
  line("try {");
  body(*tried.body);
  for (const auto& handler : tried.handlers) {
    line(fmt::format("}} {} {{", text(handler.span)));
    scopes_.emplace_back();
    for (const auto& caught : handler.caught.declarators) {
      if (caught.name.empty()) continue;
      const auto record = cell::record_name(handler.caught.type);
      const auto type = record.empty() ? handler.caught.type : std::string(record);
      const bool number = !caught.pointer && xcuda::find_type(type).has_value();
      scopes_.back()[caught.name] = {number ? Kind::number : Kind::object, caught.name, type, 0};
    }
    body(*handler.body);
    scopes_.pop_back();
  }
  line("}");
}

// The text of an exception may be put together of texts and numbers.
std::string ProgramWriter::thrown(const cell::Call& call, const cell::Expression& whole) {
  const bool outer = std::exchange(throws_, true);
  Pieces pieces;
  for (const auto& argument : call.arguments) pieces.emplace_back(argument.value->span, host(*argument.value));
  throws_ = outer;
  return spliced(whole.span, std::move(pieces));
}

}  // namespace xcuda::exporter
