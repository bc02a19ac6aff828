// One instruction in a kernel of its own, on every combination of corner values, as a vector and as a scalar, against
// a function of the host.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tests/unit/device/cpu/kernel_harness.hpp"

namespace xcuda::device::cpu {

inline Translator& shared_translator() {
  static Translator translator;
  return translator;
}

template <class T> struct PtxName;
#define XCUDA_PTX_NAME(type, name, reg) \
  template <> struct PtxName<type> { static constexpr const char *memory = name, *declared = reg; };
XCUDA_PTX_NAME(float, "f32", "f32")
XCUDA_PTX_NAME(double, "f64", "f64")
XCUDA_PTX_NAME(std::uint8_t, "u8", "b16")
XCUDA_PTX_NAME(std::int8_t, "s8", "b16")
XCUDA_PTX_NAME(std::uint16_t, "u16", "b16")
XCUDA_PTX_NAME(std::int16_t, "s16", "b16")
XCUDA_PTX_NAME(std::uint32_t, "u32", "b32")
XCUDA_PTX_NAME(std::int32_t, "s32", "b32")
XCUDA_PTX_NAME(std::uint64_t, "u64", "b64")
XCUDA_PTX_NAME(std::int64_t, "s64", "b64")
#undef XCUDA_PTX_NAME

template <class T> const std::vector<T>& corners() {
  if constexpr (std::is_floating_point_v<T>) {
    using L = std::numeric_limits<T>;
    static const std::vector<T> all = {0,
                                       -T(0),
                                       1,
                                       -1,
                                       T(0.5),
                                       T(1.5),
                                       T(-2.5),
                                       3,
                                       T(1e-3),
                                       T(-7.25),
                                       T(0.1),
                                       T(123456.789),
                                       T(-1e9),
                                       T(4e9),
                                       L::min(),
                                       -L::min(),
                                       L::denorm_min(),
                                       L::min() / 3,
                                       L::max(),
                                       -L::max(),
                                       L::infinity(),
                                       -L::infinity(),
                                       L::quiet_NaN(),
                                       1 + L::epsilon(),
                                       T(1) / 3};
    return all;
  } else {
    using L = std::numeric_limits<T>;
    static const std::vector<T> all = {T(0),
                                       T(1),
                                       T(2),
                                       T(3),
                                       T(7),
                                       T(31),
                                       T(32),
                                       T(33),
                                       T(63),
                                       T(64),
                                       T(100),
                                       T(-1),
                                       T(-2),
                                       T(-33),
                                       L::max(),
                                       L::min(),
                                       T(L::max() - 1),
                                       T(L::max() / 3),
                                       T(L::max() / 2 + 1),
                                       T(0x5a5a5a5a5a5a5a5aull),
                                       T(0x8000000080000001ull)};
    return all;
  }
}

// NaN equals NaN; zeros differ by sign.
template <class T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  } else {
    return a == b;
  }
}

// The text between `%d` (the result) and `%a %b %c` (the inputs).
template <class R, class... In> class OpcodeKernel {
 public:
  explicit OpcodeKernel(const std::string& body) : harness_(text(body), shared_translator()) {}

  // All threads at once: vectors.
  std::vector<R> vectors(std::vector<In>... in) {
    const std::size_t count = std::get<0>(std::tie(in...)).size();
    std::vector<R> out(count);
    harness_.forget();
    (harness_.name(in), ...);
    harness_.name(out);
    const auto blocks = static_cast<std::uint32_t>((count + 127) / 128);
    Arguments arguments;
    (arguments.add(in.data()), ...);
    arguments.add(out.data()).add(static_cast<std::uint32_t>(count));
    EXPECT_EQ(harness_.run({"vectors", {blocks}, {128}}, arguments), Outcome::finished);
    return out;
  }

  // One thread per element, with uniform registers.
  R scalar(In... in) {
    std::tuple<std::vector<In>...> arrays{std::vector<In>{in}...};
    std::vector<R> out(1);
    harness_.forget();
    Arguments arguments;
    std::apply(
        [&](auto&... each) {
          (harness_.name(each), ...);
          (arguments.add(each.data()), ...);
        },
        arrays);
    harness_.name(out);
    arguments.add(out.data()).add(std::uint32_t{1});
    EXPECT_EQ(harness_.run({"scalars", {1}, {32}}, arguments), Outcome::finished);
    return out[0];
  }

 private:
  static std::string text(const std::string& body) {
    constexpr std::size_t count = sizeof...(In);
    const char* memory[] = {PtxName<In>::memory...};
    const char* declared[] = {PtxName<In>::declared...};
    const char* names[] = {"%a", "%b", "%c", "%e"};
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for (const bool vectors : {true, false}) {
      text += fmt::format(".visible .entry {}(", vectors ? "vectors" : "scalars");
      for (std::size_t i = 0; i <= count; ++i) text += fmt::format(".param .u64 p{}, ", i);
      text +=
          ".param .u32 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %i, %n, %t<8>;\n.reg .b64 %x<9>, %w<8>;\n.reg .b16 "
          "%h<8>;\n.reg .f32 %f<8>;\n.reg .f64 %g<8>;\n";
      for (std::size_t i = 0; i < count; ++i) text += fmt::format(".reg .{} {};\n", declared[i], names[i]);
      text += fmt::format(".reg .{} %d;\n", PtxName<R>::declared);
      text += "ld.param.u32 %n, [n];\nmov.u32 %i, %ctaid.x;\nmov.u32 %t0, %ntid.x;\nmov.u32 %t1, %tid.x;\n";
      text += vectors ? "mad.lo.s32 %i, %i, %t0, %t1;\n" : "mov.u32 %i, 0;\n";
      text += "setp.ge.u32 %p0, %i, %n;\n@%p0 bra DONE;\n";
      for (std::size_t i = 0; i <= count; ++i) {
        const std::size_t size = i < count ? sizes[i] : sizeof(R);
        text += fmt::format("ld.param.u64 %x{0}, [p{0}];\nmad.wide.s32 %x{0}, %i, {1}, %x{0};\n", i, size);
        if (i < count) text += fmt::format("ld.global.{} {}, [%x{}];\n", memory[i], names[i], i);
      }
      text += body + "\n" + fmt::format("st.global.{} [%x{}], %d;\nDONE:\nret;\n}}\n", PtxName<R>::memory, count);
    }
    return text;
  }
  static constexpr std::size_t sizes[] = {sizeof(In)..., 0};

  KernelHarness harness_;
};

// Every combination of corner values; `expected` gets them and returns the result.
template <class R, class... In>
void expect_opcode(const std::string& body, const std::type_identity_t<std::function<R(In...)>>& expected,
                   const std::type_identity_t<std::function<bool(R, R)>>& equal = same<R>) {
  std::vector<std::tuple<In...>> all{{}};
  auto fill = [&]<std::size_t... I>(std::index_sequence<I...>) {
    all.clear();
    std::size_t total = 1;
    ((total *= corners<In>().size()), ...);
    for (std::size_t i = 0; i < total; ++i) {
      std::size_t rest = i;
      std::tuple<In...> one;
      ((std::get<I>(one) = corners<In>()[rest % corners<In>().size()], rest /= corners<In>().size()), ...);
      all.push_back(one);
    }
    OpcodeKernel<R, In...> kernel(body);
    std::tuple<std::vector<In>...> columns;
    for (const auto& one : all) (std::get<I>(columns).push_back(std::get<I>(one)), ...);
    const std::vector<R> vectors = kernel.vectors(std::get<I>(columns)...);
    int shown = 0;
    auto compare = [&](const char* how, std::size_t i, R got) {
      const R wanted = expected(std::get<I>(all[i])...);
      if (equal(got, wanted) || shown++ > 4) return;
      std::string inputs;
      ((inputs += fmt::format(" {}", +std::get<I>(all[i]))), ...);
      ADD_FAILURE() << body << " of" << inputs << " as a " << how << ": "
                    << fmt::format("{} instead of {}", +got, +wanted);
    };
    for (std::size_t i = 0; i < all.size(); ++i) compare("vector", i, vectors[i]);
    const std::size_t step = std::max<std::size_t>(1, all.size() / 97);
    for (std::size_t i = 0; i < all.size(); i += step) compare("scalar", i, kernel.scalar(std::get<I>(all[i])...));
  };
  fill(std::index_sequence_for<In...>());
}

}  // namespace xcuda::device::cpu
