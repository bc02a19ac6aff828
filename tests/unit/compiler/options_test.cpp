#include "compiler/options.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace xcuda::compiler {
namespace {

CompileOptions parse(std::vector<std::string> words) {
  return parse_options({.words = std::move(words), .architecture = "sm_90", .folder = "/"});
}

Error failure(std::vector<std::string> words) {
  try {
    parse(std::move(words));
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorKind::internal, "");
}

TEST(Options, NvrtcIsGivenOneSpelling) {
  EXPECT_EQ(parse({"-std=c++17", "-fmad=false", "-use_fast_math", "-lineinfo", "-G", "-maxrregcount", "32"}).nvrtc,
            (std::vector<std::string>{"--std=c++17", "--fmad=false", "--use_fast_math", "--generate-line-info",
                                      "--device-debug", "--maxrregcount=32"}));
  EXPECT_EQ(parse({"--fmad", "false"}).nvrtc, parse({"--fmad=false"}).nvrtc);
}

TEST(Options, TheLastValueCounts) {
  EXPECT_EQ(parse({"--fmad=false", "--fmad=true"}).nvrtc, (std::vector<std::string>{"--fmad=true"}));
}

TEST(Options, ArchitectureIsTheDevicesUnlessGiven) {
  EXPECT_EQ(parse({}).architecture, "sm_90");
  EXPECT_EQ(parse({"-arch=sm_80"}).architecture, "sm_80");
  EXPECT_EQ(parse({"-arch=8.6"}).architecture, "sm_86");
  EXPECT_EQ(parse({"--gpu-architecture", "compute_90a"}).architecture, "compute_90a");
  EXPECT_EQ(parse({"-arch=native"}).architecture, "sm_90");
  EXPECT_EQ(failure({"-arch=hopper"}).kind, ErrorKind::value);
  EXPECT_EQ(failure({"-arch=sm_9000"}).kind, ErrorKind::value);
}

TEST(Options, MacrosAndFoldersMayBeJoined) {
  const auto options = parse({"-DN=32", "-D", "M", "-Ux", "-I/tmp", "-I", "/", "-include", "cuda_fp16.h"});
  EXPECT_EQ(options.macros, (std::vector<std::pair<std::string, std::string>>{{"N", "32"}, {"M", "1"}}));
  EXPECT_EQ(options.undefined, (std::vector<std::string>{"x"}));
  EXPECT_EQ(options.include_folders, (std::vector<std::string>{"/tmp", "/"}));
  EXPECT_EQ(options.include_files, (std::vector<std::string>{"cuda_fp16.h"}));
  EXPECT_NE(failure({"-I", "no/such/folder"}).message.find("/no/such/folder"), std::string::npos);
}

TEST(Options, NvccsOwnAreAcceptedOrAnswered) {
  EXPECT_TRUE(parse({"-O3", "-Xcompiler", "-fPIC", "--expt-relaxed-constexpr", "-lcurand", "-g"}).nvrtc.empty());
  EXPECT_EQ(parse({"-Xptxas", "-v"}).nvrtc, (std::vector<std::string>{"--ptxas-options=-v"}));
  EXPECT_NE(failure({"-gencode", "arch=compute_80,code=sm_80"}).advice.find("-arch"), std::string::npos);
}

TEST(Options, AnUnknownOneNamesTheNearest) {
  const auto error = failure({"-std=c++20", "--use-fast-math"});
  EXPECT_EQ(error.kind, ErrorKind::value);
  EXPECT_NE(error.advice.find("--use_fast_math"), std::string::npos);
  ASSERT_TRUE(error.place);
  EXPECT_EQ(error.place->column, 2);
}

TEST(Options, WrongValuesAreErrors) {
  EXPECT_NE(failure({"--fmad=yes"}).message.find("yes"), std::string::npos);
  EXPECT_NE(failure({"-std=c++23"}).message.find("c++20"), std::string::npos);
  EXPECT_NE(failure({"-maxrregcount=many"}).message.find("many"), std::string::npos);
  EXPECT_NE(failure({"-maxrregcount"}).message.find("needs a value"), std::string::npos);
  EXPECT_NE(failure({"-G=1"}).message.find("takes no value"), std::string::npos);
}

TEST(Options, EveryRowHasHelpAndItsOwnName) {
  std::set<std::string_view> names;
  for (const auto& spec : option_table()) {
    EXPECT_TRUE(spec.help.ends_with('.')) << spec.name;
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_TRUE(names.insert(spec.alias).second) << spec.alias;
    EXPECT_EQ(find_option(spec.name), &spec);
    EXPECT_EQ(find_option(spec.alias), &spec);
  }
}

TEST(Options, MagicsCanTellWhoseAWordIs) {
  EXPECT_NE(find_option("-std=c++20"), nullptr);
  EXPECT_NE(find_option("-Iinc"), nullptr);
  EXPECT_EQ(find_option("--repeat"), nullptr);
  EXPECT_EQ(find_option("x"), nullptr);
}

}  // namespace
}  // namespace xcuda::compiler
