// The PTX in what nvcc embeds in a program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace xcuda::runtime {

// wrapper: the argument of __cudaRegisterFatBinary(). Of several PTX texts of one source it takes the newest that
// compute_80 may run; texts of several sources (-rdc=true) are linked. Errors: unsupported, where there is only machine
// code, or where the PTX is compressed.
std::string ptx_of(const void* wrapper);

// The PTX of a module that a program loads: PTX text, a fat binary, or a wrapper of one. A CUBIN is unsupported.
std::string ptx_of_module(const void* code);

// What fat binaries embed: one PTX text of each source that has one.
struct EmbeddedPtx {
  std::vector<std::string> texts;
  std::size_t sources = 0;  // those without PTX, too
  bool is_compressed = false;
};
// section: of an object, whose fat binaries follow each other.
void add_embedded_ptx(std::string_view section, EmbeddedPtx& to);
// The error for code that holds no PTX.
Error no_embedded_ptx(const EmbeddedPtx& of);

}  // namespace xcuda::runtime
