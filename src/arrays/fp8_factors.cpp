// Which factors of 8-bit floating point a product may have.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "arrays/products.hpp"
#include "base/fp8.hpp"

namespace xcuda::arrays {

library::Precision Products::fp8_of(const ProductRequest& request) const {
  using library::Precision;
  const auto left = xcuda::fp8_of(request.left.type.name), right = xcuda::fp8_of(request.right.type.name);
  if (!left && !right) return Precision::full;
  const auto fail = [&](ErrorKind kind, std::string why, std::string advice) {
    return math_.error(kind, "matmul: " + std::move(why), request.span).advise(std::move(advice));
  };
  if (!left || !right)
    throw fail(ErrorKind::type,
               fmt::format("{} has elements of {}, and {} of {}; an 8-bit factor needs another one", request.left_text,
                           request.left.type.name, request.right_text, request.right.type.name),
               "Convert one of the two in a kernel: y[i] = __nv_fp8_e4m3(x[i]); or x[i] = float(y[i]);");
  if (*left == Fp8::e5m2 && *right == Fp8::e5m2)
    throw fail(ErrorKind::unsupported, "no GPU multiplies __nv_fp8_e5m2 by __nv_fp8_e5m2",
               "One of the two must be __nv_fp8_e4m3, usually the weights or activations.");
  const auto& info = workspace_.device_info();
  constexpr int kFirst = 89;
  if (info.kind == device::Kind::cuda && info.architecture.starts_with("sm_") &&
      std::atoi(info.architecture.c_str() + 3) < kFirst)
    throw fail(ErrorKind::unsupported,
               fmt::format("8-bit factors need a GPU of compute capability 8.9 or newer; {} is {}", info.name,
                           info.architecture),
               "Convert them to half, or choose %device cpu.");
  if (*left == *right) return Precision::e4m3;
  return *left == Fp8::e4m3 ? Precision::e4m3_by_e5m2 : Precision::e5m2_by_e4m3;
}

}  // namespace xcuda::arrays
