#include "runtime/math/blas.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace xcuda::runtime::math {

void BlasCall::add_letter(const char* letters, int which) {
  if (which < 0 || which >= static_cast<int>(std::strlen(letters))) {
    is_valid = false;
    which = 0;
  }
  add(letters[which]);
}

Shape::Shape(const BlasCall& call) {
  for (const auto& value : call.values) switch (value.kind) {
      case BlasCall::Value::Kind::letter:
        letters_.push_back(value.letter >= 'a' ? static_cast<char>(value.letter - 'a' + 'A') : value.letter);
        break;
      case BlasCall::Value::Kind::number: numbers_.push_back(value.number); break;
      case BlasCall::Value::Kind::array: arrays_.push_back(value); break;
      case BlasCall::Value::Kind::scale: break;
    }
}

std::uint64_t bytes_of_vector(std::int64_t count, std::int64_t step, std::size_t element) {
  return count <= 0 ? 0 : static_cast<std::uint64_t>((count - 1) * std::abs(step) + 1) * element;
}
std::uint64_t bytes_of_matrix(std::int64_t rows, std::int64_t columns, std::int64_t leading, std::size_t element) {
  return rows <= 0 || columns <= 0 ? 0 : static_cast<std::uint64_t>((columns - 1) * leading + rows) * element;
}

void Shape::matrix(int which, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  constexpr std::array<const char*, 3> kNames = {"A", "B", "C"};
  extents({rows, columns});
  if (leading < std::max<std::int64_t>(rows, 1)) fits_ = false;
  const auto& array = arrays_[static_cast<std::size_t>(which)];
  reaches.push_back(
      {array.address, bytes_of_matrix(rows, columns, leading, array.bytes), kNames[static_cast<std::size_t>(which)]});
}
void Shape::vector(int which, std::int64_t count, std::int64_t step) {
  extents({count});
  const auto& array = arrays_[static_cast<std::size_t>(which)];
  reaches.push_back({array.address, bytes_of_vector(count, step, array.bytes), "a vector"});
}
void Shape::elements(int which, std::int64_t count) {
  const auto& array = arrays_[static_cast<std::size_t>(which)];
  reaches.push_back({array.address, count <= 0 ? 0 : static_cast<std::uint64_t>(count) * array.bytes, "A"});
}
void Shape::extents(std::initializer_list<std::int64_t> values) {
  for (const auto value : values)
    if (value < 0) fits_ = false;
}

Outcome run_blas(Blas* blas, BlasCall call, Rule rule) {
  if (blas == nullptr) return Outcome::uninitialized;
  Shape shape(call);
  rule(shape);
  if (!call.is_valid || !shape.fits()) return Outcome::value;
  if (!has_fortran(call.name)) {
    say_not_supported(call.function.c_str(), "OpenBLAS does not have it");
    return Outcome::unsupported;
  }
  // Values of the host are kept in the call; those of the device are read when it runs.
  for (auto& value : call.values) {
    if (value.kind != BlasCall::Value::Kind::scale) continue;
    if (value.address == nullptr) return Outcome::value;
    if (blas->pointers == PointerMode::device) shape.reaches.push_back({value.address, value.bytes, "a scalar"});
  }
  std::vector<std::array<std::byte, 48>> scales;
  if (blas->pointers == PointerMode::host)
    for (const auto& value : call.values)
      if (value.kind == BlasCall::Value::Kind::scale)
        std::memcpy(scales.emplace_back().data(), value.address, value.bytes);
  Posted posted{call.function, blas->stream, Waits::no, std::move(shape.reaches)};
  return post(posted, [call = std::move(call), scales = std::move(scales)] {
    Fortran function(call.name);
    std::size_t next = 0;
    for (const auto& value : call.values) switch (value.kind) {
        case BlasCall::Value::Kind::letter: function.letter(value.letter); break;
        case BlasCall::Value::Kind::number: function.number(value.number); break;
        case BlasCall::Value::Kind::array: function.at(value.address); break;
        case BlasCall::Value::Kind::scale:
          function.at(scales.empty() ? value.address : static_cast<const void*>(scales[next++].data()));
      }
    function.run();
  });
}

}  // namespace xcuda::runtime::math
