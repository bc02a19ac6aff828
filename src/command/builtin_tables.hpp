// The tables that builtins.cpp reads, as text: "[kind, where it may stand, header]" opens a section, "[members TYPE]"
// one of what stands behind the point of an object of that type; each line is "declaration | help". A math function in
// double stands for its float form, too; a rounded one to nearest for those of the other directions; one that packs
// four bytes for that of two 16-bit numbers.
#pragma once

#include <string_view>

namespace xcuda::command {

std::string_view language_table();
std::string_view intrinsic_table();
std::string_view math_table();
std::string_view library_table();
std::string_view group_table();
std::string_view libcu_table();
std::string_view cub_table();

std::string_view header_list();  // that an #include can name, separated by blanks

}  // namespace xcuda::command
