// A file of a program that cells hold.
#pragma once

#include <string>

namespace xcuda::nvcc {

struct SourceFile {
  std::string name;           // as other files include it, and as __FILE__ has it: "cell.cu", "vec.cuh"
  std::string text;           // without its end of file mark
  int first_line = 1;         // the line of the cell that the text begins with
  std::string shown;          // as diagnostics have it: "In[7]", "vec.cuh"
  std::string compiled = {};  // what nvcc gets instead of the text, with its lines; empty: the text

  bool operator==(const SourceFile&) const = default;
};

// Whether nvcc compiles it by itself: .cu, .cpp, .cc, .cxx, .c. Others are headers.
bool is_compiled(const SourceFile& file);

}  // namespace xcuda::nvcc
