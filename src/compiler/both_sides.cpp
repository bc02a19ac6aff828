#include "compiler/both_sides.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cell/conditional.hpp"

namespace xcuda::compiler {

std::string host_macros(const std::unordered_set<std::string>& names) {
  static constexpr std::string_view kNames[] = {"__linux__", "__linux",  "linux",     "__unix__",
                                                "__GNUC__",  "__LP64__", "__x86_64__"};
  std::string text;
  for (const auto name : kNames)
    if (names.contains(std::string(name)))
      text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, cell::predefined_macros().find(name)->second);
  return text.empty() ? text : "#line 1 \"/xcuda/macros\"\n" + text;
}

void round_each_operation(std::vector<std::string>& options) {
  static constexpr std::string_view kOthers[] = {"--use_fast_math", "--fmad", "--ftz", "--prec-div", "--prec-sqrt"};
  std::erase_if(options, [](const std::string& option) { return among(option.substr(0, option.find('=')), kOthers); });
  options.emplace_back("--fmad=false");
}

void accept_host_annotations(CompileRequest& request) {
  const bool any = std::any_of(request.headers.begin(), request.headers.end(), [](const HeaderText& header) {
    return header.text.find("__host__") != std::string::npos;
  });
  if (!any) return;
  constexpr std::string_view kNothing = "#line 1 \"/xcuda/includes\"\n#undef __host__\n#define __host__\n";
  for (auto* source : {&request.source, &request.whole_source})
    if (!source->empty()) source->insert(0, kNothing);
}

void take_branches_of_host(std::string& source) {
  constexpr std::string_view kCell = "\"/In[";  // of a #line
  const auto asked = source.find("__CUDA_ARCH__");
  if (asked == std::string::npos) return;
  const bool has_branch = source.find("#else", asked) != std::string::npos ||
                          source.find("#ifndef __CUDA_ARCH__") != std::string::npos ||
                          source.find("!defined") != std::string::npos;
  if (!has_branch) return;  // what it holds may be called from statements
  const auto cell = source.find(kCell);
  if (cell == std::string::npos) return;
  const auto line = source.rfind('\n', cell);
  source.insert(line == std::string::npos ? 0 : line + 1, "#undef __CUDA_ARCH__\n");
}

}  // namespace xcuda::compiler
