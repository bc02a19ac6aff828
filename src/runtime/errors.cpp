#include "runtime/errors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "base/demangle.hpp"
#include "device/cpu/plan/layout.hpp"
#include "device/index_text.hpp"

namespace xcuda::runtime {
namespace {

using device::FaultKind;

struct Row {
  cudaError_t error;
  const char *name, *text;
};
constexpr Row kErrors[] = {
#define XCUDA_CUDA_ERROR(name, number, text) {name, #name, text},
#include "base/cuda_errors.def"
#undef XCUDA_CUDA_ERROR
};
#define XCUDA_CUDA_ERROR(name, number, text) static_assert((name) == (number));
#include "base/cuda_errors.def"
#undef XCUDA_CUDA_ERROR
constexpr const char* kUnknown = "unrecognized error code";

const Row* find_row(cudaError_t error) {
  for (const Row& row : kErrors)
    if (row.error == error) return &row;
  return nullptr;
}

}  // namespace

const char* name_of(cudaError_t error) {
  const Row* row = find_row(error);
  return row ? row->name : kUnknown;
}

const char* text_of(cudaError_t error) {
  const Row* row = find_row(error);
  return row ? row->text : kUnknown;
}

cudaError_t error_of(const device::Fault& fault) {
  switch (fault.kind) {
    case FaultKind::illegal_address:
    case FaultKind::out_of_bounds:
    case FaultKind::null_pointer: return cudaErrorIllegalAddress;
    case FaultKind::misaligned_address: return cudaErrorMisalignedAddress;
    case FaultKind::stack_overflow: return cudaErrorHardwareStackError;
    case FaultKind::assertion: return cudaErrorAssert;
    case FaultKind::illegal_instruction: return cudaErrorIllegalInstruction;
    case FaultKind::out_of_memory: return cudaErrorMemoryAllocation;
    case FaultKind::unsupported: return cudaErrorNotSupported;
    case FaultKind::time_limit: return cudaErrorLaunchTimeout;
    default: return cudaErrorLaunchFailure;
  }
}

cudaError_t error_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::memory: return cudaErrorMemoryAllocation;
    case ErrorKind::value:
    case ErrorKind::type: return cudaErrorInvalidValue;
    case ErrorKind::name: return cudaErrorSymbolNotFound;
    case ErrorKind::compile: return cudaErrorInvalidPtx;
    case ErrorKind::unsupported: return cudaErrorNotSupported;
    case ErrorKind::device: return cudaErrorLaunchFailure;
    default: return cudaErrorUnknown;
  }
}

// "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701): ...": the Driver API's numbers are the Runtime's.
cudaError_t error_of(const device::RefusedLaunch& refused) {
  const std::string_view text = refused.library;
  const auto open = text.find('(');
  int number = 0;
  if (text.starts_with("CUDA_ERROR") && open != text.npos &&
      std::from_chars(text.data() + open + 1, text.data() + text.size(), number).ec == std::errc() &&
      find_row(static_cast<cudaError_t>(number)))
    return static_cast<cudaError_t>(number);
  return cudaErrorLaunchFailure;
}

std::string describe(const device::Fault& fault) {
  std::string line = fault.entry.empty() ? std::string("a kernel failed") : "kernel " + demangled(fault.entry);
  if (fault.kind == FaultKind::out_of_bounds && fault.element && fault.array.starts_with("cuda"))  // of MemoryMap
    line +=
        fmt::format(": {} of {} byte{} at byte {} of {}, which has {} bytes", device::access_name(fault.access),
                    fault.access_size, fault.access_size == 1 ? "" : "s", *fault.element, fault.array, fault.elements);
  else
    line += ": " + (fault.message.empty() ? fault.library : fault.message);
  if (fault.block) line += fmt::format(", block {}", device::index_text(*fault.block));
  if (fault.thread) line += fmt::format(", thread {}", device::index_text(*fault.thread));
  if (fault.line > 0) line += fmt::format(", {}:{}", fault.source, fault.line);
  return line;
}

std::string describe(const Error& error) {
  std::string line = error.message;
  if (!error.library.empty()) line += ": " + error.library;
  if (error.place && error.place->line > 0) line += fmt::format(" ({}:{})", error.place->source, error.place->line);
  return line;
}

void say(const std::string& line) {
  const std::string text = "xcuda: " + line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace xcuda::runtime
