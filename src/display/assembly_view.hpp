// PTX and machine code with the lines of the cells that they came from.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "display/bundle.hpp"
#include "display/code_listing.hpp"
#include "display/styled_text.hpp"

namespace xcuda::display {

struct SourceFile {
  std::string name;  // "In[7]"
  std::string text;
};
// Files by the number that .loc has for them.
using SourceFiles = std::map<int, SourceFile>;

// The names of a module's files, from its .file directives. The texts are empty.
SourceFiles files_of(std::string_view ptx);

// PTX in which the line that a .loc directive names replaces the directive; if the line's text is unknown it stays.
StyledText styled_ptx(std::string_view ptx, const SourceFiles& files);

// What nvdisasm and cuobjdump print of a kernel: offsets, instructions and labels, with the lines that -g names between
// them. Directives and encodings are left out.
CodeRows sass_rows(std::string_view listing, const SourceFiles& files);

Bundle ptx_bundle(std::string_view title, std::string_view ptx, const SourceFiles& files);
Bundle sass_bundle(std::string_view title, std::string_view listing, const SourceFiles& files);

// Texts of cells by their names.
using CellTexts = std::map<std::string, std::string>;

CodeRows machine_code_rows(const device::MachineCode& code, const CellTexts& cells);

Bundle machine_code_bundle(std::string_view title, const device::MachineCode& code, const CellTexts& cells);

}  // namespace xcuda::display
