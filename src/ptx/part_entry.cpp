#include "ptx/part_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace xcuda::ptx {
namespace {

constexpr std::string_view kAxes[] = {"x", "y", "z"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

// `from` wherever it is a word of its own.
void replace_words(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const auto end = at + from.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (!whole) {
      at = end;
      continue;
    }
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string changed(std::string text, const std::string& name) {
  const auto body = text.find('{');
  if (body == std::string::npos) return {};
  auto head = text.substr(0, body);
  text.erase(0, body + 1);
  const auto parameter = fmt::format(".param .align 4 .b8 {}_part_of_grid[{}]", name, sizeof(PartOfGrid));
  const auto close = head.rfind(')');
  if (close == std::string::npos) {
    head += fmt::format("({})", parameter);
  } else {
    const auto open = head.rfind('(', close);
    const bool none = head.find(".param", open) == std::string::npos;
    head.insert(close, (none ? "" : ",\n\t") + parameter + "\n");
  }
  std::string first = "{ .reg .b32 ";
  for (const auto axis : kAxes)
    first += fmt::format("%xcuda_block_{0}, %xcuda_grid_{0}{1} ", axis, axis == "z" ? ";" : ",");
  for (std::size_t i = 0; i < 3; ++i)
    first += fmt::format(
        "ld.param.u32 %xcuda_grid_{0}, [{1}_part_of_grid+{2}]; mov.u32 %xcuda_block_{0}, %ctaid.{0}; "
        "add.u32 %xcuda_block_{0}, %xcuda_block_{0}, %xcuda_grid_{0}; "
        "ld.param.u32 %xcuda_grid_{0}, [{1}_part_of_grid+{3}]; ",
        kAxes[i], name, 4 * i, 12 + 4 * i);
  for (const auto axis : kAxes) {
    replace_words(text, fmt::format("%ctaid.{}", axis), fmt::format("%xcuda_block_{}", axis));
    replace_words(text, fmt::format("%nctaid.{}", axis), fmt::format("%xcuda_grid_{}", axis));
  }
  return head + first + text;
}

}  // namespace

std::string part_entry(std::string_view text, const Module& module, const Function& entry) {
  std::vector<const Function*> entries;
  for (const auto& function : module.functions)
    if (function.entry && function.end > function.begin) entries.push_back(&function);
  std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
  std::string result;
  std::size_t done = 0;
  for (const auto* one : entries) {
    result += text.substr(done, one->begin - done);
    done = one->end;
    if (one->name != entry.name) continue;
    const auto part = changed(std::string(text.substr(one->begin, one->end - one->begin)), entry.name);
    if (part.empty()) return {};
    result += part;
  }
  return result.append(text.substr(done));
}

}  // namespace xcuda::ptx
