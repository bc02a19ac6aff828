#include "library/cpu/openblas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace xcuda::library::cpu {
namespace {

namespace fs = std::filesystem;

// The files in a folder whose names begin so; newest version first.
std::vector<std::string> files_of(const fs::path& folder, std::string_view beginning) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    if (at->path().filename().string().starts_with(beginning)) found.push_back(at->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

// The spellings of cblas_dgemm: Debian's, scipy-openblas32's, scipy-openblas64's and numpy's.
struct Spelling {
  const char* before;
  const char* after;
  bool wide;
};
constexpr std::array<Spelling, 4> kSpellings = {
    {{"", "", false}, {"", "64_", true}, {"scipy_", "", false}, {"scipy_", "64_", true}}};

// As <cblas.h> numbers them.
enum CblasOrder { kRowMajor = 101, kColumnMajor = 102 };
enum CblasTranspose { kAsItIs = 111, kTransposed = 112 };

template <class Element, class Integer, class Scale>
using Gemm = void (*)(CblasOrder, CblasTranspose, CblasTranspose, Integer, Integer, Integer, Scale, const Element*,
                      Integer, const Element*, Integer, Scale, Element*, Integer);

// Complex factors are given by their address.
template <class T> struct ScaleOf {
  using type = T;
  static T of(const double* value) { return static_cast<T>(value[0]); }
};
template <class T> struct ScaleOf<std::complex<T>> {
  using type = const void*;
  static std::complex<T> of(const double* value) { return {static_cast<T>(value[0]), static_cast<T>(value[1])}; }
};
template <class T> T as_argument(const T& value) { return value; }
template <class T> const void* as_argument(const std::complex<T>& value) { return &value; }

template <class Element, class Integer>
void gemm(void* function, const Product& p, const OpenBlas::Factors& at, const double* alpha, const double* beta) {
  const auto call = reinterpret_cast<Gemm<Element, Integer, typename ScaleOf<Element>::type>>(function);
  const auto order = p.layout[kResult].order;
  const auto transposed = [&](Role role) { return p.layout[role].order == order ? kAsItIs : kTransposed; };
  const auto scale = ScaleOf<Element>::of(alpha), keep = ScaleOf<Element>::of(beta);
  const auto leading = [&](Role role) { return static_cast<Integer>(p.layout[role].leading); };
  for (std::uint64_t i = 0; i < p.batch; ++i) {
    const auto offset = [&](Role role) { return static_cast<std::int64_t>(i) * p.distance[role]; };
    call(order == Order::row ? kRowMajor : kColumnMajor, transposed(kLeft), transposed(kRight),
         static_cast<Integer>(p.m), static_cast<Integer>(p.n), static_cast<Integer>(p.k), as_argument(scale),
         static_cast<const Element*>(at.left) + offset(kLeft), leading(kLeft),
         static_cast<const Element*>(at.right) + offset(kRight), leading(kRight), as_argument(keep),
         static_cast<Element*>(at.result) + offset(kResult), leading(kResult));
  }
}

Error missing(const std::string& why) {
  return Error(ErrorKind::unsupported, "cannot load OpenBLAS, which multiplies matrices on the CPU device")
      .said(why)
      .advise("%pip install scipy-openblas32, or on Debian: apt install libopenblas0. Then run the cell again.");
}

}  // namespace

OpenBlas::OpenBlas(const OpenRequest& request, int threads) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> paths;
  for (const auto& folder : request.folders)
    for (const auto& part : {"scipy_openblas32/lib", "scipy_openblas64/lib", "numpy.libs", "scipy.libs", ""})
      for (auto& path : files_of(fs::path(folder) / part, *part == 0 ? "libopenblas.so" : "libscipy_openblas"))
        paths.push_back(std::move(path));
  // The system's own first: it is the one that the user has chosen.
  for (const auto* name : {"libopenblas.so", "libopenblas.so.0"}) paths.insert(paths.begin(), name);
  for (const auto& path : paths)
    if (load(path, threads)) {
      facts_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
      return;
    }
  throw missing(why_not_);
}

OpenBlas::OpenBlas(const std::string& path, int threads) {
  if (!load(path, threads)) throw missing(why_not_);
}

bool OpenBlas::load(const std::string& path, int threads) {
  auto library = std::make_unique<SharedLibrary>(path, SharedLibrary::Lifetime::process);
  if (!*library) {
    if (why_not_.empty()) why_not_ = library->why_not();
    return false;
  }
  for (const auto& spelling : kSpellings) {
    const auto find = [&](const char* name, auto*& function) {
      library->find(fmt::format("{}{}{}", spelling.before, name, spelling.after).c_str(), function);
    };
    using Function = void();
    Function *single = nullptr, *real = nullptr, *complex_single = nullptr, *complex = nullptr;
    find("cblas_sgemm", single);
    find("cblas_dgemm", real);
    find("cblas_cgemm", complex_single);
    find("cblas_zgemm", complex);
    if (single == nullptr || real == nullptr || complex_single == nullptr || complex == nullptr) continue;
    table_ = {reinterpret_cast<void*>(single), reinterpret_cast<void*>(real), reinterpret_cast<void*>(complex_single),
              reinterpret_cast<void*>(complex)};
    wide_ = spelling.wide;
    before_ = spelling.before;
    after_ = spelling.after;
    void (*set_threads)(int) = nullptr;
    const char* (*config)() = nullptr;
    find("openblas_set_num_threads", set_threads);
    find("openblas_get_config", config);
    if (set_threads != nullptr) set_threads(threads);
    facts_.name = "OpenBLAS";
    facts_.path = path;
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    const std::string_view text = config != nullptr ? config() : "";
    constexpr std::string_view kName = "OpenBLAS ";
    if (text.starts_with(kName))
      facts_.version = text.substr(kName.size(), text.find(' ', kName.size()) - kName.size());
    library_ = std::move(library);
    return true;
  }
  why_not_ = fmt::format("{} has no cblas_dgemm", path);
  return false;
}

void* OpenBlas::find(const std::string& fortran_name) const {
  void (*function)() = nullptr;
  library_->find(fmt::format("{}{}{}", before_, fortran_name, after_).c_str(), function);
  return reinterpret_cast<void*>(function);
}

template <class Integer>
void OpenBlas::multiply_with(const Product& product, const Factors& at, const double* alpha, const double* beta) const {
  switch (product.type) {
    case Scalar::float32: return gemm<float, Integer>(table_.single, product, at, alpha, beta);
    case Scalar::float64: return gemm<double, Integer>(table_.real, product, at, alpha, beta);
    case Scalar::complex64: return gemm<std::complex<float>, Integer>(table_.complex_single, product, at, alpha, beta);
    case Scalar::complex128: return gemm<std::complex<double>, Integer>(table_.complex, product, at, alpha, beta);
    default: break;
  }
  throw Error(ErrorKind::unsupported, fmt::format("OpenBLAS does not multiply {}", type_of(product.type).name));
}

void OpenBlas::multiply(const Product& product, const Factors& at, const double* alpha, const double* beta) const {
  if (wide_)
    multiply_with<std::int64_t>(product, at, alpha, beta);
  else
    multiply_with<int>(product, at, alpha, beta);
}

}  // namespace xcuda::library::cpu
