// printf of the host: C's formats, checked against the arguments.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "device/device.hpp"
#include "language/scalar_value.hpp"
#include "session/place.hpp"

namespace xcuda::interpreter {

using namespace session;

struct PrintArgument {
  std::variant<language::ScalarValue, std::string, device::Address> value;
  cell::Span span;
};

// Errors: type (an argument of the wrong kind), value (too few, too many, a conversion that does not exist).
std::string format_printf(const Source& source, std::string_view format, cell::Span format_span,
                          const std::vector<PrintArgument>& arguments, std::string_view function);

}  // namespace xcuda::interpreter
