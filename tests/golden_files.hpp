// Golden files: inputs in a folder, and beside each the text that a person has approved. XCUDA_APPROVE=1 writes the
// texts anew; look at the difference before committing it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/places.hpp"

namespace xcuda::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Those in a folder of the source tree with this extension, and names that begin so, in order.
inline std::vector<std::filesystem::path> golden_inputs(std::string_view folder, std::string_view extension,
                                                        std::string_view prefix = "") {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(source_file(folder)))
    if (entry.path().extension() == extension && entry.path().filename().string().starts_with(prefix))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// The approved text has the input's name and this extension.
inline void expect_approved(std::filesystem::path input, std::string_view extension, const std::string& text) {
  const auto& approved = input.replace_extension(extension);
  if (std::getenv("XCUDA_APPROVE")) std::ofstream(approved, std::ios::binary) << text;
  ASSERT_TRUE(std::filesystem::exists(approved)) << "approve it: XCUDA_APPROVE=1";
  EXPECT_EQ(text, read_file(approved));
}

}  // namespace xcuda::test
