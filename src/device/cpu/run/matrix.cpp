#include "device/cpu/abi/matrix_call.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "device/cpu/run/launch_state.hpp"

namespace xcuda::device::cpu {

namespace {

using ptx::bits_of;

// A lane's element: which register, which bits of it; and where it is in the matrix.
struct Element {
  std::uint32_t lane, reg, shift;
  std::uint32_t row, column;
};

// The memory of a call's registers.
class Fragment {
 public:
  Fragment(std::byte* data, ptx::Type type, std::uint32_t registers)
      : data_(data), type_(type), registers_(registers) {}

  std::uint32_t per_register() const {
    return type_ == ptx::Type::f64 ? 1 : static_cast<std::uint32_t>(32 / bits_of(type_));
  }
  std::uint32_t registers() const { return registers_; }
  ptx::Type type() const { return type_; }

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

  // wmma leaves open which lane has what; here the elements go row by row from lane to lane. Where there is room for
  // each element twice it is there twice, as on a GPU.
  template <class Visit> void each_wmma(std::uint32_t rows, std::uint32_t columns, Visit visit) const {
    const std::uint32_t own = std::max(rows * columns / 32, 1u);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t i = 0; i < registers_ * per_register(); ++i) {
        const std::uint32_t at = lane * own + i % own;
        visit(Element{lane, i / per_register(), i % per_register() * static_cast<std::uint32_t>(bits_of(type_)) % 32,
                      at / columns, at % columns});
      }
  }

  // The layouts of mma that the PTX ISA gives.
  template <class Visit> void each_mma(MatrixPart part, std::uint32_t rows, Visit visit) const {
    const std::uint32_t per = per_register();
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t r = 0; r < registers_; ++r)
        for (std::uint32_t i = 0; i < per; ++i) {
          const std::uint32_t group = lane / 4, place = lane % 4,
                              shift = i * static_cast<std::uint32_t>(bits_of(type_)) % 32;
          Element e{lane, r, shift, 0, 0};
          if (part == MatrixPart::a) {
            const bool tall = rows == 16;
            e.row = group + (tall ? 8 * (r % 2) : 0);
            e.column = place * per + i + (tall ? r / 2 : r) * 4 * per;
          } else if (part == MatrixPart::b) {
            e.row = place * per + i + r * 4 * per;
            e.column = group;
          } else {  // pairs of columns: two registers, or two halves of one
            const std::uint32_t index = per == 2 ? 2 * r + i : r;
            e.row = group + 8 * (index / 2);
            e.column = place * 2 + index % 2;
          }
          visit(e);
        }
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

std::int64_t whole(ptx::Type type, std::uint64_t bits) {
  const int width = bits_of(type);
  if (!ptx::is_signed(type) && type != ptx::Type::s4) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

// Large enough for the largest shape of each part.
template <class T> struct Matrices {
  std::array<T, 16 * 256> a{}, b{};
  std::array<T, 16 * 16> c{};
};

class Multiplication {
 public:
  Multiplication(const MatrixCall& call, std::byte* data) : call_(call), data_(data) {}

  void run() {
    const ptx::Type a = static_cast<ptx::Type>(call_.a_type);
    if (call_.action == MatrixAction::multiply_quads) return multiply_quads();
    if (ptx::is_floating(a))
      multiply<double>();
    else
      multiply<std::int64_t>();
  }

 private:
  Fragment fragment(int place, std::uint8_t type) const {
    std::uint32_t before = 0;
    for (int i = 0; i < place; ++i) before += call_.registers[i];
    return {data_ + kBytesOfMatrixRegister * before, static_cast<ptx::Type>(type), call_.registers[place]};
  }
  template <class Visit> void each(const Fragment& fragment, MatrixPart part, Visit visit) const {
    const std::uint32_t rows = part == MatrixPart::b ? call_.k : call_.m,
                        columns = part == MatrixPart::a ? call_.k : call_.n;
    if (call_.action == MatrixAction::multiply_mma)
      fragment.each_mma(part, rows, visit);
    else
      fragment.each_wmma(rows, columns, visit);
  }
  template <class T> T value(ptx::Type type, std::uint64_t bits) const {
    if constexpr (std::is_same_v<T, double>)
      return real(type, bits);
    else
      return whole(type, bits);
  }

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

  template <class T> void multiply() {
    static thread_local Matrices<T> m;
    const Fragment a = fragment(1, call_.a_type), b = fragment(2, call_.b_type), c = fragment(3, call_.c_type);
    Fragment d = fragment(0, call_.d_type);
    const std::uint32_t n = call_.n, k = call_.k;
    const bool sparse = call_.flags & MatrixCall::kSparse;
    if (sparse) std::fill_n(m.a.begin(), call_.m * k, T{});
    each(a, MatrixPart::a, [&](const Element& e) {
      m.a[e.row * k + (sparse ? column(a, e.row, e.column) : e.column)] = value<T>(a.type(), a.get(e));
    });
    each(b, MatrixPart::b, [&](const Element& e) { m.b[e.column * k + e.row] = value<T>(b.type(), b.get(e)); });
    each(c, MatrixPart::c, [&](const Element& e) { m.c[e.row * n + e.column] = value<T>(c.type(), c.get(e)); });
    for (std::uint32_t i = 0; i < call_.m; ++i)
      for (std::uint32_t j = 0; j < n; ++j) {
        T sum = m.c[i * n + j];
        const T *x = &m.a[i * k], *y = &m.b[j * k];
        for (std::uint32_t q = 0; q < k; ++q) sum = step(sum, x[q], y[q], a.type());
        m.c[i * n + j] = sum;
      }
    each(d, MatrixPart::c, [&](const Element& e) { d.set(e, result(d.type(), m.c[e.row * n + e.column])); });
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
          for (int k = 0; k < 4; ++k) sum[i][j] = step(sum[i][j], x[i][k], y[k][j], ptx::Type::f16);
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

  double step(double sum, double x, double y, ptx::Type type) const {
    return type == ptx::Type::f64 ? std::fma(x, y, sum) : sum + x * y;
  }
  std::int64_t step(std::int64_t sum, std::int64_t x, std::int64_t y, ptx::Type type) const {
    if (type != ptx::Type::b1) return sum + x * y;
    return sum + ((call_.flags & MatrixCall::kAnds ? x & y : x ^ y) & 1);
  }
  std::uint64_t result(ptx::Type type, double value) const { return bits_of_real(type, value); }
  std::uint64_t result(ptx::Type, std::int64_t value) const {
    if (call_.flags & MatrixCall::kSaturates) value = std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(value);
  }

  const MatrixCall& call_;
  std::byte* data_;
};

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
  fragment.each_wmma(rows, columns, [&](const Element& e) {
    const std::uint64_t bit =
        ((by_columns ? e.column : e.row) * stride + (by_columns ? e.row : e.column)) * static_cast<std::uint64_t>(bits);
    std::byte* at = base + bit / 8;
    if (bits >= 8) {
      std::uint64_t value = stores ? fragment.get(e) : 0;
      if (stores)
        std::memcpy(at, &value, static_cast<std::size_t>(bits) / 8);
      else
        std::memcpy(&value, at, static_cast<std::size_t>(bits) / 8), fragment.set(e, value);
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
