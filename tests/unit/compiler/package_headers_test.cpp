#include "compiler/package_headers.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/paths.hpp"

namespace xcuda::compiler {
namespace {

namespace fs = std::filesystem;

class PackageHeaders : public testing::Test {
 protected:
  void SetUp() override { folder_ = TemporaryFolder::make("packages"); }
  std::string put(const std::string& name) {
    const auto path = fs::path(folder_->path()) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#pragma once\n";
    return path.parent_path();
  }
  std::vector<std::string> folders_for(const std::string& source) {
    CompileRequest request;
    request.source = source;
    request.include_folders = own_;
    add_package_folders(request, [&] { return std::vector<std::string>{folder_->path()}; });
    stamps_ = request.headers;
    linked_ = request.linked_files;
    return {request.include_folders.begin() + static_cast<std::ptrdiff_t>(own_.size()), request.include_folders.end()};
  }
  std::string below(const std::string& name) { return fs::path(folder_->path()) / name; }

  std::optional<TemporaryFolder> folder_;
  std::vector<std::string> own_;
  std::vector<HeaderText> stamps_;
  std::vector<std::string> linked_;
};

TEST_F(PackageHeaders, AreFoundInTheWheels) {
  put("cutlass_library/source/include/cute/tensor.hpp");
  put("nvidia/mathdx/external/cutlass/include/cute/tensor.hpp");
  put("nvidia/mathdx/include/cublasdx.hpp");
  EXPECT_EQ(folders_for("#include <cute/tensor.hpp>\nint i;"), std::vector{below("cutlass_library/source/include")});
  ASSERT_EQ(stamps_.size(), 1U);
  EXPECT_TRUE(stamps_[0].path.ends_with("include/cute/tensor.hpp"));
  // cuBLASDx with the CuTe that it came with.
  EXPECT_EQ(folders_for("  # include \"cublasdx.hpp\"\n#include <cute/tensor.hpp>"),
            (std::vector{below("nvidia/mathdx/include"), below("nvidia/mathdx/external/cutlass/include")}));
}

TEST_F(PackageHeaders, OfTheDxLibrariesBringCuTe) {
  put("nvidia/mathdx/external/cutlass/include/cute/tensor.hpp");
  EXPECT_EQ(folders_for("#include <cute/tensor.hpp>"), std::vector{below("nvidia/mathdx/external/cutlass/include")});
}

TEST_F(PackageHeaders, OfCuSolverDxHaveTheirCodeBesideThem) {
  put("nvidia/mathdx/include/cusolverdx.hpp");
  EXPECT_EQ(folders_for("#include <cusolverdx.hpp>"), std::vector{below("nvidia/mathdx/include")});
  EXPECT_EQ(linked_, std::vector<std::string>());  // so is the wheel
  put("nvidia/mathdx/lib/libcusolverdx.fatbin");
  folders_for("#include <cusolverdx.hpp>");
  EXPECT_EQ(linked_, std::vector{below("nvidia/mathdx/lib/libcusolverdx.fatbin")});
  EXPECT_EQ(stamps_.back().path, linked_.front());  // another version is another key of the cache
  put("nvidia/mathdx/include/cufftdx.hpp");
  folders_for("#include <cufftdx.hpp>");
  EXPECT_EQ(linked_, std::vector<std::string>());
}

TEST_F(PackageHeaders, AreTheUsersWhereThoseNameAFolder) {
  put("cutlass_library/source/include/cute/tensor.hpp");
  put("mine/cute/tensor.hpp");
  own_ = {below("mine")};
  EXPECT_EQ(folders_for("#include <cute/tensor.hpp>"), std::vector<std::string>());
}

TEST_F(PackageHeaders, OfOthersAreLeftAlone) {
  put("cutlass_library/source/include/cute/tensor.hpp");
  EXPECT_EQ(folders_for("#include <cuda_fp16.h>\n#include <cutest.hpp>\n// #include <cute/tensor.hpp>"),
            std::vector<std::string>());
  EXPECT_FALSE(is_package_header("cublas_v2.h"));
  EXPECT_TRUE(is_package_header("cublasdx.hpp"));
}

TEST_F(PackageHeaders, ThatAreMissingNameTheirPackage) {
  std::vector<Diagnostic> errors{{.text = "cannot open source file \"cutlass/gemm.h\""},
                                 {.text = "cannot open source file \"mine.h\""},
                                 {.text = "cannot open source file \"cusolverdx/database/qr.cuh\""}};
  explain_package_headers(errors);
  EXPECT_NE(errors[2].text.find("%env MATHDX_ROOT=FOLDER"), std::string::npos) << errors[2].text;
  EXPECT_EQ(errors[0].text, "<cutlass/gemm.h> is not installed: %pip install nvidia-cutlass");
  EXPECT_EQ(errors[1].text, "cannot open source file \"mine.h\"");
}

}  // namespace
}  // namespace xcuda::compiler
