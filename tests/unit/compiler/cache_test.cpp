#include "compiler/cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

CompileRequest request(const std::string& name = "/In[7]") {
  CompileRequest request;
  request.name = name;
  request.source = "#line 1 \"" + name + "\"\n__global__ void k() {}\n";
  request.options = {"--fmad=false"};
  request.architecture = "sm_80";
  request.kernels = {{.name = "k", .parameter_names = {}, .source = name.substr(1), .line = 1}};
  return request;
}

CompileOutput output() {
  CompileOutput output;
  output.ok = true;
  output.name = "/In[7]";
  output.ptx = ".file 1 \"/In[7]\"\n.entry k";
  output.cubin = {std::byte{0}, std::byte{7}, std::byte{0xFF}};
  output.kernels = {{.name = "k",
                     .entry = "_Z1kv",
                     .parameters = {{.name = "x",
                                     .type = "float const*",
                                     .pointer = true,
                                     .const_pointee = true,
                                     .pointee = "float",
                                     .size = 8}},
                     .line = 1,
                     .max_threads = 128}};
  output.variables = {{.name = "v", .symbol = "v", .type = "int", .size = 4, .constant = true, .source = "In[7]"}};
  output.diagnostics = {{.severity = Severity::warning,
                         .text = "unused",
                         .code = "177-D",
                         .place = {.source = "In[7]", .line = 1, .column = 2},
                         .notes = {{.severity = Severity::note, .text = "here"}}}};
  output.type_layout = TypeLayout{"P", 8, 4, {{"a", "int", 0, 4}}, true};
  output.lowered_names = {{"k<int>", "_Z1k"}};
  return output;
}

std::string key(int i = 0) { return std::string(62, 'a') + (i < 10 ? "0" : "") + std::to_string(i); }

class OutputCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("xcuda_cache_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST(CacheKey, DoesNotDependOnTheNumberOfTheCell) {
  EXPECT_EQ(cache_key(request("/In[7]"), "t"), cache_key(request("/In[12]"), "t"));
}

TEST(CacheKey, DependsOnAllThatChangesTheResult) {
  const auto same = cache_key(request(), "t");
  EXPECT_NE(cache_key(request(), "other toolkit"), same);
  const auto differs = [&](auto change) {
    auto other = request();
    change(other);
    EXPECT_NE(cache_key(other, "t"), same);
  };
  differs([](auto& r) { r.source += " "; });
  differs([](auto& r) { r.source = "// \"/In[7]\"\n" + r.source; });
  differs([](auto& r) { r.options = {"--fmad=true"}; });
  differs([](auto& r) { r.options = {}; });
  differs([](auto& r) { r.architecture = "sm_90"; });
  differs([](auto& r) { r.headers = {{"/a.h", "int x;"}}; });
  differs([](auto& r) { r.include_folders = {"/inc"}; });
  differs([](auto& r) { r.name_expressions = {"k<int>"}; });
  differs([](auto& r) { r.extern_c_candidates = {"k"}; });
  differs([](auto& r) { r.kernels[0].parameter_names = {"x"}; });
  differs([](auto& r) { r.variables = {{"v", "int", "In[1]", false}}; });
  differs([](auto& r) { r.type_query = TypeQuery{"P", {}}; });
  // A string in the cell that looks like its name is the cell's own text.
  auto a = request("/In[7]"), b = request("/In[8]");
  a.source += "const char* s = \"/In[7]\";\n";
  b.source += "const char* s = \"/In[8]\";\n";
  EXPECT_NE(cache_key(a, "t"), cache_key(b, "t"));
}

TEST(Renamed, MovesPlacesAndTheLineTable) {
  const auto moved = renamed(output(), "/In[9]");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->ptx, ".file 1 \"/In[9]\"\n.entry k");
  EXPECT_EQ(moved->diagnostics[0].place.source, "In[9]");
  EXPECT_EQ(moved->variables[0].source, "In[9]");
}

TEST(Renamed, RefusesWhereTheNameIsInTheCode) {
  auto with_assert = output();
  with_assert.ptx += ".b8 $str[7] = {47, 73, 110, 91, 55, 93};";
  EXPECT_FALSE(renamed(with_assert, "/In[9]"));
  EXPECT_TRUE(renamed(with_assert, "/In[7]"));
}

TEST(MemoryCache, LeastRecentlyUsedGoesFirst) {
  auto big = output();
  big.ptx.assign(1000, 'x');
  MemoryCache cache(8000);
  for (int i = 0; i < 3; ++i) cache.store(key(i), big);
  ASSERT_NE(cache.find(key(0)), nullptr);
  for (int i = 3; i < 5; ++i) cache.store(key(i), big);
  EXPECT_NE(cache.find(key(4)), nullptr);
  EXPECT_EQ(cache.find(key(1)), nullptr);
  EXPECT_LE(cache.bytes(), 8000U);
  cache.clear();
  EXPECT_EQ(cache.find(key(4)), nullptr);
}

TEST_F(OutputCacheTest, GivesBackWhatWasStored) {
  OutputCache cache(folder_);
  EXPECT_FALSE(cache.find(key()));
  cache.store(key(), output());
  const auto found = OutputCache(folder_).find(key());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ptx, output().ptx);
  EXPECT_EQ(found->cubin, output().cubin);
  EXPECT_EQ(found->kernels[0].parameters[0].type, "float const*");
  EXPECT_EQ(found->kernels[0].max_threads, 128);
  EXPECT_EQ(found->variables[0].size, 4U);
  EXPECT_EQ(found->diagnostics[0].notes[0].text, "here");
  EXPECT_EQ(found->type_layout->members[0].name, "a");
  EXPECT_EQ(found->lowered_names, output().lowered_names);
}

TEST_F(OutputCacheTest, WhatCannotBeWrittenIsNoError) {
  OutputCache none("");
  none.store(key(), output());
  EXPECT_FALSE(none.find(key()));
  OutputCache nowhere("/proc/xcuda/compile");
  nowhere.store(key(), output());
  EXPECT_FALSE(nowhere.find(key()));
}

}  // namespace
}  // namespace xcuda::compiler
