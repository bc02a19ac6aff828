#include "compiler/texture_uses.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.hpp"
#include "compiler/ptx_scan.hpp"

namespace xcuda::compiler {
namespace {

// The word behind an opening bracket: "%rd1" of "tex... {...}, [%rd1, {...}]".
std::string_view inside_bracket(std::string_view line) {
  const auto open = line.find('[');
  if (open == std::string_view::npos) return {};
  const auto rest = line.substr(open + 1);
  return trim(rest.substr(0, rest.find_first_of(",]+")));
}

PtxTextureUse describe(std::string_view opcode) {
  PtxTextureUse use;
  use.opcode = opcode;
  use.surface = opcode.starts_with("su");
  use.gathers = opcode.starts_with("tld4");
  const auto has = [&](std::string_view word) {
    const auto at = opcode.find(word);
    return at != std::string_view::npos && (at + word.size() == opcode.size() || opcode[at + word.size()] == '.');
  };
  if (opcode.starts_with("txq") || opcode.starts_with("suq")) return use;
  use.layered = has(".a1d") || has(".a2d");
  use.dimensions = has(".1d") || has(".a1d") ? 1 : has(".2d") || has(".a2d") ? 2 : 3;
  use.fetches = opcode.starts_with("tex.1d") && opcode.ends_with(".s32");
  use.other = has(".cube") || has(".acube") || has(".2dms") || has(".a2dms");
  // The type of what is read comes first: tex.2d.v4.s32.f32.
  const auto vector = opcode.find(".v4.");
  use.floats = vector != std::string_view::npos && opcode.substr(vector + 4).starts_with("f");
  return use;
}

}  // namespace

std::vector<PtxTextureUse> texture_uses(std::string_view ptx, std::string_view entry) {
  const auto facts = scan_ptx(ptx);
  const auto found =
      std::find_if(facts.entries.begin(), facts.entries.end(), [&](const auto& e) { return e.symbol == entry; });
  if (found == facts.entries.end()) return {};
  std::vector<PtxTextureUse> uses;
  std::map<std::string_view, std::size_t> handles;  // register -> parameter
  const auto prefix = std::string(entry) + "_param_";
  for (auto line : split_lines(ptx.substr(found->begin, found->end - found->begin))) {
    line = trim(line);
    if (line.starts_with("ld.param.u64") || line.starts_with("ld.param.b64")) {
      auto parameter = inside_bracket(line);
      std::size_t index = 0;
      if (!parameter.starts_with(prefix)) continue;
      parameter.remove_prefix(prefix.size());
      if (std::from_chars(parameter.data(), parameter.data() + parameter.size(), index).ptr ==
          parameter.data() + parameter.size())
        handles[trim(line.substr(12, line.find(',') - 12))] = index;
      continue;
    }
    if (line.starts_with('@')) line = trim(line.substr(std::min(line.find(' '), line.size())));
    const bool uses_texture = line.starts_with("tex.") || line.starts_with("tld4.") || line.starts_with("txq.") ||
                              line.starts_with("suld.") || line.starts_with("sust.") || line.starts_with("sured.") ||
                              line.starts_with("suq.");
    if (!uses_texture) continue;
    const auto handle = handles.find(inside_bracket(line));
    if (handle == handles.end()) continue;
    auto use = describe(line.substr(0, line.find_first_of(" \t")));
    use.parameter = handle->second;
    const auto same = [&](const PtxTextureUse& other) {
      return other.parameter == use.parameter && other.opcode == use.opcode;
    };
    if (std::none_of(uses.begin(), uses.end(), same)) uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace xcuda::compiler
