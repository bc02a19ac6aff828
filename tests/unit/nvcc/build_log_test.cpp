#include "nvcc/build_log.hpp"

#include <gtest/gtest.h>

namespace xcuda::nvcc {
namespace {

using compiler::Severity;

// Below a line with %%cuda.
const std::vector<SourceFile> kFiles{{"cell.cu",
                                      "__global__ void   twice(int* p) { p[0]   =   2 * nope; }\n"
                                      "extern int missing(int);\n"
                                      "#include <not_there.h>\n"
                                      "int main() { printf(\"%s\", count); }\n",
                                      2, "In[7]"},
                                     {"vec.cuh", "#pragma once\nint length(int);\n", 1, "vec.cuh"}};

compiler::Diagnostic only(std::string_view log) {
  const auto found = parse_build_log(log, kFiles);
  EXPECT_EQ(found.size(), 1) << log;
  return found.empty() ? compiler::Diagnostic{} : found.front();
}

TEST(BuildLog, TheFrontEndsCaretIsPutIntoTheCellsLine) {
  const auto one = only(
      "cell.cu(2): error: identifier \"nope\" is undefined\n"
      "  __attribute__((global)) void twice(int* p) { p[0] = 2 * nope; }\n"
      "                                                          ^\n\n"
      "1 error detected in the compilation of \"/tmp/x/cell.cu\".\n");
  EXPECT_EQ(one.severity, Severity::error);
  EXPECT_EQ(one.place.source, "In[7]");
  EXPECT_EQ(one.place.line, 2);
  EXPECT_EQ(one.place.column, 50);
  EXPECT_EQ(one.place.width, 4);
  EXPECT_EQ(one.place.excerpt, "__global__ void   twice(int* p) { p[0]   =   2 * nope; }");
}

TEST(BuildLog, AWarningOfAHeaderOfTheProgramIsShown) {
  const auto one = only(
      "vec.cuh(2): warning #177-D: function \"length\" was declared but never referenced\n"
      "  int length(int);\n"
      "      ^\n\n");
  EXPECT_EQ(one.place.source, "vec.cuh");
  EXPECT_EQ(one.place.column, 5);
}

TEST(BuildLog, AMissingHeaderIsUnderlined) {
  const auto one = only("cell.cu:4:10: fatal error: not_there.h: No such file or directory\ncompilation terminated.\n");
  EXPECT_EQ(one.place.line, 4);
  EXPECT_EQ(one.place.column, 11);
  EXPECT_EQ(one.place.width, 11);
  EXPECT_NE(one.text.find("-I FOLDER"), std::string::npos);
}

TEST(BuildLog, ColumnsOfTheHostCompilerAreFoundByName) {
  const auto one = only(
      "cell.cu: In function ‘int main()’:\n"
      "cell.cu:5:8: warning: format ‘%s’ expects ‘char*’, but ‘count’ has type ‘int’ [-Wformat=]\n");
  EXPECT_EQ(one.severity, Severity::warning);
  EXPECT_EQ(one.place.line, 5);
  EXPECT_EQ(one.place.excerpt, "int main() { printf(\"%s\", count); }");
  EXPECT_NE(one.place.column, 8);
}

TEST(BuildLog, ALinkersSymbolIsFoundInTheFiles) {
  for (const auto* log :
       {"/usr/bin/ld: /tmp/x.o: in function `main':\nx.cudafe1.cpp:(.text+0xc7): undefined reference to "
        "`missing(int)'\ncollect2: error: ld returned 1 exit status\n",
        "nvlink error   : Undefined reference to '_Z7missingi' in '/tmp/x.o'\n"}) {
    const auto one = only(log);
    EXPECT_NE(one.text.find("missing(int)"), std::string::npos) << one.text;
    EXPECT_EQ(one.place.line, 3);
    EXPECT_EQ(one.place.column, 12);
    EXPECT_EQ(one.place.width, 7);
  }
}

TEST(BuildLog, WhatHasNoPlaceIsToldAllTheSame) {
  EXPECT_EQ(only("nvcc fatal   : Unknown option '--foo'\n").text, "Unknown option '--foo'");
  EXPECT_EQ(only("/usr/bin/ld: cannot find -lnope: No such file or directory\n").severity, Severity::error);
  EXPECT_EQ(only("nvcc warning : The -std=c++98 flag is not supported\n").severity, Severity::warning);
}

TEST(BuildLog, InstantiationsAreNotesOfTheirError) {
  const auto one = only(
      "/usr/include/c++/12/bits/x.h: In instantiation of ‘void f(T) [with T = int]’:\n"
      "cell.cu:5:14:   required from here\n"
      "/usr/include/c++/12/bits/x.h:20:7: error: request for member ‘a’ in ‘t’\n");
  EXPECT_EQ(one.place.source, "/usr/include/c++/12/bits/x.h");
  ASSERT_EQ(one.notes.size(), 1);
  EXPECT_EQ(one.notes[0].place.source, "In[7]");
  EXPECT_EQ(one.notes[0].place.line, 5);
}

}  // namespace
}  // namespace xcuda::nvcc
