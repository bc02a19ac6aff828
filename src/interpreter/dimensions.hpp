// Extents of launches and of dim3s.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

// what: "the grid", for errors, which are of kinds type and value. An extent that is not given is 1.
class Dimensions : public Part {
 public:
  explicit Dimensions(Frame& frame) : Part(frame) {}

  // How C++ converts a number to an extent: dim3(n / 2.0) and <<<n / 2.0, 256>>> convert it, dim3{n / 2.0} does not.
  enum class Conversion : std::uint8_t { none, implicit, braces };

  device::Dim3 of(const cell::Expression& expression, std::string_view what);  // a number, a dim3 or {x, y, z}
  device::Dim3 of(const std::vector<const cell::Expression*>& extents, std::string_view what,  // three at most
                  Conversion conversion);
  Error too_many(std::string_view of, std::size_t count, cell::Span span) const;  // extents of an array
  std::uint32_t extent(const cell::Expression& expression, std::string_view what,
                       Conversion conversion = Conversion::none);

 private:
  std::uint32_t extent(const language::ScalarValue& value, const cell::Expression& expression, std::string_view what,
                       Conversion conversion) const;
};

}  // namespace xcuda::interpreter
