// The date of a message.
#pragma once

#include <string>

namespace xcuda::kernel {

std::string date_text();  // now, as ISO 8601 in UTC, with microseconds

}  // namespace xcuda::kernel
