#include "device/cpu/jit/stored_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace xcuda::device::cpu {
namespace {

CompiledKernel sample() {
  CompiledKernel kernel;
  KernelCode& code = kernel.code;
  code.save_bytes = 128, code.local_bytes = 16, code.static_shared = 4096, code.cached_ranges = 3, code.yields = 1;
  code.waits_for = WaitsFor::shared_memory;
  code.wait_sites = {1}, code.barrier_sites = {0, 1};
  code.bounds = {{8, 1, -1}, {0, 0, 2}};
  AccessSite site;
  site.operation.opcode = ptx::Opcode::st;
  site.place.source = "In[3]", site.place.excerpt = "x[i] = 1;";
  site.place.line = 7, site.place.column = 5, site.place.width = 4;
  site.access = Access::write, site.size = 4, site.components = 2, site.synchronises = true;
  site.space = AccessSite::Space::global, site.slot = 1, site.cache = 0;
  code.sites = {site, {}};
  code.shared_variables = {{"tile", 0, 1024}, {"more", 1024, 0}};
  code.shape = "rows of 16";
  kernel.object = {std::byte{1}, std::byte{2}, std::byte{3}};
  return kernel;
}

TEST(StoredKernel, ComesBackWhole) {
  const CompiledKernel kernel = sample();
  const auto back = restored(stored(kernel));
  ASSERT_TRUE(back);
  const KernelCode &code = back->code, &wanted = kernel.code;
  EXPECT_EQ(back->object, kernel.object);
  EXPECT_EQ(code.save_bytes, wanted.save_bytes);
  EXPECT_EQ(code.local_bytes, wanted.local_bytes);
  EXPECT_EQ(code.static_shared, wanted.static_shared);
  EXPECT_EQ(code.cached_ranges, wanted.cached_ranges);
  EXPECT_EQ(code.yields, wanted.yields);
  EXPECT_EQ(code.waits_for, wanted.waits_for);
  EXPECT_EQ(code.wait_sites, wanted.wait_sites);
  EXPECT_EQ(code.barrier_sites, wanted.barrier_sites);
  EXPECT_EQ(code.shape, wanted.shape);
  ASSERT_EQ(code.bounds.size(), 2u);
  EXPECT_EQ(code.bounds[0].parameter_offset, 8u);
  EXPECT_EQ(code.bounds[0].parameter, 1u);
  EXPECT_EQ(code.bounds[1].variable, 2);
  ASSERT_EQ(code.sites.size(), 2u);
  const AccessSite &site = code.sites[0], &first = wanted.sites[0];
  EXPECT_EQ(site.operation.opcode, first.operation.opcode);
  EXPECT_EQ(site.place.source, first.place.source);
  EXPECT_EQ(site.place.excerpt, first.place.excerpt);
  EXPECT_EQ(site.place.line, first.place.line);
  EXPECT_EQ(site.place.column, first.place.column);
  EXPECT_EQ(site.place.width, first.place.width);
  EXPECT_EQ(site.access, first.access);
  EXPECT_EQ(site.size, first.size);
  EXPECT_EQ(site.components, first.components);
  EXPECT_EQ(site.synchronises, first.synchronises);
  EXPECT_EQ(site.space, first.space);
  EXPECT_EQ(site.slot, first.slot);
  EXPECT_EQ(site.cache, first.cache);
  ASSERT_EQ(code.shared_variables.size(), 2u);
  EXPECT_EQ(code.shared_variables[0].name, "tile");
  EXPECT_EQ(code.shared_variables[0].size, 1024u);
  EXPECT_EQ(code.shared_variables[1].offset, 1024u);
}

// What follows the fields is the object, whose length the disk cache knows.
TEST(StoredKernel, APartOfOneOrAnotherFormatIsNone) {
  CompiledKernel kernel = sample();
  kernel.object.clear();
  auto bytes = stored(kernel);
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(restored(std::span(bytes).first(size))) << size;
  ASSERT_TRUE(restored(bytes));
  bytes[0] ^= std::byte{1};
  EXPECT_FALSE(restored(bytes));
}

TEST(StoredKernel, TheKeyKeepsItsPartsApart) {
  const auto key = [](std::array<std::string_view, 2> parts) { return stored_key(parts); };
  EXPECT_EQ(key({"ab", "c"}), key({"ab", "c"}));
  EXPECT_NE(key({"ab", "c"}), key({"a", "bc"}));
  EXPECT_NE(key({"ab", "c"}), key({"c", "ab"}));
}

}  // namespace
}  // namespace xcuda::device::cpu
