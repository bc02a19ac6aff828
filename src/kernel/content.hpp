// Fields of a request's content, read as what they have to be. Errors: value, which names the field.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/engine.hpp"

namespace xcuda::kernel {

Error wrong_content(const char* name, const char* wanted);
std::string text_field(const Json& content, const char* name);
std::optional<bool> flag_field(const Json& content, const char* name);  // nothing when it is not there
// A number. Clients leave out numbers, or send null for "no limit".
int number_field(const Json& content, const char* name, int otherwise);
// cursor_pos in bytes of code; it counts code points, and a client that leaves it out means the end.
std::size_t cursor_field(const Json& content, std::string_view code);

}  // namespace xcuda::kernel
