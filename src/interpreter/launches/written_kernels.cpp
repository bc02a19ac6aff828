#include "interpreter/launches/written_kernels.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.hpp"
#include "cell/parse.hpp"

namespace xcuda::interpreter {
namespace {

// "// In[3], line 7", as Program::source_of() begins each piece.
std::string_view source_in(std::string_view line) {
  constexpr std::string_view kBegin = "// ", kLine = ", line ";
  const auto comma = line.rfind(kLine);
  if (!line.starts_with(kBegin) || comma == line.npos) return {};
  const auto number = line.substr(comma + kLine.size());
  const bool digits =
      !number.empty() && std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); });
  return digits ? line.substr(kBegin.size(), comma - kBegin.size()) : std::string_view();
}

void add_kernel(std::vector<WrittenKernel>& list, std::string text, std::string source) {
  auto parsed = cell::try_parse_device_code(text, source);
  for (auto& piece : parsed.cell.device)
    if (piece.kernel && piece.kind == cell::DeviceKind::function)
      return list.push_back({std::move(text), std::move(source), std::move(piece)});
}

}  // namespace

std::vector<WrittenKernel> written_kernels(const compiler::Program& program, std::string_view name) {
  const auto scope = name.rfind("::");
  const auto all = program.source_of(scope == name.npos ? name : name.substr(scope + 2));
  std::vector<WrittenKernel> list;
  std::string text, source;
  for (const auto line : split_lines(all)) {
    if (const auto next = source_in(line); !next.empty()) {
      if (!text.empty()) add_kernel(list, std::move(text), std::move(source));
      text.clear();
      source = next;
      continue;
    }
    text += line;
    text += '\n';
  }
  if (!text.empty()) add_kernel(list, std::move(text), std::move(source));
  std::reverse(list.begin(), list.end());
  return list;
}

}  // namespace xcuda::interpreter
