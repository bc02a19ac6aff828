#include "kernel/adapter.hpp"

#include <fmt/format.h>

namespace xcuda::kernel {
namespace {

CellError to_cell_error(const Error& error) {
  std::string text = fmt::format("{}: {}", kind_name(error.kind), error.message);
  for (const auto& part : {error.library, error.advice})
    if (!part.empty()) text += "\n" + part;
  return {std::string(kind_name(error.kind)), error.message, {std::move(text)}};
}

}  // namespace

std::optional<Error> caught(const std::function<void()>& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  } catch (...) {
    return Error(ErrorKind::internal, "an exception of an unknown type");
  }
}

std::optional<CellError> guarded(const std::function<std::optional<CellError>()>& action) {
  std::optional<CellError> result;
  const auto error = caught([&] { result = action(); });
  return error ? to_cell_error(*error) : result;
}

}  // namespace xcuda::kernel
