#include "device/cpu/abi/matrix_call.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "device/cpu/run/launch_state.hpp"
#include "device/cpu/run/matrix_loops.hpp"

namespace xcuda::device::cpu {

namespace {

using ptx::bits_of;

using Element = MatrixElement;

// The memory of a call's registers.
class Fragment {
 public:
  Fragment(std::byte* data, ptx::Type type, std::uint32_t registers)
      : data_(data), type_(type), registers_(registers) {}

  std::uint32_t registers() const { return registers_; }
  ptx::Type type() const { return type_; }
  std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(data_); }

  std::uint64_t get(const Element& e) const {
    if (type_ == ptx::Type::f64) return word<std::uint64_t>(e);
    const std::uint32_t value = word<std::uint32_t>(e) >> e.shift;
    return bits_of(type_) == 32 ? value : value & ((1u << bits_of(type_)) - 1);
  }
  void set(const Element& e, std::uint64_t bits) {
    if (type_ == ptx::Type::f64) return put(e, bits);
    const std::uint32_t mask = bits_of(type_) == 32 ? ~0u : ((1u << bits_of(type_)) - 1) << e.shift;
    put(e, (word<std::uint32_t>(e) & ~mask) | (static_cast<std::uint32_t>(bits << e.shift) & mask));
  }

 private:
  std::byte* at(const Element& e) const {
    return data_ + kBytesOfMatrixRegister * e.reg + e.lane * (type_ == ptx::Type::f64 ? 8 : 4);
  }
  template <class T> T word(const Element& e) const {
    T value;
    std::memcpy(&value, at(e), sizeof value);
    return value;
  }
  template <class T> void put(const Element& e, T value) { std::memcpy(at(e), &value, sizeof value); }

  std::byte* data_;
  ptx::Type type_;
  std::uint32_t registers_;
};

double real(ptx::Type type, std::uint64_t bits) {
  switch (type) {
    case ptx::Type::f64: return std::bit_cast<double>(bits);
    case ptx::Type::f16: return half_to_float(static_cast<std::uint16_t>(bits));
    case ptx::Type::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    case ptx::Type::tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffff'e000u);
    default: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
}

std::uint64_t bits_of_real(ptx::Type type, double value) {
  switch (type) {
    case ptx::Type::f64: return std::bit_cast<std::uint64_t>(value);
    case ptx::Type::f16:  // what is not a number has all bits but the sign, as a GPU's tensor cores make it
      return std::isnan(value) ? 0x7fff : double_to_half(value);
    default: return std::isnan(value) ? 0x7fff'ffff : std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

// Large enough for the largest shape of each part.
template <class T> struct alignas(64) Matrices {
  std::array<T, kMostElements> a, b;
  std::array<T, 16 * 16> c;
};

class Multiplication {
 public:
  Multiplication(const MatrixCall& call, std::byte* data) : call_(call), data_(data) {}

  void run() {
    const ptx::Type a = static_cast<ptx::Type>(call_.a_type);
    if (call_.action == MatrixAction::multiply_quads) return multiply_quads();
    if (a == ptx::Type::f64) return multiply_doubles();
    if (ptx::is_floating(a)) return multiply_floats();
    multiply_whole();
  }

 private:
  Fragment fragment(int place, std::uint8_t type) const {
    std::uint32_t before = 0;
    for (int i = 0; i < place; ++i) before += call_.registers[i];
    return {data_ + kBytesOfMatrixRegister * before, static_cast<ptx::Type>(type), call_.registers[place]};
  }
  bool sparse() const { return call_.flags & MatrixCall::kSparse; }
  FragmentShape shape_of(const Fragment& fragment, MatrixPart part) const {
    const std::uint32_t columns = part == MatrixPart::a ? call_.k / (sparse() ? 2u : 1u) : call_.n;
    const std::uint32_t rows = part == MatrixPart::b ? call_.k : call_.m;
    return {call_.action, part, fragment.type(), fragment.registers(), rows, columns};
  }
  ProductShape product() const { return {call_.m, call_.n, call_.k}; }

  // The column of a sparse row in which its element `packed` is. Four bits of metadata are two places of two bits
  // among four: of elements, of halves of an element (tf32), or of pairs of elements (4 bits).
  std::uint32_t column(const Fragment& a, std::uint32_t row, std::uint32_t packed) const {
    const auto bits = static_cast<std::uint32_t>(bits_of(a.type()));
    const std::uint32_t kept = bits == 32 ? 1 : bits == 4 ? 4 : 2;  // elements of a chunk that has twice as many
    const std::uint32_t chunk = packed / kept, lanes = call_.k / (8 * kept);  // of each four, that hold metadata
    std::uint32_t lane = 4 * (row % 8) + call_.selector * lanes, shift;
    if (bits >= 16)
      lane += chunk / 4, shift = 16 * (row / 8) + 4 * (chunk % 4);
    else
      lane += chunk / 8 * 2 + row / 8, shift = 4 * (chunk % 8);
    std::uint32_t word, before = 0;
    for (const std::uint8_t count : call_.registers) before += count;
    std::memcpy(&word, data_ + kBytesOfMatrixRegister * before + 4 * lane, sizeof word);
    const std::uint32_t which = packed % kept, place = word >> (shift + 2 * (bits == 4 ? which / 2 : which)) & 3;
    if (bits == 32) return 2 * chunk + place / 2;
    if (bits == 4) return 8 * chunk + 2 * place + which % 2;
    return 4 * chunk + place;
  }

  // The elements of a matrix, row by row, as numbers.
  template <class T> void take(const Fragment& fragment, MatrixPart part, T* numbers) const {
    alignas(64) std::array<std::uint32_t, kMostElements> bits;
    const MatrixLayout& layout = layout_of(shape_of(fragment, part));
    elements_from_registers(layout, fragment.words(), bits.data());
    const auto count = static_cast<std::uint32_t>(layout.size());
    if (part != MatrixPart::a || !sparse()) return numbers_from_bits(fragment.type(), bits.data(), numbers, count);
    std::array<T, kMostElements> packed;
    numbers_from_bits(fragment.type(), bits.data(), packed.data(), count);
    std::fill_n(numbers, call_.m * call_.k, T{});
    const std::uint32_t columns = layout.shape.columns;
    for (std::uint32_t i = 0; i < count; ++i)
      numbers[i / columns * call_.k + column(fragment, i / columns, i % columns)] = packed[i];
  }
  void give(const std::uint32_t* bits) const {
    const Fragment d = fragment(0, call_.d_type);
    registers_from_elements(layout_of(shape_of(d, MatrixPart::c)), bits, d.words());
  }

  void multiply_floats() {
    static thread_local Matrices<double> m;
    take(fragment(1, call_.a_type), MatrixPart::a, m.a.data());
    take(fragment(2, call_.b_type), MatrixPart::b, m.b.data());
    take(fragment(3, call_.c_type), MatrixPart::c, m.c.data());
    add_products(product(), m.a.data(), m.b.data(), m.c.data());
    alignas(64) std::array<std::uint32_t, 16 * 16> bits;
    bits_from_numbers(static_cast<ptx::Type>(call_.d_type), m.c.data(), bits.data(), call_.m * call_.n);
    give(bits.data());
  }

  // Sums of products have 32 bits, but with c they may have more.
  void multiply_whole() {
    static thread_local Matrices<std::int32_t> m;
    take(fragment(1, call_.a_type), MatrixPart::a, m.a.data());
    take(fragment(2, call_.b_type), MatrixPart::b, m.b.data());
    take(fragment(3, call_.c_type), MatrixPart::c, m.c.data());
    alignas(64) std::array<std::int32_t, 16 * 16> sums{};
    const bool differences =
        call_.a_type == static_cast<std::uint8_t>(ptx::Type::b1) && !(call_.flags & MatrixCall::kAnds);
    (differences ? add_differences : static_cast<decltype(&add_differences)>(add_products))(product(), m.a.data(),
                                                                                            m.b.data(), sums.data());
    alignas(64) std::array<std::uint32_t, 16 * 16> bits;
    for (std::uint32_t i = 0; i < std::uint32_t{call_.m} * call_.n; ++i) {
      std::int64_t sum = std::int64_t{m.c[i]} + sums[i];
      if (call_.flags & MatrixCall::kSaturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      bits[i] = static_cast<std::uint32_t>(sum);
    }
    give(bits.data());
  }

  void multiply_doubles() {
    static thread_local Matrices<double> m;
    const Fragment a = fragment(1, call_.a_type), b = fragment(2, call_.b_type), c = fragment(3, call_.c_type);
    Fragment d = fragment(0, call_.d_type);
    const std::uint32_t n = call_.n, k = call_.k;
    const auto each = [&](const Fragment& of, MatrixPart part, auto visit) { each_element(shape_of(of, part), visit); };
    each(a, MatrixPart::a, [&](const Element& e) { m.a[e.row * k + e.column] = real(a.type(), a.get(e)); });
    each(b, MatrixPart::b, [&](const Element& e) { m.b[e.column * k + e.row] = real(b.type(), b.get(e)); });
    each(c, MatrixPart::c, [&](const Element& e) { m.c[e.row * n + e.column] = real(c.type(), c.get(e)); });
    for (std::uint32_t i = 0; i < call_.m; ++i)
      for (std::uint32_t j = 0; j < n; ++j)
        for (std::uint32_t q = 0; q < k; ++q) m.c[i * n + j] = std::fma(m.a[i * k + q], m.b[j * k + q], m.c[i * n + j]);
    each(d, MatrixPart::c, [&](const Element& e) { d.set(e, bits_of_real(d.type(), m.c[e.row * n + e.column])); });
  }

  // mma.m8n8k4 of halves: four products of 8x4 by 4x8, each of four lanes and the four that are 16 further on.
  void multiply_quads() {
    const Fragment a = fragment(1, call_.a_type), b = fragment(2, call_.b_type), c = fragment(3, call_.c_type);
    Fragment d = fragment(0, call_.d_type);
    for (std::uint32_t quad = 0; quad < 4; ++quad) {
      double x[8][4] = {}, y[4][8] = {}, sum[8][8] = {};
      each_quad(quad, 4, [&](const Element& e, std::uint32_t place, std::uint32_t half, std::uint32_t i) {
        const double p = real(ptx::Type::f16, a.get(e)), q = real(ptx::Type::f16, b.get(e));
        (call_.flags & MatrixCall::kColumns ? x[i + 4 * half][place] : x[place + 4 * half][i]) = p;
        (call_.flags & MatrixCall::kBRows ? y[place][i + 4 * half] : y[i][place + 4 * half]) = q;
      });
      const auto each_sum = [&](ptx::Type type, auto visit) {
        if (type == ptx::Type::f16)
          return each_quad(quad, 8, [&](const Element& e, std::uint32_t place, std::uint32_t half, std::uint32_t i) {
            visit(e, sum[place + 4 * half][i]);
          });
        each_quad(quad, 8, [&](Element e, std::uint32_t place, std::uint32_t half, std::uint32_t i) {
          e.reg = i, e.shift = 0;
          visit(e, sum[(place & 1) + (i & 2) + 4 * half][(i & 4) + (place & 2) + (i & 1)]);
        });
      };
      each_sum(c.type(), [&](const Element& e, double& value) { value = real(c.type(), c.get(e)); });
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          for (int k = 0; k < 4; ++k) sum[i][j] += x[i][k] * y[k][j];
      each_sum(d.type(), [&](const Element& e, double& value) { d.set(e, bits_of_real(d.type(), value)); });
    }
  }
  // Visits each of `count` halves of the quad's lanes: the element, the lane's place in the quad, which four, the
  // index.
  template <class Visit> static void each_quad(std::uint32_t quad, std::uint32_t count, Visit visit) {
    for (std::uint32_t half = 0; half < 2; ++half)
      for (std::uint32_t place = 0; place < 4; ++place)
        for (std::uint32_t i = 0; i < count; ++i)
          visit(Element{16 * half + 4 * quad + place, i / 2, i % 2 * 16, 0, 0}, place, half, i);
  }

  const MatrixCall& call_;
  std::byte* data_;
};

struct MemoryLines {
  std::byte* base;
  std::uint64_t stride;  // elements from line to line
  bool columns;          // are the lines
  bool written;
};

// T: an element. Returns what the service answers.
template <class T>
std::uint32_t move_elements(const FragmentShape& shape, const MemoryLines& memory, const Fragment& fragment) {
  const MatrixLayout& layout = layout_of(shape);
  alignas(64) std::array<std::uint32_t, kMostElements> elements;
  const std::uint32_t lines = memory.columns ? shape.columns : shape.rows,
                      length = memory.columns ? shape.rows : shape.columns;
  const std::uint32_t next = memory.columns ? shape.columns : 1, next_line = memory.columns ? 1 : shape.columns;
  const auto each = [&](auto visit) {
    for (std::uint32_t line = 0; line < lines; ++line)
      for (std::uint32_t i = 0; i < length; ++i)
        visit(memory.base + sizeof(T) * (line * memory.stride + i), elements[line * next_line + i * next]);
  };
  if (memory.written) {
    elements_from_registers(layout, fragment.words(), elements.data());
    each([](std::byte* at, std::uint32_t element) {
      const auto value = static_cast<T>(element);
      std::memcpy(at, &value, sizeof value);
    });
    return 0;
  }
  each([](const std::byte* at, std::uint32_t& element) {
    T value;
    std::memcpy(&value, at, sizeof value);
    element = value;
  });
  registers_from_elements(layout, elements.data(), fragment.words());
  return 0;
}

// wmma.load and store. Returns what the service answers.
std::uint32_t move(const MatrixCall& call, BlockFrame* frame, LaneCall* lanes, std::byte* data) {
  const ptx::Type type = static_cast<ptx::Type>(call.a_type);
  Fragment fragment(data, type, call.registers[0]);
  const std::uint32_t rows = call.part == MatrixPart::b ? call.k : call.m,
                      columns = call.part == MatrixPart::a ? call.k : call.n;
  const bool by_columns = call.flags & MatrixCall::kColumns, stores = call.action == MatrixAction::store;
  std::uint64_t stride = static_cast<std::uint32_t>(lanes->arguments[4][0]);
  if (stride == 0) stride = by_columns ? rows : columns;
  const int bits = bits_of(type);
  const std::uint64_t lines = by_columns ? columns : rows, length = by_columns ? rows : columns;
  const std::uint64_t extent = ((lines - 1) * stride + length) * static_cast<std::uint64_t>(bits) / 8;
  std::byte* base =
      reach(frame, lanes, {lanes->arguments[3][0], extent, bool(call.flags & MatrixCall::kShared), stores});
  if (!base) return 1;
  for (std::uint32_t line = 0; line < lines; ++line)
    if (record_touch(frame, lanes,
                     {line, reinterpret_cast<Address>(base) + line * stride * static_cast<std::uint64_t>(bits) / 8,
                      length * static_cast<std::uint64_t>(bits) / 8, stores ? Access::write : Access::read}))
      return 1;
  const FragmentShape shape{MatrixAction::multiply_wmma, call.part, type, call.registers[0], rows, columns};
  const MemoryLines memory{base, stride, by_columns, stores};
  if (bits == 8) return move_elements<std::uint8_t>(shape, memory, fragment);
  if (bits == 16) return move_elements<std::uint16_t>(shape, memory, fragment);
  if (bits == 32) return move_elements<std::uint32_t>(shape, memory, fragment);
  each_element(shape, [&](const Element& e) {
    const std::uint64_t bit =
        ((by_columns ? e.column : e.row) * stride + (by_columns ? e.row : e.column)) * static_cast<std::uint64_t>(bits);
    std::byte* at = base + bit / 8;
    if (bits == 64) {
      std::uint64_t value = stores ? fragment.get(e) : 0;
      if (stores)
        std::memcpy(at, &value, sizeof value);
      else
        std::memcpy(&value, at, sizeof value), fragment.set(e, value);
      return;
    }
    fragment.set(e, std::to_integer<std::uint64_t>(*at) >> bit % 8 & ((1u << bits) - 1));
  });
  return 0;
}

std::uint32_t load_matrices(const MatrixCall& call, BlockFrame* frame, LaneCall* lanes, std::byte* data) {
  std::uint16_t rows[4][8][8];
  for (std::uint32_t i = 0; i < 8u * call.registers[0]; ++i) {
    const std::byte* row =
        reach(frame, lanes, {lanes->arguments[3][i], 16, bool(call.flags & MatrixCall::kShared), false});
    if (!row || record_touch(frame, lanes, {i, reinterpret_cast<Address>(row), 16, Access::read})) return 1;
    std::memcpy(rows[i / 8][i % 8], row, 16);
  }
  for (std::uint32_t r = 0; r < call.registers[0]; ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint16_t pair[2];
      for (std::uint32_t i = 0; i < 2; ++i) {
        const std::uint32_t row = lane / 4, column = lane % 4 * 2 + i;
        pair[i] = call.flags & MatrixCall::kTransposed ? rows[r][column][row] : rows[r][row][column];
      }
      std::memcpy(data + kBytesOfMatrixRegister * r + 4 * lane, pair, 4);
    }
  return 0;
}

void transpose(std::byte* data) {
  std::uint16_t matrix[8][8];
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    std::memcpy(&matrix[lane / 4][lane % 4 * 2], data + kBytesOfMatrixRegister + 4 * lane, 4);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint16_t pair[] = {matrix[lane % 4 * 2][lane / 4], matrix[lane % 4 * 2 + 1][lane / 4]};
    std::memcpy(data + 4 * lane, pair, 4);
  }
}

}  // namespace

std::uint32_t matrix(BlockFrame* frame, LaneCall* lanes) {
  const std::uint64_t words[] = {lanes->arguments[0][0], lanes->arguments[1][0]};
  MatrixCall call;
  std::memcpy(&call, words, sizeof call);
  auto* data = reinterpret_cast<std::byte*>(lanes->arguments[2][0]);
  switch (call.action) {
    case MatrixAction::multiply_wmma:
    case MatrixAction::multiply_mma:
    case MatrixAction::multiply_quads: Multiplication(call, data).run(); return 0;
    case MatrixAction::load:
    case MatrixAction::store: return move(call, frame, lanes, data);
    case MatrixAction::load_matrices: return load_matrices(call, frame, lanes, data);
    case MatrixAction::transpose: transpose(data); return 0;
  }
  return 0;
}

}  // namespace xcuda::device::cpu
