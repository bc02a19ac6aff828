// Where a library of CUDA may be, and the error where it is missing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/shared_library.hpp"
#include "library/call.hpp"

namespace xcuda::library::cuda {

struct Wanted {
  std::string_view name, purpose;  // "cuRAND", "draws random numbers"
  std::vector<std::string> files;  // the best first: "libcurand.so.10"
  std::string package;             // of Python, for this driver
};

std::vector<std::string> candidates(const OpenRequest& request,
                                    const Wanted& wanted);  // paths, and names for the loader
Error missing(const Wanted& wanted, const std::string& why);

// Fills a table from a file; returns what is wrong with the file, or nothing.
template <class Table> std::string load_table(const std::string& path, Table& table) {
  const SharedLibrary library(path, SharedLibrary::Lifetime::process);
  if (!library) return library.why_not();
  const auto lacking = library.load(table);
  return lacking.empty() ? std::string() : path + " has no " + lacking.front();
}

}  // namespace xcuda::library::cuda
