#include "library/cuda/cuda_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <vector>

#include "base/error.hpp"
#include "library/cuda/opening.hpp"

namespace xcuda::library::cuda {
namespace {

constexpr std::uint64_t kWorkspace = 32 << 20;  // bytes, as NVIDIA advises for the H100
constexpr std::size_t kPlans = 4096;            // kept at most

struct Types {
  int left, right, result, scale, compute;
  const char* text;
};

Types of_one(int type, int scale, int compute, const char* text) { return {type, type, type, scale, compute, text}; }

Types of_bytes(Precision precision) {
  switch (precision) {
    case Precision::e4m3: return {kRealE4M3, kRealE4M3, kReal32F, kReal32F, kCompute32F, "e4m3, sums in float"};
    case Precision::e4m3_by_e5m2:
      return {kRealE4M3, kRealE5M2, kReal32F, kReal32F, kCompute32F, "e4m3 by e5m2, sums in float"};
    case Precision::e5m2_by_e4m3:
      return {kRealE5M2, kRealE4M3, kReal32F, kReal32F, kCompute32F, "e5m2 by e4m3, sums in float"};
    default: throw Error(ErrorKind::unsupported, "matmul: cuBLASLt does not multiply unsigned bytes");
  }
}

Types types_of(Scalar type, Precision precision) {
  switch (type) {
    case Scalar::float32:
      return precision == Precision::tf32 ? of_one(kReal32F, kReal32F, kComputeTf32, "float, factors as TF32")
                                          : of_one(kReal32F, kReal32F, kCompute32F, "float");
    case Scalar::float64: return of_one(kReal64F, kReal64F, kCompute64F, "double");
    case Scalar::float16: return of_one(kReal16F, kReal32F, kCompute32F, "half, sums in float");
    case Scalar::bfloat16: return of_one(kReal16BF, kReal32F, kCompute32F, "bfloat16, sums in float");
    case Scalar::complex64:
      return precision == Precision::tf32
                 ? of_one(kComplex32F, kComplex32F, kComputeTf32, "complex<float>, factors as TF32")
                 : of_one(kComplex32F, kComplex32F, kCompute32F, "complex<float>");
    case Scalar::complex128: return of_one(kComplex64F, kComplex64F, kCompute64F, "complex<double>");
    case Scalar::int8: return {kReal8I, kReal8I, kReal32I, kReal32I, kCompute32I, "int8, sums in int"};
    case Scalar::uint8: return of_bytes(precision);
    default: break;
  }
  throw Error(ErrorKind::unsupported, fmt::format("matmul: cuBLASLt does not multiply {}", type_of(type).name));
}

// A scalar in the type that the library reads it in; complex<double> as a unit of 16 bytes.
union alignas(16) ScaleValue {
  float single;
  double real;
  float complex_single[2];
  double complex[2];
  int integer;
};
ScaleValue scale_value(int type, const double* value) {
  ScaleValue scale{};
  if (type == kReal32F) scale.single = static_cast<float>(value[0]);
  if (type == kReal64F) scale.real = value[0];
  if (type == kReal32I) scale.integer = static_cast<int>(value[0]);
  for (int i = 0; i < 2; ++i) {
    if (type == kComplex32F) scale.complex_single[i] = static_cast<float>(value[i]);
    if (type == kComplex64F) scale.complex[i] = value[i];
  }
  return scale;
}

// The largest power of two up to 256 that divides all addresses that a batch has.
std::uint32_t alignment_of(std::uint64_t address, std::uint64_t distance_bytes) {
  const std::uint64_t bits = address | distance_bytes | 256;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

// Calls of the library in a row: after one that fails, no other.
class Steps {
 public:
  template <class Function> void then(const char* attempted, Function function) {
    if (!why_.empty()) return;
    if (const int status = function(); status != 0)
      why_ = fmt::format("{}: cuBLASLt cannot {}", status_text(status), attempted);
  }
  std::string take() { return std::move(why_); }

 private:
  std::string why_;
};

Wanted wanted(int cuda_major) {
  Wanted one{"cuBLASLt", "multiplies matrices", {}, cuda_major >= 13 ? "nvidia-cublas" : "nvidia-cublas-cu12"};
  for (int major = std::min(cuda_major, 13); major >= 12; --major)
    one.files.push_back(fmt::format("libcublasLt.so.{}", major));
  return one;
}

}  // namespace

std::string status_text(int status) {
  const auto* const name = [&] {
    switch (status) {
      case 1: return "NOT_INITIALIZED";
      case 3: return "ALLOC_FAILED";
      case 7: return "INVALID_VALUE";
      case 8: return "ARCH_MISMATCH";
      case 11: return "MAPPING_ERROR";
      case 13: return "EXECUTION_FAILED";
      case 14: return "INTERNAL_ERROR";
      case 15: return "NOT_SUPPORTED";
      default: return "of a newer library";
    }
  }();
  return fmt::format("CUBLAS_STATUS_{} ({})", name, status);
}

Products::Products(const OpenRequest& request, int cuda_major) {
  const auto begun = std::chrono::steady_clock::now();
  const auto paths = candidates(request, wanted(cuda_major));
  if (std::none_of(paths.begin(), paths.end(), [&](const std::string& path) { return load(path); }))
    throw missing(wanted(cuda_major), why_not_);
  start();
  facts_.load_time = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count();
}

Products::Products(const std::string& path) {
  if (!load(path)) throw missing(wanted(0), why_not_);
  start();
}

bool Products::load(const std::string& path) {
  why_not_ = load_table(path, table_);
  if (!why_not_.empty()) return false;
  // 120301 for 12.3.1.
  const auto version = table_.cublasLtGetVersion();
  facts_ = {"cuBLASLt", fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100), path, 0,
            kWorkspace};
  return true;
}

void Products::start() {
  if (const int status = table_.cublasLtCreate(&handle_); status != 0)
    throw Error(ErrorKind::device, fmt::format("cannot start cuBLASLt {}", facts_.version))
        .said(status_text(status))
        .advise("The driver may be too old for it: %device shows its version.");
}

Products::~Products() {
  for (auto& [key, plan] : plans_) end(plan);
  if (handle_ != nullptr) table_.cublasLtDestroy(handle_);
}

void Products::end(Plan& plan) const noexcept {
  for (auto* layout : {plan.a, plan.b, plan.c, plan.d})
    if (layout != nullptr) table_.cublasLtMatrixLayoutDestroy(layout);
  if (plan.description != nullptr) table_.cublasLtMatmulDescDestroy(plan.description);
}

std::string Products::Problem::key() const {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", type_a, type_b,
                     result_type, compute, epilogue, transpose_a, transpose_b, m, n, k, batch, lead_a, lead_b, lead_c,
                     lead_d, distance_a, distance_b, distance_c, distance_d, align_a, align_b, align_c, align_d,
                     workspace, reductions);
}

std::string Products::make(const Problem& p, Plan& plan) {
  Steps steps;
  steps.then("describe a product",
             [&] { return table_.cublasLtMatmulDescCreate(&plan.description, p.compute, p.scale_type); });
  const auto set = [&](MatmulAttribute attribute, int value) {
    steps.then("describe a product", [&] {
      return table_.cublasLtMatmulDescSetAttribute(plan.description, attribute, &value, sizeof value);
    });
  };
  set(kTransposeA, p.transpose_a);
  set(kTransposeB, p.transpose_b);
  set(kEpilogue, p.epilogue);
  struct Matrix {
    int type;
    std::uint64_t rows, columns;
    std::int64_t leading, distance;
  };
  const auto layout = [&](cublasLtMatrixLayout_t& made, const Matrix& matrix) {
    steps.then("describe a matrix", [&] {
      return table_.cublasLtMatrixLayoutCreate(&made, matrix.type, matrix.rows, matrix.columns, matrix.leading);
    });
    if (p.batch == 1) return;
    const auto count = static_cast<std::int32_t>(p.batch);
    steps.then("describe a batch",
               [&] { return table_.cublasLtMatrixLayoutSetAttribute(made, kBatchCount, &count, sizeof count); });
    steps.then("describe a batch", [&] {
      return table_.cublasLtMatrixLayoutSetAttribute(made, kBatchDistance, &matrix.distance, sizeof matrix.distance);
    });
  };
  layout(plan.a, {p.type_a, p.transpose_a != 0 ? p.k : p.m, p.transpose_a != 0 ? p.m : p.k, p.lead_a, p.distance_a});
  layout(plan.b, {p.type_b, p.transpose_b != 0 ? p.n : p.k, p.transpose_b != 0 ? p.k : p.n, p.lead_b, p.distance_b});
  layout(plan.c, {p.result_type, p.m, p.n, p.lead_c, p.distance_c});
  layout(plan.d, {p.result_type, p.m, p.n, p.lead_d, p.distance_d});

  cublasLtMatmulPreference_t preference = nullptr;
  steps.then("state a preference", [&] { return table_.cublasLtMatmulPreferenceCreate(&preference); });
  const auto prefer = [&](PreferenceAttribute attribute, const auto& value) {
    steps.then("state a preference", [&] {
      return table_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
    });
  };
  prefer(kMaxWorkspace, p.workspace);
  prefer(kReductionSchemes, p.reductions);
  prefer(kAlignmentA, p.align_a);
  prefer(kAlignmentB, p.align_b);
  prefer(kAlignmentC, p.align_c);
  prefer(kAlignmentD, p.align_d);
  cublasLtMatmulHeuristicResult_t best{};
  steps.then("choose an algorithm", [&] {
    int found = 0;
    const int status = table_.cublasLtMatmulAlgoGetHeuristic(handle_, plan.description, plan.a, plan.b, plan.c, plan.d,
                                                             preference, 1, &best, &found);
    return status == 0 && found == 0 ? kNotSupported : status;
  });
  if (preference != nullptr) table_.cublasLtMatmulPreferenceDestroy(preference);
  auto why = steps.take();
  if (!why.empty()) return why;
  plan.algorithm = best.algo;
  const auto number = [&](AlgorithmAttribute attribute) {
    int value = 0;
    std::size_t written = 0;
    table_.cublasLtMatmulAlgoConfigGetAttribute(&plan.algorithm, attribute, &value, sizeof value, &written);
    return value;
  };
  plan.text = fmt::format("algorithm {}, tile {}, stages {}", number(kAlgorithm), number(kTile), number(kStages));
  if (const int parts = number(kSplitK); parts > 1) plan.text += fmt::format(", {} parts of k", parts);
  return {};
}

Outcome Products::run(const Call& call, void* stream) {
  const auto product = product_of(call);
  const auto& operands = call.operands;
  const auto types = types_of(product.type, call.precision);
  const bool rows = product.layout[kResult].order == Order::row;
  // d' = b' a' for rows.
  const Role first = rows ? kRight : kLeft, second = rows ? kLeft : kRight;
  const Role addend = product.has_addend ? kAddend : kResult;
  const auto order = product.layout[kResult].order;
  const auto transposed = [&](Role role) { return product.layout[role].order == order ? 0 : 1; };
  const auto element = size_of(product.type), result_element = size_of(product.result_type);
  Problem p;
  p.type_a = rows ? types.right : types.left;
  p.type_b = rows ? types.left : types.right;
  p.result_type = types.result;
  p.scale_type = types.scale;
  p.compute = types.compute;
  p.epilogue = (product.has_bias ? kBiasEpilogue : 0) | (call.activation == Activation::relu ? kReluEpilogue : 0);
  if (p.epilogue == 0) p.epilogue = kDefaultEpilogue;
  p.transpose_a = transposed(first);
  p.transpose_b = transposed(second);
  p.m = rows ? product.n : product.m;
  p.n = rows ? product.m : product.n;
  p.k = product.k;
  p.batch = product.batch;
  p.lead_a = product.layout[first].leading;
  p.lead_b = product.layout[second].leading;
  p.lead_c = product.layout[addend].leading;
  p.lead_d = product.layout[kResult].leading;
  p.distance_a = product.distance[first];
  p.distance_b = product.distance[second];
  p.distance_c = product.distance[addend];
  p.distance_d = product.distance[kResult];
  p.workspace = call.workspace_bytes;
  p.reductions = call.sums == Sums::fixed_order ? kOrderedReductions : kAllReductions;
  const auto alpha = scale_value(types.scale, call.scalars.data()),
             beta = scale_value(types.scale, call.scalars.data() + 2);
  Outcome outcome{{0, "", types.text}, {}};
  for (const auto& start : product.starts) {
    const auto at = [&](Role role) {
      const auto size = static_cast<std::int64_t>(role == kLeft || role == kRight ? element : result_element);
      return operands[role].address + static_cast<std::uint64_t>(start[role] * size);
    };
    const auto apart = [&](Role role, std::size_t size) {
      return static_cast<std::uint64_t>(product.distance[role]) * size;
    };
    p.align_a = alignment_of(at(first), apart(first, element));
    p.align_b = alignment_of(at(second), apart(second, element));
    p.align_c = alignment_of(at(addend), apart(addend, result_element));
    p.align_d = alignment_of(at(kResult), apart(kResult, result_element));
    const auto key = p.key();
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      if (plans_.size() >= kPlans) {
        for (auto& [old, plan] : plans_) end(plan);
        plans_.clear();
      }
      Plan plan;
      outcome.refused = make(p, plan);
      if (!outcome.refused.empty()) return end(plan), outcome;
      found = plans_.emplace(key, std::move(plan)).first;
    }
    auto& plan = found->second;
    Steps steps;
    if (product.has_bias)
      steps.then("take the bias", [&] {
        const auto* bias = reinterpret_cast<const void*>(operands[kBias].address);
        return table_.cublasLtMatmulDescSetAttribute(plan.description, kBiasPointer, &bias, sizeof bias);
      });
    const auto pointer = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
    steps.then("multiply", [&] {
      return table_.cublasLtMatmul(handle_, plan.description, &alpha, pointer(at(first)), plan.a, pointer(at(second)),
                                   plan.b, &beta, pointer(at(addend)), plan.c, pointer(at(kResult)), plan.d,
                                   &plan.algorithm, pointer(call.workspace), call.workspace_bytes,
                                   static_cast<cublasLtStream>(stream));
    });
    outcome.report.algorithm = plan.text;
    outcome.refused = steps.take();
    if (!outcome.refused.empty()) return outcome;
  }
  return outcome;
}

}  // namespace xcuda::library::cuda
