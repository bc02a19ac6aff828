// cuBLASLt: descriptions of matrices and products, which lie in memory of the program, and products as they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/math/blas_products.hpp"

namespace xcuda::runtime::math {

enum class Order : int { columns, rows };  // cublasLtOrder_t

struct LtLayout {
  DataType type = DataType::float32;
  Order order = Order::columns;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0;
  std::int32_t count = 1;     // of a batch
  std::int64_t distance = 0;  // elements, from a matrix of the batch to the next
};

// Bits of cublasLtEpilogue_t, beside 1.
inline constexpr std::uint32_t kRelu = 2, kBias = 4, kGelu = 32;

struct LtProduct {
  std::int32_t computation = 0;
  DataType scale = DataType::float32;
  PointerMode pointers = PointerMode::host;
  Op left = Op::none, right = Op::none, third = Op::none;  // third: of C, never turned
  std::uint32_t epilogue = 1;
  const void* bias = nullptr;
  std::int32_t bias_type = -1;     // -1: D's
  std::int64_t bias_distance = 0;  // elements, from a product of the batch to the next
  const void* emulation = nullptr;
};

// How products may be emulated: kept, as they are made in their own type.
struct LtEmulation {
  std::int32_t strategy = 0, special_values = 0xffff, mantissa_control = 0, most_bits = 0, bit_offset = 0;
  std::int32_t* bit_count = nullptr;
};

struct LtPreference {
  std::uint64_t workspace = 0;
  std::uint32_t alignments[4] = {256, 256, 256, 256};  // of A, B, C, D
};

// What a program chose about an algorithm is kept in it: there is one, which needs no choices.
struct LtAlgorithm {
  std::uint64_t data[8];
};
struct LtChoice {
  LtAlgorithm algorithm;
  std::size_t workspace;
  int status;
  float waves;
  int reserved[4];
};

int create_lt(void** handle);
int destroy_lt(void* handle);
bool is_lt(const void* handle);  // of cuBLASLt, or of cuBLAS, which is one, too
std::size_t lt_version();

int create_lt_product(void** to, int computation, DataType scale);
int init_lt_product(void* at, std::size_t bytes, int computation, DataType scale);
int set_lt_product(void* product, int attribute, const void* value, std::size_t bytes);
int get_lt_product(const void* product, int attribute, void* value, std::size_t bytes, std::size_t* written);
int create_lt_layout(void** to, DataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading);
int init_lt_layout(void* at, std::size_t bytes, DataType type, std::uint64_t rows, std::uint64_t columns,
                   std::int64_t leading);
int set_lt_layout(void* layout, int attribute, const void* value, std::size_t bytes);
int get_lt_layout(const void* layout, int attribute, void* value, std::size_t bytes, std::size_t* written);
int create_lt_preference(void** to);
int init_lt_preference(void* at, std::size_t bytes);
int set_lt_preference(void* preference, int attribute, const void* value, std::size_t bytes);
int get_lt_preference(const void* preference, int attribute, void* value, std::size_t bytes, std::size_t* written);
int create_lt_emulation(void** to);
int init_lt_emulation(void* at, std::size_t bytes);
int set_lt_emulation(void* emulation, int attribute, const void* value, std::size_t bytes);
int get_lt_emulation(const void* emulation, int attribute, void* value, std::size_t bytes, std::size_t* written);
int destroy_lt_object(void* object);

int set_lt_choice(LtAlgorithm* algorithm, int attribute, const void* value, std::size_t bytes);
int get_lt_choice(const LtAlgorithm* algorithm, int attribute, void* value, std::size_t bytes, std::size_t* written);
int get_lt_capability(const LtAlgorithm* algorithm, int attribute, void* value, std::size_t bytes,
                      std::size_t* written);

int find_lt_algorithms(const void* handle, const LtProduct* product, const LtLayout* a, const LtLayout* b,
                       const LtLayout* c, const LtLayout* d, const LtPreference* preference, int wanted, LtChoice* to,
                       int* found);
int lt_algorithm_ids(const void* handle, int computation, DataType scale, DataType a, DataType b, DataType c,
                     DataType d, int wanted, int* ids, int* found);
int init_lt_algorithm(const void* handle, int computation, DataType scale, DataType a, DataType b, DataType c,
                      DataType d, int id, LtAlgorithm* to);
int check_lt_algorithm(const void* handle, const LtProduct* product, const LtLayout* a, const LtLayout* b,
                       const LtLayout* c, const LtLayout* d, const LtAlgorithm* algorithm, LtChoice* to);
int multiply_lt(const void* handle, const LtProduct* product, const void* alpha, const void* a, const LtLayout* of_a,
                const void* b, const LtLayout* of_b, const void* beta, const void* c, const LtLayout* of_c, void* d,
                const LtLayout* of_d, const LtAlgorithm* algorithm, void* workspace, std::size_t bytes,
                cudaStream_t stream);

}  // namespace xcuda::runtime::math
