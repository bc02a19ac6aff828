#include "compiler/host_headers.hpp"

#include <gtest/gtest.h>

namespace xcuda::compiler {
namespace {

CompileRequest cell(const std::string& text) {
  CompileRequest request;
  request.name = "/In[7]";
  request.source = "#line 1 \"/In[3]\"\n#include <thrust/fill.h>\n#line 1 \"/In[7]\"\n" + text;
  return request;
}

Diagnostic error_at(const std::string& source, int line) {
  Diagnostic diagnostic;
  diagnostic.text = "something";
  diagnostic.place.source = source;
  diagnostic.place.line = line;
  return diagnostic;
}

TEST(HostHeaders, OneAnswerAtTheCellsLineForAllErrorsInHeaders) {
  std::vector<Diagnostic> diagnostics{error_at("/usr/local/cuda/include/a.h", 9), error_at("In[7]", 3),
                                      error_at("", 0)};
  explain_host_headers(diagnostics, cell("int x;\n  #  include <cub/cub.cuh>\n"));
  ASSERT_EQ(diagnostics.size(), 2u);
  const auto& answer = diagnostics[0];
  EXPECT_EQ(answer.severity, Severity::error);
  EXPECT_NE(answer.text.find("<cub/block/block_reduce.cuh>"), std::string::npos);
  EXPECT_EQ(answer.place.source, "In[7]");
  EXPECT_EQ(answer.place.line, 2);
  EXPECT_EQ(answer.place.excerpt.substr(static_cast<std::size_t>(answer.place.column) - 1,
                                        static_cast<std::size_t>(answer.place.width)),
            "<cub/cub.cuh>");
  EXPECT_EQ(diagnostics[1].place.source, "In[7]");
}

TEST(HostHeaders, EachHasItsAnswer) {
  const std::vector<std::pair<std::string, std::string>> answers{
      {"<thrust/sort.h>", "%help"},
      {"<cub/device/device_scan.cuh>", "<cub/block/block_reduce.cuh>"},
      {"\"cublas_v2.h\"", "host functions"},
      {"<curand.h>", "<curand_kernel.h>"},
      {"<cudnn.h>", "host functions"}};
  for (const auto& [header, text] : answers) {
    std::vector<Diagnostic> diagnostics{error_at("/usr/include/x.h", 1)};
    explain_host_headers(diagnostics, cell("#include " + header + "\n"));
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_NE(diagnostics[0].text.find(text), std::string::npos) << header;
    EXPECT_NE(diagnostics[0].text.find("%%cuda"), std::string::npos) << header;
    EXPECT_EQ(diagnostics[0].place.column, 10) << header;
  }
}

TEST(HostHeaders, OtherErrorsStayAsTheyAre) {
  const auto unchanged = [](std::vector<Diagnostic> diagnostics, const std::string& text) {
    const auto before = diagnostics.size();
    explain_host_headers(diagnostics, cell(text));
    return diagnostics.size() == before && diagnostics[0].text == "something";
  };
  EXPECT_TRUE(unchanged({error_at("In[7]", 1)}, "#include <cublas_v2.h>\n"));                 // the cell's own error
  EXPECT_TRUE(unchanged({error_at("/usr/include/x.h", 1)}, "#include <curand_kernel.h>\n"));  // a header that works
  EXPECT_TRUE(unchanged({error_at("/usr/include/x.h", 1)}, "// #include <curand.h>\n#include\n#include <curand.h\n"));
}

}  // namespace
}  // namespace xcuda::compiler
