#include "kernel/adapter.hpp"

#include "display/error_report.hpp"

namespace xcuda::kernel {
std::optional<Error> caught(const std::function<void()>& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  } catch (...) {
    return Error(ErrorKind::internal, "an exception of unknown type");
  }
}

std::optional<display::RenderedError> guarded(const std::function<std::optional<display::RenderedError>()>& action) {
  std::optional<display::RenderedError> result;
  const auto error = caught([&] { result = action(); });
  return error ? display::render_error(*error) : result;
}

}  // namespace xcuda::kernel
