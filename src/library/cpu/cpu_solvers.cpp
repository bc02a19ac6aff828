// Linear equations and decompositions with OpenBLAS's LAPACK, by its Fortran names.
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "library/cpu/cpu_libraries.hpp"
#include "library/solver.hpp"

namespace xcuda::library::cpu {
namespace {

template <class T> struct PartOfNumber { using type = T; };
template <class T> struct PartOfNumber<std::complex<T>> { using type = T; };

// T: of the matrices; Integer: as the library has them.
template <class T, class Integer> class Lapack {
 public:
  using Part = typename PartOfNumber<T>::type;
  static constexpr bool kComplex = !std::is_same_v<T, Part>;

  Lapack(const OpenBlas& blas, const Call& call) : blas_(blas), call_(call), problem_(problem_of(call)) {}

  // The name of the routine that did it: "dgesv".
  std::string run() {
    for (std::uint64_t i = 0; i < problem_.batch; ++i) {
      Integer info = 0;
      switch (call_.operation) {
        case Operation::lu: info = lu(i); break;
        case Operation::solve: info = solve(i); break;
        case Operation::cholesky: info = cholesky(i); break;
        case Operation::qr: info = qr(i); break;
        case Operation::orthogonal: info = orthogonal(i); break;
        case Operation::svd: info = svd(i); break;
        case Operation::eigen_general: info = eigen_general(i); break;
        default: info = eigen(i);
      }
      elements<std::int32_t>(call_.operands.back())[i] = static_cast<std::int32_t>(info);
    }
    return routine_;
  }

 private:
  template <class E> static E* elements(const Operand& operand) { return reinterpret_cast<E*>(operand.address); }
  // Matrix or vector i of an operand; null where that is missing.
  template <class E> E* at(std::size_t operand, std::uint64_t i) const {
    const auto& one = call_.operands[operand];
    if (!one.is_given()) return nullptr;
    std::uint64_t size = 1;
    for (std::size_t d = 1; d < one.shape.size(); ++d) size *= one.shape[d];
    return elements<E>(one) + i * size;
  }
  // "getrf" is dgetrf, scipy_dgetrf_64_ and the like.
  template <class... Arguments> void call(const char* name, Arguments... arguments) const {
    constexpr char kLetter = std::is_same_v<T, float>    ? 's'
                             : std::is_same_v<T, double> ? 'd'
                             : sizeof(T) == 8            ? 'c'
                                                         : 'z';
    routine_ = fmt::format("{}{}", kLetter, name);
    const auto function = reinterpret_cast<void (*)(Arguments...)>(blas_.find(routine_ + "_"));
    if (function == nullptr)
      throw Error(ErrorKind::unsupported, fmt::format("{} has no LAPACK: {} is missing", blas_.facts().path, routine_))
          .advise("%pip install scipy-openblas32, or on Debian: apt install libopenblas0. Then run the cell again.");
    function(arguments...);
  }
  static Integer integer(std::uint64_t value) { return static_cast<Integer>(std::max<std::uint64_t>(value, 1)); }

  void keep_pivots(std::size_t operand, std::uint64_t i, const std::vector<Integer>& pivots) const {
    std::copy(pivots.begin(), pivots.end(), at<std::int64_t>(operand, i));
  }

  Integer lu(std::uint64_t i) const {
    const auto m = integer(problem_.m), n = integer(problem_.n);
    std::vector<Integer> pivots(std::min(problem_.m, problem_.n));
    Integer info = 0;
    call("getrf", &m, &n, at<T>(0, i), &m, pivots.data(), &info);
    keep_pivots(1, i, pivots);
    return info;
  }

  Integer solve(std::uint64_t i) const {
    const auto n = integer(problem_.n), k = integer(problem_.k);
    std::vector<Integer> pivots(problem_.n);
    Integer info = 0;
    call("gesv", &n, &k, at<T>(1, i), &n, pivots.data(), at<T>(0, i), &n, &info);
    keep_pivots(2, i, pivots);
    return info;
  }

  Integer cholesky(std::uint64_t i) const {
    const auto n = integer(problem_.n);
    Integer info = 0;
    call("potrf", "L", &n, at<T>(0, i), &n, &info, std::size_t{1});
    return info;
  }

  // A function that is asked first how much memory it wants.
  template <class Function> Integer with_work(Function function) const {
    T size{};
    Integer count = -1;
    if (const auto info = function(&size, &count); info != 0) return info;
    count = static_cast<Integer>(std::real(size)) + 1;
    std::vector<T> work(static_cast<std::size_t>(count));
    return function(work.data(), &count);
  }

  Integer qr(std::uint64_t i) const {
    const auto m = integer(problem_.m), n = integer(problem_.n);
    return with_work([&](T* work, Integer* count) {
      Integer info = 0;
      call("geqrf", &m, &n, at<T>(0, i), &m, at<T>(1, i), work, count, &info);
      return info;
    });
  }

  Integer orthogonal(std::uint64_t i) const {
    const auto m = integer(problem_.m), n = integer(problem_.n), k = integer(problem_.k);
    return with_work([&](T* work, Integer* count) {
      Integer info = 0;
      call(kComplex ? "ungqr" : "orgqr", &m, &n, &k, at<T>(0, i), &m, at<T>(1, i), work, count, &info);
      return info;
    });
  }

  Integer svd(std::uint64_t i) const {
    const auto m = integer(problem_.m), n = integer(problem_.n);
    const bool vectors = call_.operands[2].is_given();
    const char* const job = !vectors ? "N" : problem_.k == problem_.m ? "A" : "S";
    std::vector<Integer> integers(8 * problem_.n);
    std::vector<Part> parts(kComplex ? problem_.n * (5 * problem_.n + 7 + 2 * problem_.m + 2 * problem_.n) + 1 : 0);
    return with_work([&](T* work, Integer* count) {
      Integer info = 0;
      if constexpr (kComplex)
        call("gesdd", job, &m, &n, at<T>(1, i), &m, at<Part>(0, i), at<T>(2, i), &m, at<T>(3, i), &n, work, count,
             parts.data(), integers.data(), &info, std::size_t{1});
      else
        call("gesdd", job, &m, &n, at<T>(1, i), &m, at<Part>(0, i), at<T>(2, i), &m, at<T>(3, i), &n, work, count,
             integers.data(), &info, std::size_t{1});
      return info;
    });
  }

  Integer eigen(std::uint64_t i) const {
    const auto n = integer(problem_.n);
    const char* const job = call_.operation == Operation::eigenvectors ? "V" : "N";
    const auto part_count = integer(1 + 5 * problem_.n + 2 * problem_.n * problem_.n),
               integer_count = integer(3 + 5 * problem_.n);
    std::vector<Integer> integers(static_cast<std::size_t>(integer_count));
    std::vector<Part> parts(kComplex ? static_cast<std::size_t>(part_count) : 0);
    return with_work([&](T* work, Integer* count) {
      Integer info = 0;
      if constexpr (kComplex)
        call("heevd", job, "L", &n, at<T>(1, i), &n, at<Part>(0, i), work, count, parts.data(), &part_count,
             integers.data(), &integer_count, &info, std::size_t{1}, std::size_t{1});
      else
        call("syevd", job, "L", &n, at<T>(1, i), &n, at<Part>(0, i), work, count, integers.data(), &integer_count,
             &info, std::size_t{1}, std::size_t{1});
      return info;
    });
  }

  Integer eigen_general(std::uint64_t i) const {
    const auto n = integer(problem_.n);
    const char* const job = call_.operands[2].is_given() ? "V" : "N";
    std::vector<Part> parts(2 * problem_.n);
    return with_work([&](T* work, Integer* count) {
      Integer info = 0;
      const Integer one = 1;
      T* const left = nullptr;  // not asked for
      call("geev", "N", job, &n, at<T>(1, i), &n, at<T>(0, i), left, &one, at<T>(2, i), &n, work, count, parts.data(),
           &info, std::size_t{1}, std::size_t{1});
      return info;
    });
  }

  const OpenBlas& blas_;
  const Call& call_;
  Problem problem_;
  mutable std::string routine_;
};

template <class T> std::string run_lapack(const OpenBlas& blas, const Call& call) {
  return blas.is_wide() ? Lapack<T, std::int64_t>(blas, call).run() : Lapack<T, int>(blas, call).run();
}

}  // namespace

Report solve_with_lapack(const OpenBlas& blas, const Call& call) {
  switch (problem_of(call).type) {
    case Scalar::float32: return {0, run_lapack<float>(blas, call), "float"};
    case Scalar::float64: return {0, run_lapack<double>(blas, call), "double"};
    case Scalar::complex64: return {0, run_lapack<std::complex<float>>(blas, call), "complex<float>"};
    default: return {0, run_lapack<std::complex<double>>(blas, call), "complex<double>"};
  }
}

}  // namespace xcuda::library::cpu
