#include "base/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace xcuda {
namespace {

std::optional<std::string> written_out(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || text == nullptr) return std::nullopt;
  return std::string(text.get());
}

}  // namespace

std::optional<std::string> demangle(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::nullopt;  // "f" is a type there
  return written_out(std::string(symbol).c_str());
}

std::string demangled(std::string_view symbol) { return demangle(symbol).value_or(std::string(symbol)); }

std::string demangled_type(const char* name) { return written_out(name).value_or(name); }

}  // namespace xcuda
