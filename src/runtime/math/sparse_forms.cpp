// Forms of sparse matrices besides CSR and COO, and elements in another order.
#include <algorithm>
#include <numeric>

#include "runtime/math/sparse_descriptions.hpp"

namespace xcuda::runtime::math {
namespace {

// The parts that all forms have. Null, with a line on stderr, for other types.
SparseMatrix* new_matrix(const char* function, Form form, int place_type, int base, DataType type) {
  if (index_bytes(place_type) == 0 || element_bytes(type) == 0) {
    say_not_supported(function, "elements or indices of these types");
    return nullptr;
  }
  auto* made = table_of<SparseMatrix>().make();
  made->form = form;
  made->place_bytes = index_bytes(place_type);
  made->base = base;
  made->type = type;
  return made;
}

}  // namespace

int create_csc(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, void* offsets,
               void* places, void* values, int offset_type, int place_type, int base, DataType type) {
  const int status =
      create_csr(matrix, rows, columns, stored, offsets, places, values, offset_type, place_type, base, type);
  if (status == 0) (*matrix)->form = Form::csc;
  return status;
}
int create_bsr(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored, std::int64_t height,
               std::int64_t width, void* offsets, void* places, void* values, int offset_type, int place_type, int base,
               DataType type, int order) {
  constexpr int kColumns = 1, kRows = 2;  // cusparseOrder_t
  if (height < 1 || width < 1 || (order != kColumns && order != kRows)) return kSparseCodes.value;
  const int status =
      create_csr(matrix, rows, columns, stored, offsets, places, values, offset_type, place_type, base, type);
  if (status != 0) return status;
  auto& made = **matrix;
  made.form = Form::bsr;
  made.rows = rows * height;
  made.columns = columns * width;
  made.height = height;
  made.width = width;
  made.blocks_by_rows = order == kRows;
  return 0;
}
int create_blocked_ell(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t block,
                       std::int64_t width, void* places, void* values, int place_type, int base, DataType type) {
  if (matrix == nullptr || rows < 0 || columns < 0 || block < 1 || width < 0 || rows % block != 0 ||
      columns % block != 0 || width % block != 0 || base < 0 || base > 1)
    return kSparseCodes.value;
  auto* const made = new_matrix("cusparseCreateBlockedEll", Form::blocked_ell, place_type, base, type);
  if (made == nullptr) return kSparseCodes.unsupported;
  made->rows = rows;
  made->columns = columns;
  made->stored = rows * width;
  made->places = places;
  made->values = values;
  made->height = block;
  made->width = width;
  *matrix = made;
  return 0;
}
int create_sliced_ell(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stored,
                      std::int64_t value_count, std::int64_t height, void* offsets, void* places, void* values,
                      int offset_type, int place_type, int base, DataType type) {
  if (matrix == nullptr || rows < 0 || columns < 0 || stored < 0 || value_count < stored || height < 1 || base < 0 ||
      base > 1 || index_bytes(offset_type) == 0)
    return kSparseCodes.value;
  auto* const made = new_matrix("cusparseCreateSlicedEll", Form::sliced_ell, place_type, base, type);
  if (made == nullptr) return kSparseCodes.unsupported;
  made->rows = rows;
  made->columns = columns;
  made->stored = stored;
  made->row_starts = offsets;
  made->start_bytes = index_bytes(offset_type);
  made->places = places;
  made->values = values;
  made->height = height;
  made->width = value_count;
  *matrix = made;
  return 0;
}
// --- order ----------------------------------------------------------------------------------------------------------

int identity_permutation(void* handle, int n, int* p) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (n < 0) return kSparseCodes.value;
  return kSparseCodes.of(post({"cusparseCreateIdentityPermutation",
                               sparse->stream,
                               Waits::no,
                               {{p, static_cast<std::uint64_t>(n) * sizeof(int), "the permutation"}}},
                              [=] { std::iota(p, p + n, 0); }));
}

namespace {

// Puts the elements from `begin` to `end` in the order of `less`, which compares places, and `lists` and the
// permutation with them.
template <class Less> void sort_elements(int begin, int end, std::initializer_list<int*> lists, Less less) {
  std::vector<int> order(static_cast<std::size_t>(end - begin)), moved(order.size());
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), less);
  for (int* const list : lists) {
    if (list == nullptr) continue;
    std::transform(order.begin(), order.end(), moved.begin(), [=](int from) { return list[from]; });
    std::copy(moved.begin(), moved.end(), list + begin);
  }
}
Reach reach_of_list(const int* at, std::int64_t count, const char* name) {
  return {at, static_cast<std::uint64_t>(count) * sizeof(int), name};
}
Reach reach_of_permutation(const int* p, int count) {  // which may be null
  return reach_of_list(p, p == nullptr ? 0 : count, "the permutation");
}

int sort_coo(const char* name, void* handle, int stored, int* first, int* second, int* p) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  if (stored < 0) return kSparseCodes.value;
  return kSparseCodes.of(post({name,
                               sparse->stream,
                               Waits::no,
                               {reach_of_list(first, stored, "the indices"),
                                reach_of_list(second, stored, "the indices"), reach_of_permutation(p, stored)}},
                              [=] {
                                sort_elements(0, stored, {first, second, p}, [=](int i, int j) {
                                  return first[i] != first[j] ? first[i] < first[j] : second[i] < second[j];
                                });
                              }));
}
int sort_lines(const char* name, void* handle, int lines, int stored, const void* description, const int* starts,
               int* places, int* p) {
  const auto* sparse = find_sparse(handle);
  if (sparse == nullptr) return kSparseCodes.uninitialized;
  const auto* known = table_of<Description>().find(description);
  if (lines < 0 || stored < 0 || known == nullptr) return kSparseCodes.value;
  return kSparseCodes.of(post({name,
                               sparse->stream,
                               Waits::no,
                               {reach_of_list(starts, std::int64_t{lines} + 1, "the starts"),
                                reach_of_list(places, stored, "the indices"), reach_of_permutation(p, stored)}},
                              [=, base = known->base] {
                                for (int i = 0; i < lines; ++i)
                                  sort_elements(starts[i] - base, starts[i + 1] - base, {places, p},
                                                [=](int a, int b) { return places[a] < places[b]; });
                              }));
}

}  // namespace

int sort_size(void* handle, int m, int n, int stored, const int*, const int*, std::size_t* bytes) {
  return m < 0 || n < 0 || stored < 0 ? kSparseCodes.value : no_bytes(handle, bytes);
}
int sort_by_row(void* handle, int, int, int stored, int* rows, int* columns, int* p, void*) {
  return sort_coo("cusparseXcoosortByRow", handle, stored, rows, columns, p);
}
int sort_by_column(void* handle, int, int, int stored, int* rows, int* columns, int* p, void*) {
  return sort_coo("cusparseXcoosortByColumn", handle, stored, columns, rows, p);
}
int sort_rows(void* handle, int m, int, int stored, const void* description, const int* starts, int* places, int* p,
              void*) {
  return sort_lines("cusparseXcsrsort", handle, m, stored, description, starts, places, p);
}
int sort_columns(void* handle, int, int n, int stored, const void* description, const int* starts, int* places, int* p,
                 void*) {
  return sort_lines("cusparseXcscsort", handle, n, stored, description, starts, places, p);
}

}  // namespace xcuda::runtime::math
