// --- __device__ and __constant__ variables as the host reads and writes them
// ------------------------------------------

namespace xcuda {

template <class T> T from_symbol(const T& symbol) {
  T value;
  check(cudaMemcpyFromSymbol(&value, symbol, sizeof value), "reading a variable of the device");
  return value;
}
// change_symbol(counter, [&](auto& value) { value += 1; })
template <class T, class Change> void change_symbol(T& symbol, const Change& with) {
  std::remove_const_t<T> value;
  check(cudaMemcpyFromSymbol(&value, symbol, sizeof value), "reading a variable of the device");
  with(value);
  check(cudaMemcpyToSymbol(symbol, &value, sizeof value), "writing a variable of the device");
}
template <class T> std::remove_all_extents_t<T>* address_of(const T& symbol) {
  void* address = nullptr;
  check(cudaGetSymbolAddress(&address, symbol), "the address of a variable of the device");
  return static_cast<std::remove_all_extents_t<T>*>(address);
}
// Row by row; what is missing becomes zero.
template <class T>
void assign_symbol(T& symbol, std::initializer_list<std::remove_const_t<std::remove_all_extents_t<T>>> values) {
  change_symbol(symbol, [&](auto& value) {
    std::memset(&value, 0, sizeof value);
    std::memcpy(&value, values.begin(), std::min(sizeof value, values.size() * sizeof *values.begin()));
  });
}
template <class T>
Array<std::remove_const_t<std::remove_all_extents_t<T>>> array_of_symbol(const T& symbol, const Shape& shape) {
  Array<std::remove_const_t<std::remove_all_extents_t<T>>> copy(shape);
  check(cudaMemcpyFromSymbol(copy.data(), symbol, sizeof symbol, 0, cudaMemcpyDeviceToDevice),
        "reading a variable of the device");
  return copy;
}

}  // namespace xcuda
