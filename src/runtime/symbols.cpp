#include <cstddef>
#include <utility>

#include "runtime/api.hpp"
#include "runtime/copies.hpp"
#include "runtime/symbols.hpp"

namespace xcuda::runtime {
namespace {

// Where a variable is, and how large.
cudaError_t find_variable(State& state, const void* host, std::byte*& address, std::size_t& size) {
  const auto* variable = registry().variable(host);
  if (variable == nullptr) return cudaErrorInvalidSymbol;
  if (const auto error = registry().load(*variable->image, state.engine.device(), state.memory); error != cudaSuccess)
    return error;
  const auto* info = registry().info_of(*variable);
  if (info == nullptr) return cudaErrorInvalidSymbol;
  address = reinterpret_cast<std::byte*>(info->address);
  size = variable->size;
  return cudaSuccess;
}

cudaError_t copy_part(const Part& part, const void* other, cudaMemcpyKind kind, Direction direction,
                      cudaStream_t stream, Return when) {
  return with_state([&](State& state) {
    Copy request;
    const auto error = read_part(state, part, other, kind, direction, request);
    return error == cudaSuccess ? copy(state, request, stream, when) : error;
  });
}

}  // namespace

cudaError_t read_part(State& state, const Part& part, const void* other, cudaMemcpyKind kind, Direction direction,
                      Copy& copy) {
  std::byte* address = nullptr;
  std::size_t size = 0;
  if (const auto error = find_variable(state, part.symbol, address, size); error != cudaSuccess) return error;
  if (part.offset > size || part.bytes > size - part.offset) return cudaErrorInvalidValue;
  const bool in = direction == Direction::to_symbol;
  if (kind == (in ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) || kind == cudaMemcpyHostToHost)
    return cudaErrorInvalidMemcpyDirection;
  copy = {.to = {address + part.offset}, .from = {other}, .width = part.bytes, .kind = kind};
  if (!in) std::swap(copy.to, copy.from);
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return copy_part({symbol, bytes, offset}, from, kind, Direction::to_symbol, nullptr, Return::synchronous);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_part({symbol, bytes, offset}, from, kind, Direction::to_symbol, stream, Return::asynchronous);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_part({symbol, bytes, offset}, to, kind, Direction::from_symbol, nullptr, Return::synchronous);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_part({symbol, bytes, offset}, to, kind, Direction::from_symbol, stream, Return::asynchronous);
}

cudaError_t cudaGetSymbolAddress(void** to, const void* symbol) {
  return with_state([&](State& state) {
    std::byte* address = nullptr;
    std::size_t size = 0;
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = find_variable(state, symbol, address, size);
    *to = address;
    return error;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* to, const void* symbol) {
  return with_state([&](State& state) {
    std::byte* address = nullptr;
    std::size_t size = 0;
    if (to == nullptr) return cudaErrorInvalidValue;
    const auto error = find_variable(state, symbol, address, size);
    *to = size;
    return error;
  });
}

}  // namespace xcuda::runtime
