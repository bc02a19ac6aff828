// The descriptions of cuBLASLt: what lies in them, by the numbers that its header gives their attributes. A program may
// have made their memory itself.
#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "runtime/math/blas_handles.hpp"
#include "runtime/math/handle_table.hpp"
#include "runtime/math/lt.hpp"
#include "runtime/math/slots.hpp"

namespace xcuda::runtime::math {
namespace {

struct LtHandle {};

// Bytes of an opaque description.
constexpr std::size_t kLayoutBytes = 64, kProductBytes = 256, kPreferenceBytes = 64, kEmulationBytes = 64;
static_assert(sizeof(LtLayout) <= kLayoutBytes && sizeof(LtProduct) <= kProductBytes &&
              sizeof(LtPreference) <= kPreferenceBytes && sizeof(LtEmulation) <= kEmulationBytes);

struct Attribute {
  int number;
  std::size_t offset, bytes;
};
#define XCUDA_ATTRIBUTE(number, type, field) \
  { number, offsetof(type, field), sizeof(type::field) }
constexpr Attribute kLayout[] = {XCUDA_ATTRIBUTE(0, LtLayout, type),    XCUDA_ATTRIBUTE(1, LtLayout, order),
                                 XCUDA_ATTRIBUTE(2, LtLayout, rows),    XCUDA_ATTRIBUTE(3, LtLayout, columns),
                                 XCUDA_ATTRIBUTE(4, LtLayout, leading), XCUDA_ATTRIBUTE(5, LtLayout, count),
                                 XCUDA_ATTRIBUTE(6, LtLayout, distance)};
constexpr Attribute kProduct[] = {
    XCUDA_ATTRIBUTE(0, LtProduct, computation),    XCUDA_ATTRIBUTE(1, LtProduct, scale),
    XCUDA_ATTRIBUTE(2, LtProduct, pointers),       XCUDA_ATTRIBUTE(3, LtProduct, left),
    XCUDA_ATTRIBUTE(4, LtProduct, right),          XCUDA_ATTRIBUTE(5, LtProduct, third),
    XCUDA_ATTRIBUTE(7, LtProduct, epilogue),       XCUDA_ATTRIBUTE(8, LtProduct, bias),
    XCUDA_ATTRIBUTE(10, LtProduct, bias_distance), XCUDA_ATTRIBUTE(26, LtProduct, bias_type),
    XCUDA_ATTRIBUTE(38, LtProduct, emulation)};
constexpr Attribute kEmulation[] = {
    XCUDA_ATTRIBUTE(0, LtEmulation, strategy),         XCUDA_ATTRIBUTE(1, LtEmulation, special_values),
    XCUDA_ATTRIBUTE(2, LtEmulation, mantissa_control), XCUDA_ATTRIBUTE(3, LtEmulation, most_bits),
    XCUDA_ATTRIBUTE(4, LtEmulation, bit_offset),       XCUDA_ATTRIBUTE(5, LtEmulation, bit_count)};
constexpr Attribute kChoices[] = {{0, 0, 4},  {1, 4, 4},  {2, 8, 4},  {3, 12, 4}, {4, 16, 4},
                                  {5, 20, 4}, {6, 24, 4}, {7, 28, 2}, {8, 30, 2}};
constexpr std::size_t kAlignments = offsetof(LtPreference, alignments);
constexpr Attribute kPreference[] = {XCUDA_ATTRIBUTE(1, LtPreference, workspace),
                                     {5, kAlignments, 4},
                                     {6, kAlignments + 4, 4},
                                     {7, kAlignments + 8, 4},
                                     {8, kAlignments + 12, 4}};
#undef XCUDA_ATTRIBUTE

const Attribute* find(std::span<const Attribute> known, int number) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Attribute& each) { return each.number == number; });
  return found == known.end() ? nullptr : &*found;
}

int set(void* object, std::span<const Attribute> known, int number, std::span<const std::byte> value,
        const char* function) {
  if (object == nullptr || value.data() == nullptr) return kBlasCodes.value;
  const Attribute* attribute = find(known, number);
  if (attribute == nullptr) {
    say_not_supported(function, "this attribute");
    return kBlasCodes.unsupported;
  }
  if (value.size() != attribute->bytes) return kBlasCodes.value;
  std::memcpy(static_cast<std::byte*>(object) + attribute->offset, value.data(), value.size());
  return 0;
}

int get(const void* object, std::span<const Attribute> known, int number, std::span<std::byte> value,
        std::size_t* written) {
  const Attribute* attribute = find(known, number);
  if (object == nullptr || attribute == nullptr) return kBlasCodes.value;
  if (written != nullptr) *written = attribute->bytes;
  if (value.empty()) return written == nullptr ? kBlasCodes.value : 0;
  if (value.data() == nullptr || value.size() != attribute->bytes) return kBlasCodes.value;
  std::memcpy(value.data(), static_cast<const std::byte*>(object) + attribute->offset, attribute->bytes);
  return 0;
}

std::span<const std::byte> bytes_at(const void* value, std::size_t bytes) {
  return {static_cast<const std::byte*>(value), bytes};
}
std::span<std::byte> bytes_at(void* value, std::size_t bytes) { return {static_cast<std::byte*>(value), bytes}; }

template <class T> int init(void* at, std::size_t bytes, const T& is) {
  if (at == nullptr || bytes < sizeof is) return kBlasCodes.value;
  std::memcpy(at, &is, sizeof is);
  return 0;
}

template <class T> int create(void** to, std::size_t bytes, const T& is) {
  if (to == nullptr) return kBlasCodes.value;
  *to = ::operator new(bytes, std::nothrow);
  return *to == nullptr ? kBlasCodes.memory : init(*to, bytes, is);
}

LtProduct product_of(int computation, DataType scale) {
  LtProduct is;
  is.computation = computation;
  is.scale = scale;
  return is;
}
LtLayout layout_of(DataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  LtLayout is;
  is.type = type;
  is.rows = rows, is.columns = columns;
  is.leading = leading;
  return is;
}

}  // namespace

int create_lt(void** handle) {
  if (handle == nullptr) return kBlasCodes.value;
  if (open_blas() == nullptr) return kBlasCodes.uninitialized;
  *handle = table_of<LtHandle>().make();
  return 0;
}
int destroy_lt(void* handle) { return table_of<LtHandle>().remove(handle) ? 0 : kBlasCodes.uninitialized; }
bool is_lt(const void* handle) { return table_of<LtHandle>().find(handle) != nullptr || find_blas(handle) != nullptr; }
std::size_t lt_version() {
  int version = 0;
  blas_version(nullptr, &version);
  return static_cast<std::size_t>(version);
}

int create_lt_product(void** to, int computation, DataType scale) {
  return create(to, kProductBytes, product_of(computation, scale));
}
int init_lt_product(void* at, std::size_t bytes, int computation, DataType scale) {
  return init(at, bytes, product_of(computation, scale));
}
int set_lt_product(void* product, int attribute, const void* value, std::size_t bytes) {
  constexpr int kProcessors = 15, kFastSums = 25;
  if (attribute == kProcessors || attribute == kFastSums) return 0;  // they do not change what comes out
  return set(product, kProduct, attribute, bytes_at(value, bytes), "cublasLtMatmulDescSetAttribute");
}
int get_lt_product(const void* product, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  return get(product, kProduct, attribute, bytes_at(value, bytes), written);
}

int create_lt_layout(void** to, DataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  return create(to, kLayoutBytes, layout_of(type, rows, columns, leading));
}
int init_lt_layout(void* at, std::size_t bytes, DataType type, std::uint64_t rows, std::uint64_t columns,
                   std::int64_t leading) {
  return init(at, bytes, layout_of(type, rows, columns, leading));
}
int set_lt_layout(void* layout, int attribute, const void* value, std::size_t bytes) {
  return set(layout, kLayout, attribute, bytes_at(value, bytes), "cublasLtMatrixLayoutSetAttribute");
}
int get_lt_layout(const void* layout, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  return get(layout, kLayout, attribute, bytes_at(value, bytes), written);
}

int create_lt_preference(void** to) { return create(to, kPreferenceBytes, LtPreference{}); }
int init_lt_preference(void* at, std::size_t bytes) { return init(at, bytes, LtPreference{}); }
int set_lt_preference(void* preference, int attribute, const void* value, std::size_t bytes) {
  constexpr int kOthers[] = {0, 3, 9, 12};  // how to search among many algorithms
  if (std::find(std::begin(kOthers), std::end(kOthers), attribute) != std::end(kOthers)) return 0;
  return set(preference, kPreference, attribute, bytes_at(value, bytes), "cublasLtMatmulPreferenceSetAttribute");
}
int get_lt_preference(const void* preference, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  return get(preference, kPreference, attribute, bytes_at(value, bytes), written);
}

int create_lt_emulation(void** to) { return create(to, kEmulationBytes, LtEmulation{}); }
int init_lt_emulation(void* at, std::size_t bytes) { return init(at, bytes, LtEmulation{}); }
int set_lt_emulation(void* emulation, int attribute, const void* value, std::size_t bytes) {
  return set(emulation, kEmulation, attribute, bytes_at(value, bytes), "cublasLtEmulationDescSetAttribute");
}
int get_lt_emulation(const void* emulation, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  return get(emulation, kEmulation, attribute, bytes_at(value, bytes), written);
}

int set_lt_choice(LtAlgorithm* algorithm, int attribute, const void* value, std::size_t bytes) {
  return set(algorithm, kChoices, attribute, bytes_at(value, bytes), "cublasLtMatmulAlgoConfigSetAttribute");
}
int get_lt_choice(const LtAlgorithm* algorithm, int attribute, void* value, std::size_t bytes, std::size_t* written) {
  return get(algorithm, kChoices, attribute, bytes_at(value, bytes), written);
}
int get_lt_capability(const LtAlgorithm* algorithm, int attribute, void* value, std::size_t bytes,
                      std::size_t* written) {
  struct Capability {
    int number;
    std::uint32_t value;
  };
  // Batches at equal distances, results out of place, scalars on the host or the device, epilogues; lists of tiles and
  // stages with the one that is not defined; memory aligned as elements are.
  constexpr Capability kCapabilities[] = {{0, 0},
                                          {1, 0},
                                          {2, 0},
                                          {3, 1},
                                          {4, 1},
                                          {5, 0},
                                          {6, 0},
                                          {7, 0},
                                          {10, 0},
                                          {11, 3},
                                          {12, 1 | kRelu | kBias | kGelu},
                                          {13, 0},
                                          {14, 0},
                                          {16, 1},
                                          {17, 1},
                                          {18, 1},
                                          {19, 1},
                                          {21, 0},
                                          {22, 0}};
  if (algorithm == nullptr) return kBlasCodes.value;
  const auto found = std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                                  [&](const Capability& one) { return one.number == attribute; });
  if (found == std::end(kCapabilities)) {
    say_not_supported("cublasLtMatmulAlgoCapGetAttribute", "this attribute");
    return kBlasCodes.unsupported;
  }
  if (written != nullptr) *written = sizeof found->value;
  if (bytes == 0) return written == nullptr ? kBlasCodes.value : 0;
  if (value == nullptr || bytes < sizeof found->value) return kBlasCodes.value;
  std::memcpy(value, &found->value, sizeof found->value);
  return 0;
}

int destroy_lt_object(void* object) {
  ::operator delete(object);
  return 0;
}

#define XCUDA_MATH_STATUS kBlasCodes.unsupported
const void* const kLtSlots[] = {
#include "runtime/math/lt_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
