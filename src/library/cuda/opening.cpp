#include "library/cuda/opening.hpp"

#include <fmt/format.h>

namespace xcuda::library::cuda {

std::vector<std::string> candidates(const OpenRequest& request, const Wanted& wanted) {
  std::vector<std::string> paths;
  for (const auto& file : wanted.files) {
    for (const auto& folder : request.folders) {
      std::error_code ignored;
      const auto path = std::filesystem::path(folder) / file;
      if (std::filesystem::exists(path, ignored)) paths.push_back(path);
    }
    paths.push_back(file);
  }
  return paths;
}

Error missing(const Wanted& wanted, const std::string& why) {
  return Error(ErrorKind::unsupported, fmt::format("cannot load {}, which {} on the GPU", wanted.name, wanted.purpose))
      .said(why)
      .advise(fmt::format("%pip install {}, or set CUDA_HOME to a toolkit. Then run the cell again.", wanted.package));
}

}  // namespace xcuda::library::cuda
