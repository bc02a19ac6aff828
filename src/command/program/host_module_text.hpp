// A cell as the source of a host module: an entry of the module's table follows each function that statements may call.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"

namespace xcuda::command {

struct HostModuleText {
  std::string text;                          // lines are those of the cell
  std::vector<std::string> functions;        // names, qualified
  std::map<std::string, std::string> texts;  // of their definitions, those of overloads together
  std::vector<std::string> templates;        // of functions; they have no code of their own
};

// cell: the text as pieces of device code. begin: where the source begins in it.
HostModuleText host_module_text(const cell::Cell& cell, std::size_t begin);

}  // namespace xcuda::command
