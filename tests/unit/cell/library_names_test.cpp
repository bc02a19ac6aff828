#include "cell/library_names.hpp"

#include <gtest/gtest.h>

namespace xcuda::cell {
namespace {

using Texts = std::vector<std::string_view>;

TEST(LibraryNames, HeadersAreThoseOfTheNamesEachOnce) {
  EXPECT_EQ(library_headers("std::pair<int, std::tuple<float>> p = std::make_pair(1, t);"),
            (Texts{"utility", "tuple"}));
  EXPECT_EQ(library_includes("cuda::std::chrono::seconds"), "#include <chrono>\n");
  EXPECT_TRUE(library_headers("pair + mine::pair + std::sort").empty());
}

TEST(LibraryNames, NamesAreKnownWithAndWithoutTemplateArguments) {
  for (const auto* name : {"std::pair", "std::get<0>", "::std::array<float, 3ul>", "cuda::std::tuple<int>",
                           "std::chrono::steady_clock::now", "std::make_tuple"})
    EXPECT_TRUE(is_library_name(name)) << name;
  for (const auto* name : {"pair", "std::sort", "std", "mine::pair<int>", "", "cuda::pair"})
    EXPECT_FALSE(is_library_name(name)) << name;
}

TEST(LibraryNames, TypesTellTheirArgumentsAndMembers) {
  EXPECT_EQ(template_arguments("cuda::std::tuple<int, std::pair<float, int (*)(int, int)>, double>"),
            (Texts{"int", "std::pair<float, int (*)(int, int)>", "double"}));
  EXPECT_TRUE(template_arguments("std::tuple<>").empty());
  EXPECT_TRUE(template_arguments("float").empty());
  EXPECT_EQ(library_members("std::pair<int, float>"), (std::vector<std::string>{"first", "second"}));
  EXPECT_TRUE(library_members("cuda::std::tuple<int>").empty());
  EXPECT_TRUE(is_library_array("std::array<int, 2ul>") && !is_library_array("std::tuple<int>"));
  EXPECT_TRUE(is_library_tuple("cuda::std::tuple<int>") && !is_library_tuple("mine::tuple<int>"));
}

}  // namespace
}  // namespace xcuda::cell
