// Indices of 32 bits: the rows of elements and where rows start, and a matrix by columns in place of rows.
#include <cstring>

#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

bool is_base(int base) { return base == 0 || base == 1; }
std::uint64_t bytes_of(int n) { return static_cast<std::uint64_t>(n) * sizeof(int); }

}  // namespace

int rows_to_starts(void* handle, const int* rows, int stored, int count, int* starts, int base) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (stored < 0 || count < 0 || !is_base(base)) return kSparseCodes.value;
  return kSparseCodes.of(post({"cusparseXcoo2csr",
                               sparse->stream,
                               Waits::no,
                               {{rows, bytes_of(stored), "the rows"}, {starts, bytes_of(count + 1), "the starts"}}},
                              [=] {
                                for (int i = 0, k = 0; i <= count; ++i) {
                                  while (k < stored && rows[k] - base < i) ++k;
                                  starts[i] = k + base;
                                }
                              }));
}
int starts_to_rows(void* handle, const int* starts, int stored, int count, int* rows, int base) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (stored < 0 || count < 0 || !is_base(base)) return kSparseCodes.value;
  return kSparseCodes.of(post({"cusparseXcsr2coo",
                               sparse->stream,
                               Waits::no,
                               {{starts, bytes_of(count + 1), "the starts"}, {rows, bytes_of(stored), "the rows"}}},
                              [=] {
                                for (int i = 0; i < count; ++i)
                                  for (int k = starts[i] - base; k < starts[i + 1] - base && k < stored; ++k)
                                    rows[k] = i + base;
                              }));
}

int turned_size(void* handle, int, int, int, const void*, const int*, const int*, void*, int*, int*, DataType, int, int,
                int, std::size_t* bytes) {
  return no_bytes(handle, bytes);
}
int turned(void* handle, int m, int n, int stored, const void* values, const int* starts, const int* places,
           void* to_values, int* to_starts, int* to_places, DataType type, int with_values, int base, int, void*) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (m < 0 || n < 0 || stored < 0 || !is_base(base)) return kSparseCodes.value;
  const std::size_t element = with_values != 0 ? element_bytes(type) : 0;
  return kSparseCodes.of(
      post({"cusparseCsr2cscEx2",
            sparse->stream,
            Waits::no,
            {{starts, bytes_of(m + 1), "the rows"},
             {places, bytes_of(stored), "the columns"},
             {values, static_cast<std::uint64_t>(stored) * element, "the values"},
             {to_starts, bytes_of(n + 1), "the starts of the columns"},
             {to_places, bytes_of(stored), "the rows by columns"},
             {to_values, static_cast<std::uint64_t>(stored) * element, "the values by columns"}}},
           [=] {
             std::vector<int> next(static_cast<std::size_t>(n) + 1, 0);
             for (int k = 0; k < stored; ++k) ++next[static_cast<std::size_t>(places[k] - base) + 1];
             for (std::size_t j = 1; j < next.size(); ++j) next[j] += next[j - 1];
             for (std::size_t j = 0; j < next.size(); ++j) to_starts[j] = next[j] + base;
             for (int i = 0; i < m; ++i)
               for (int k = starts[i] - base; k < starts[i + 1] - base; ++k) {
                 const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(places[k] - base)]++);
                 to_places[to] = i + base;
                 if (element > 0)
                   std::memcpy(static_cast<std::byte*>(to_values) + to * element,
                               static_cast<const std::byte*>(values) + static_cast<std::size_t>(k) * element, element);
               }
           }));
}

}  // namespace xcuda::runtime::math
