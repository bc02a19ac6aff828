#include "base/error.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/called_at.hpp"
#include "base/text.hpp"

namespace xcuda {

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::syntax: return "SyntaxError";
    case ErrorKind::name: return "NameError";
    case ErrorKind::type: return "TypeError";
    case ErrorKind::value: return "ValueError";
    case ErrorKind::memory: return "MemoryError";
    case ErrorKind::compile: return "CompileError";
    case ErrorKind::launch: return "LaunchError";
    case ErrorKind::device: return "DeviceError";
    case ErrorKind::assertion: return "AssertionError";
    case ErrorKind::interrupted: return "KeyboardInterrupt";
    case ErrorKind::io: return "OSError";
    case ErrorKind::unsupported: return "NotSupportedError";
    case ErrorKind::internal: return "InternalError";
  }
  return "InternalError";
}

std::string called_at(const Place& call) {
  return fmt::format("called at {}:{}:{}: {}", call.source, call.line, call.column, trim(call.excerpt));
}

std::string errno_text(int number) {
  const char* name = strerrorname_np(number);
  const char* text = strerrordesc_np(number);
  if (name == nullptr || text == nullptr) return "error " + std::to_string(number);
  return std::string(text) + " (" + name + ")";
}

}  // namespace xcuda
