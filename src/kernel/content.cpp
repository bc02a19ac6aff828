#include "kernel/content.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace xcuda::kernel {

Error wrong_content(const char* name, const char* wanted) {
  return Error(ErrorKind::value, fmt::format("the request's content has no {} in its field \"{}\"", wanted, name));
}

std::string text_field(const Json& content, const char* name) {
  const auto found = content.find(name);
  if (found == content.end() || !found->is_string()) throw wrong_content(name, "text");
  return found->get<std::string>();
}

std::optional<bool> flag_field(const Json& content, const char* name) {
  const auto found = content.find(name);
  if (found == content.end()) return std::nullopt;
  if (!found->is_boolean()) throw wrong_content(name, "true or false");
  return found->get<bool>();
}

int number_field(const Json& content, const char* name, int otherwise) {
  const auto found = content.find(name);
  if (found == content.end() || found->is_null()) return otherwise;
  if (!found->is_number_integer() || *found < -1'000'000'000 || *found > 1'000'000'000)
    throw wrong_content(name, "number");
  return found->get<int>();
}

std::size_t cursor_field(const Json& content, std::string_view code) {
  const int cursor = number_field(content, "cursor_pos", -1);
  return cursor < 0 ? code.size() : bytes_of_code_points(code, static_cast<std::size_t>(cursor));
}

}  // namespace xcuda::kernel
