// NVRTC's logs as it wrote them (logs/*.log, one source per log in logs/*.cu) and what a cell shows (logs/*.txt).
// With XCUDA_APPROVE=1 the logs are written anew by this machine's NVRTC and the texts by this program; read the diff.
#include "compiler/diagnostics.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/places.hpp"
#include "tests/unit/compiler/machine_toolkit.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A log's paths without this machine's.
std::string portable(std::string log) {
  for (const auto& [folder, shown] : {std::pair{tree_includes(), std::string("/prefix/share/xcuda/include")},
                                      {machine_toolkit().toolkit ? machine_toolkit().toolkit->root : "", "/cuda"}})
    if (!folder.empty())
      for (auto at = log.find(folder); at != std::string::npos; at = log.find(folder, at))
        log.replace(at, folder.size(), shown);
  return log;
}

class DiagnosticsGolden : public testing::TestWithParam<fs::path> {};

TEST_P(DiagnosticsGolden, IsShownAsApproved) {
  const bool approve = std::getenv("XCUDA_APPROVE") != nullptr;
  const auto base = GetParam();
  const auto with = [&](const char* extension) { return fs::path(base).replace_extension(extension); };
  const auto text = read(base);
  CompileRequest request;
  request.name = "/In[7]";
  request.source = "#line 1 \"/In[7]\"\n" + text;
  request.architecture = "compute_80";
  // The first line may say how: "// sm_80", "// instance k<int>".
  if (text.starts_with("// sm_80")) request.architecture = "sm_80";
  if (text.starts_with("// instance ")) request.name_expressions = {text.substr(12, text.find('\n') - 12)};
  if (approve && machine_toolkit().toolkit) {
    std::ofstream(with(".log")) << portable(machine_compiler().compile(request).log);
    if (fs::exists(with(".ptx"))) {
      request.architecture = "compute_80";
      std::ofstream(with(".ptx")) << machine_compiler().compile(request).ptx;
    }
  }

  std::string shown;
  auto diagnostics = parse_log(read(with(".log")), request);
  locate_in_ptx(diagnostics, read(with(".ptx")), request);
  for (const auto& diagnostic : diagnostics) shown += to_text(diagnostic);
  if (approve) std::ofstream(with(".txt")) << shown;
  EXPECT_EQ(shown, read(with(".txt")));
  EXPECT_EQ(shown.find("xcuda"), std::string::npos) << "a name of this program's own";
  EXPECT_EQ(shown.find("__nv_"), std::string::npos);
}

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(test::source_file("tests/unit/compiler/logs")))
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

INSTANTIATE_TEST_SUITE_P(Logs, DiagnosticsGolden, testing::ValuesIn(sources()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(Diagnostics, ALogOfNothingIsNothing) {
  EXPECT_TRUE(parse_log("", {}).empty());
  EXPECT_TRUE(parse_log("\n\n  \n^\n", {}).empty());
}

TEST(Diagnostics, ACaretBelowSeveralBytesPerCharacterIsDrawnByCharacters) {
  Diagnostic diagnostic{.text = "no", .place = {"In[1]", 1, 11, 2, "/* é€ */ xy"}};
  EXPECT_EQ(to_text(diagnostic), "In[1]:1:11: error: no\n  /* é€ */ xy\n         ^~\n");
}

}  // namespace
}  // namespace xcuda::compiler
