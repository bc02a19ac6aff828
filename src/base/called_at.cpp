#include "base/called_at.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace xcuda {

std::string called_at(const Place& call) {
  return fmt::format("called at {}:{}:{}: {}", call.source, call.line, call.column, trim(call.excerpt));
}

}  // namespace xcuda
