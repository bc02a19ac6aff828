// Batches of copies. Places of memory in their attributes are hints; when sources are read is not.
#include "runtime/api.hpp"
#include "runtime/copies.hpp"

namespace xcuda::runtime {
namespace {

bool is_order(cudaMemcpySrcAccessOrder order) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}
Return when_for(cudaMemcpySrcAccessOrder order) {
  return order == cudaMemcpySrcAccessOrderDuringApiCall ? Return::synchronous : Return::asynchronous;
}

// An operand as one side of a box; false: it is neither memory nor an array.
bool read_operand(const cudaMemcpy3DOperand& operand, const cudaExtent& extent, std::size_t element_bytes,
                  cudaPitchedPtr& pointer, cudaArray_t& array, cudaPos& at) {
  if (operand.type == cudaMemcpyOperandTypeArray) {
    const auto& is = operand.op.array;
    array = is.array;
    at = {is.offset.x, is.offset.y, is.offset.z};
    return array != nullptr;
  }
  if (operand.type != cudaMemcpyOperandTypePointer) return false;
  const auto& is = operand.op.ptr;
  const std::size_t row = is.rowLength == 0 ? extent.width : is.rowLength;
  const std::size_t rows = is.layerHeight == 0 ? extent.height : is.layerHeight;
  pointer = {is.ptr, row * element_bytes, row * element_bytes, rows};
  return is.ptr != nullptr && row >= extent.width && rows >= extent.height;
}

cudaError_t copy_operands(State& state, const cudaMemcpy3DBatchOp& one, cudaStream_t stream) {
  const auto& extent = one.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0 || !is_order(one.srcAccessOrder))
    return cudaErrorInvalidValue;
  std::size_t element_bytes = 1;
  for (const auto* operand : {&one.src, &one.dst})
    if (operand->type == cudaMemcpyOperandTypeArray)
      if (const auto* array = state.find_array(operand->op.array.array)) element_bytes = array->element_bytes();
  cudaMemcpy3DParms box{};
  box.extent = extent;
  box.kind = cudaMemcpyDefault;
  if (!read_operand(one.src, extent, element_bytes, box.srcPtr, box.srcArray, box.srcPos) ||
      !read_operand(one.dst, extent, element_bytes, box.dstPtr, box.dstArray, box.dstPos))
    return cudaErrorInvalidValue;
  Copy wanted;
  const auto error = read_box(state, box, wanted);
  return error == cudaSuccess ? copy(state, wanted, stream, when_for(one.srcAccessOrder)) : error;
}

}  // namespace

cudaError_t copy_batch(const Batch& batch, cudaStream_t stream, std::size_t* failed) {
  if (failed != nullptr) *failed = kNoCopy;
  return with_state([&](State& state) {
    const auto& [to, from, bytes, count, attributes, starts, attribute_count] = batch;
    const bool are_given = to != nullptr && from != nullptr && bytes != nullptr && count > 0 && attributes != nullptr &&
                           starts != nullptr && attribute_count > 0 && attribute_count <= count;
    if (!are_given || state.find_stream(stream) == &state.default_stream || starts[0] != 0)
      return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < attribute_count; ++i) {
      if (!is_order(attributes[i].srcAccessOrder)) return cudaErrorInvalidValue;
      if (i > 0 && (starts[i] <= starts[i - 1] || starts[i] >= count)) return cudaErrorInvalidValue;
    }
    for (std::size_t i = 0, attribute = 0; i < count; ++i) {
      if (attribute + 1 < attribute_count && starts[attribute + 1] == i) ++attribute;
      const auto error = copy(state, {.to = {to[i]}, .from = {from[i]}, .width = bytes[i], .kind = cudaMemcpyDefault},
                              stream, when_for(attributes[attribute].srcAccessOrder));
      if (error == cudaSuccess) continue;
      if (failed != nullptr) *failed = i;
      return error;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes, std::size_t count,
                                 cudaMemcpyAttributes* attributes, std::size_t* attribute_starts,
                                 std::size_t attribute_count, cudaStream_t stream) {
  return copy_batch({to, from, bytes, count, attributes, attribute_starts, attribute_count}, stream, nullptr);
}

cudaError_t copy_box_batch(const cudaMemcpy3DBatchOp* list, std::size_t count, unsigned long long flags,
                           cudaStream_t stream, std::size_t* failed) {
  if (failed != nullptr) *failed = kNoCopy;
  return with_state([&](State& state) {
    if (list == nullptr || count == 0 || flags != 0 || state.find_stream(stream) == &state.default_stream)
      return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const auto error = copy_operands(state, list[i], stream);
      if (error == cudaSuccess) continue;
      if (failed != nullptr) *failed = i;
      return error;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, cudaMemcpy3DBatchOp* list, unsigned long long flags,
                                   cudaStream_t stream) {
  return copy_box_batch(list, count, flags, stream, nullptr);
}

}  // namespace xcuda::runtime
