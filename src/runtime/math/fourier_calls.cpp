#include "runtime/math/fourier_calls.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "library/cpu/fourier.hpp"
#include "runtime/math/fourier_plans.hpp"
#include "runtime/math/slots.hpp"

namespace xcuda::runtime::math {
namespace {

template <class I> struct SideLayout {
  I* embed;
  I stride, distance;
};

// What a request means; a status where it means nothing.
template <class I>
int read_request(int rank, const I* n, const SideLayout<I>& in, const SideLayout<I>& out, int type, I batch,
                 PlanRequest& request) {
  if (!is_type(type)) return kInvalidType;
  if (rank < 1 || rank > 3 || n == nullptr) return kInvalidValue;
  for (int i = 0; i < rank; ++i)
    if (n[i] < 1) return kInvalidSize;
  if (batch < 1) return kInvalidSize;
  request.n.assign(n, n + rank);
  request.type = static_cast<Type>(type);
  request.batch = batch;
  if (in.embed == nullptr || out.embed == nullptr) return 0;
  const auto embedding = [&](const SideLayout<I>& from) {
    return SideEmbedding{{from.embed, from.embed + rank}, from.stride, from.distance};
  };
  request.in = embedding(in);
  request.out = embedding(out);
  for (const auto& side : {*request.in, *request.out})
    if (side.stride < 1 || (side.distance < 0)) return kInvalidValue;
  return 0;
}

int keep_plan(PlanNumber number, const PlanRequest& request) {
  return with_plan(number, [&](Plan& plan) {
    const auto types = callback_types(request.type);
    for (const auto& [type, callback] : plan.callbacks)  // those in LTO-IR, which are given before
      if (type != types.load && type != types.store) return kInvalidType;
    plan.made = request;
    return 0;
  });
}

template <class I>
int make_plan(PlanNumber number, int rank, const I* n, const SideLayout<I>& in, const SideLayout<I>& out, int type,
              I batch, std::size_t* bytes) {
  PlanRequest request;
  if (const int status = read_request(rank, n, in, out, type, batch, request); status != 0) return status;
  if (bytes != nullptr) *bytes = 0;
  return keep_plan(number, request);
}

template <class I>
int measure_plan(int rank, const I* n, const SideLayout<I>& in, const SideLayout<I>& out, int type, I batch,
                 std::size_t* bytes) {
  PlanRequest request;
  if (const int status = read_request(rank, n, in, out, type, batch, request); status != 0) return status;
  if (bytes == nullptr) return kInvalidValue;
  *bytes = 0;
  return 0;
}

int is_plan(PlanNumber plan) {
  return with_plan(plan, [](Plan&) { return 0; });
}

// A plan that is made in one call is not there when that fails.
template <class Make> int new_plan(PlanNumber* plan, Make make_it) {
  if (const int status = create_plan(plan); status != 0) return status;
  const int status = make_it(*plan);
  if (status != 0) destroy_plan(*plan);
  return status;
}

constexpr SideLayout<int> kPacked{nullptr, 1, 0};

// One side of a transform as the library sees it.
enum class SideKind : std::uint8_t { complex, half_of_complex, real, padded_real };
library::Operand operand_of(const PlanRequest& request, const std::optional<SideEmbedding>& embedding, SideKind numbers,
                            const void* at) {
  const bool real = numbers == SideKind::real || numbers == SideKind::padded_real;
  using xcuda::Scalar;
  library::Operand operand;
  operand.address = reinterpret_cast<std::uint64_t>(at);
  operand.type = real                      ? is_double(request.type) ? Scalar::float64 : Scalar::float32
                 : is_double(request.type) ? Scalar::complex128
                                           : Scalar::complex64;
  auto extents = request.n;
  if (numbers == SideKind::half_of_complex) extents.back() = extents.back() / 2 + 1;
  operand.shape.push_back(static_cast<std::uint64_t>(request.batch));
  for (const auto extent : extents) operand.shape.push_back(static_cast<std::uint64_t>(extent));
  auto around = embedding ? embedding->extents : extents;
  if (!embedding && numbers == SideKind::padded_real) around.back() = 2 * (around.back() / 2 + 1);
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t step = embedding ? embedding->stride : 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    strides[d] = step;
    step *= around[d];
  }
  operand.strides.push_back(embedding ? embedding->distance : step);
  operand.strides.insert(operand.strides.end(), strides.begin(), strides.end());
  return operand;
}

std::uint64_t bytes_of_side(const library::Operand& operand) {
  const auto reach = library::reach_of(operand);
  return reach.last - reach.first;
}

void run_transform(const library::Call& call) {
  static std::mutex mutex;
  static auto* const fourier = new library::cpu::Fourier(device_threads());
  const std::lock_guard lock(mutex);
  fourier->run(call);
}

// In place, where the library does not take one array for both.
void transform_copy(library::Call call) {
  const auto bytes = bytes_of_side(call.operands[1]);
  std::vector<std::byte> copy(bytes);
  std::memcpy(copy.data(), reinterpret_cast<const void*>(call.operands[1].address), bytes);
  call.operands[1].address = reinterpret_cast<std::uint64_t>(copy.data());
  run_transform(call);
}

void* address_of(const library::Operand& operand) { return reinterpret_cast<void*>(operand.address); }
bool is_real(const library::Operand& operand) {
  return operand.type == xcuda::Scalar::float32 || operand.type == xcuda::Scalar::float64;
}

Outcome post_transform(cudaStream_t stream, const library::Call& call) {
  const auto &to = call.operands[0], &from = call.operands[1];
  const bool copies = to.address == from.address && (is_real(to) || is_real(from) || to.strides != from.strides);
  return post(
      {"cufftExec",
       stream,
       Waits::no,
       {{address_of(from), bytes_of_side(from), "the input"}, {address_of(to), bytes_of_side(to), "the output"}}},
      [=] { copies ? transform_copy(call) : run_transform(call); });
}

Outcome post_with_callbacks(const Plan& plan, library::Call call) {
  const auto types = callback_types(plan.made->type);
  const auto load = plan.callbacks.find(types.load), store = plan.callbacks.find(types.store);
  const auto side_of = [](const library::Operand& operand) {
    return FourierSide{address_of(operand),
                       {operand.shape.begin(), operand.shape.end()},
                       {operand.strides.begin(), operand.strides.end()}};
  };
  auto &to = call.operands[0], &from = call.operands[1];
  const auto input = side_of(from), output = side_of(to);
  std::optional<PassingMemory> loaded, stored;
  if (load != plan.callbacks.end()) {
    if (loaded.emplace(bytes_of_side(from), plan.stream).get() == nullptr) return Outcome::memory;
    const auto outcome = run_fourier_callback(types.load, load->second, input, loaded->get(), plan.stream);
    if (outcome != Outcome::done) return outcome;
    from.address = reinterpret_cast<std::uint64_t>(loaded->get());
  }
  if (store != plan.callbacks.end()) {
    if (stored.emplace(bytes_of_side(to), plan.stream).get() == nullptr) return Outcome::memory;
    to.address = reinterpret_cast<std::uint64_t>(stored->get());
  }
  const auto outcome = post_transform(plan.stream, call);
  if (outcome != Outcome::done || !stored) return outcome;
  return run_fourier_callback(types.store, store->second, output, stored->get(), plan.stream);
}

int execute_plan(PlanNumber number, const void* from, void* to, int direction, std::optional<Type> wanted) {
  Plan plan;
  if (const int status = with_plan(number,
                                   [&](Plan& found) {
                                     plan = found;
                                     return found.made ? 0 : kInvalidPlan;
                                   });
      status != 0)
    return status;
  const auto& request = *plan.made;
  if (wanted && request.type != *wanted) return kInvalidType;
  if (from == nullptr || to == nullptr || (direction != -1 && direction != 1)) return kInvalidValue;
  const bool in_place = from == to, real_in = from_real(request.type), real_out = to_real(request.type);
  library::Call call;
  call.operation = library::Operation::fourier;
  const auto real = in_place ? SideKind::padded_real : SideKind::real;
  const auto to_kind = real_out ? real : real_in ? SideKind::half_of_complex : SideKind::complex;
  const auto from_kind = real_in ? real : real_out ? SideKind::half_of_complex : SideKind::complex;
  call.operands = {operand_of(request, request.out, to_kind, to), operand_of(request, request.in, from_kind, from)};
  call.scalars = {static_cast<double>(request.n.size()), static_cast<double>(direction)};
  return kFourierCodes.of(plan.callbacks.empty() ? post_transform(plan.stream, call)
                                                 : post_with_callbacks(plan, std::move(call)));
}

}  // namespace

int create_plan(PlanNumber* plan) {
  if (plan == nullptr) return kInvalidValue;
  const std::lock_guard lock(plans().mutex);
  *plan = plans().next++;
  plans().all.emplace(*plan, Plan{});
  return 0;
}
int destroy_plan(PlanNumber plan) {
  std::map<PlanNumber, Plan>::node_type taken;  // its callbacks' modules wait for the device when they go
  const std::lock_guard lock(plans().mutex);
  taken = plans().all.extract(plan);
  return taken.empty() ? kInvalidPlan : 0;
}

int plan_1d(PlanNumber* plan, int n, int type, int batch) {
  return new_plan(plan, [&](PlanNumber made) { return make_plan_1d(made, n, type, batch, nullptr); });
}
int plan_2d(PlanNumber* plan, int n0, int n1, int type) {
  return new_plan(plan, [&](PlanNumber made) { return make_plan_2d(made, n0, n1, type, nullptr); });
}
int plan_3d(PlanNumber* plan, int n0, int n1, int n2, int type) {
  return new_plan(plan, [&](PlanNumber made) { return make_plan_3d(made, n0, n1, n2, type, nullptr); });
}
int plan_many(PlanNumber* plan, int rank, int* n, int* in_embed, int in_stride, int in_distance, int* out_embed,
              int out_stride, int out_distance, int type, int batch) {
  return new_plan(plan, [&](PlanNumber made) {
    return make_plan_many<int>(made, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                               type, batch, nullptr);
  });
}

int make_plan_1d(PlanNumber plan, int n, int type, int batch, std::size_t* bytes) {
  return make_plan(plan, 1, &n, kPacked, kPacked, type, batch, bytes);
}
int make_plan_2d(PlanNumber plan, int n0, int n1, int type, std::size_t* bytes) {
  const int n[] = {n0, n1};
  return make_plan(plan, 2, n, kPacked, kPacked, type, 1, bytes);
}
int make_plan_3d(PlanNumber plan, int n0, int n1, int n2, int type, std::size_t* bytes) {
  const int n[] = {n0, n1, n2};
  return make_plan(plan, 3, n, kPacked, kPacked, type, 1, bytes);
}
template <class I>
int make_plan_many(PlanNumber plan, int rank, I* n, I* in_embed, I in_stride, I in_distance, I* out_embed, I out_stride,
                   I out_distance, int type, I batch, std::size_t* bytes) {
  return make_plan<I>(plan, rank, n, {in_embed, in_stride, in_distance}, {out_embed, out_stride, out_distance}, type,
                      batch, bytes);
}
template int make_plan_many<int>(PlanNumber, int, int*, int*, int, int, int*, int, int, int, int, std::size_t*);
template int make_plan_many<long long>(PlanNumber, int, long long*, long long*, long long, long long, long long*,
                                       long long, long long, int, long long, std::size_t*);

int make_typed_plan(PlanNumber plan, int rank, long long* n, long long* in_embed, long long in_stride,
                    long long in_distance, int in_type, long long* out_embed, long long out_stride,
                    long long out_distance, int out_type, long long batch, std::size_t* bytes, int) {
  constexpr int kReal32 = 0, kReal64 = 1, kComplex32 = 4, kComplex64 = 5;  // cudaDataType
  struct Pair {
    int in, out;
    Type type;
  };
  for (const auto& pair : {Pair{kComplex32, kComplex32, Type::c2c}, Pair{kReal32, kComplex32, Type::r2c},
                           Pair{kComplex32, kReal32, Type::c2r}, Pair{kComplex64, kComplex64, Type::z2z},
                           Pair{kReal64, kComplex64, Type::d2z}, Pair{kComplex64, kReal64, Type::z2d}})
    if (pair.in == in_type && pair.out == out_type)
      return make_plan_many<long long>(plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                                       out_distance, static_cast<int>(pair.type), batch, bytes);
  say_not_supported("cufftXtMakePlanMany", "elements of these types");
  return kFourierCodes.unsupported;
}

int estimate_1d(int n, int type, int batch, std::size_t* bytes) {
  return measure_plan(1, &n, kPacked, kPacked, type, batch, bytes);
}
int estimate_2d(int n0, int n1, int type, std::size_t* bytes) {
  const int n[] = {n0, n1};
  return measure_plan(2, n, kPacked, kPacked, type, 1, bytes);
}
int estimate_3d(int n0, int n1, int n2, int type, std::size_t* bytes) {
  const int n[] = {n0, n1, n2};
  return measure_plan(3, n, kPacked, kPacked, type, 1, bytes);
}
int estimate_many(int rank, int* n, int* in_embed, int in_stride, int in_distance, int* out_embed, int out_stride,
                  int out_distance, int type, int batch, std::size_t* bytes) {
  return measure_plan<int>(rank, n, {in_embed, in_stride, in_distance}, {out_embed, out_stride, out_distance}, type,
                           batch, bytes);
}
int size_1d(PlanNumber plan, int n, int type, int batch, std::size_t* bytes) {
  return is_plan(plan) != 0 ? kInvalidPlan : estimate_1d(n, type, batch, bytes);
}
int size_2d(PlanNumber plan, int n0, int n1, int type, std::size_t* bytes) {
  return is_plan(plan) != 0 ? kInvalidPlan : estimate_2d(n0, n1, type, bytes);
}
int size_3d(PlanNumber plan, int n0, int n1, int n2, int type, std::size_t* bytes) {
  return is_plan(plan) != 0 ? kInvalidPlan : estimate_3d(n0, n1, n2, type, bytes);
}
template <class I>
int size_many(PlanNumber plan, int rank, I* n, I* in_embed, I in_stride, I in_distance, I* out_embed, I out_stride,
              I out_distance, int type, I batch, std::size_t* bytes) {
  return is_plan(plan) != 0 ? kInvalidPlan
                            : measure_plan<I>(rank, n, {in_embed, in_stride, in_distance},
                                              {out_embed, out_stride, out_distance}, type, batch, bytes);
}
template int size_many<int>(PlanNumber, int, int*, int*, int, int, int*, int, int, int, int, std::size_t*);
template int size_many<long long>(PlanNumber, int, long long*, long long*, long long, long long, long long*, long long,
                                  long long, int, long long, std::size_t*);
int plan_size(PlanNumber plan, std::size_t* bytes) {
  return with_plan(plan, [&](Plan& found) {
    if (!found.made) return kInvalidPlan;
    if (bytes == nullptr) return kInvalidValue;
    *bytes = 0;
    return 0;
  });
}
int set_work_area(PlanNumber plan, void*) { return is_plan(plan); }
int set_allocation(PlanNumber plan, int) { return is_plan(plan); }
int set_plan_stream(PlanNumber plan, cudaStream_t stream) {
  return with_plan(plan, [&](Plan& found) {
    found.stream = stream;
    return 0;
  });
}

template <class T> int transform_complex(PlanNumber plan, std::complex<T>* from, std::complex<T>* to, int direction) {
  return execute_plan(plan, from, to, direction, sizeof(T) == 4 ? Type::c2c : Type::z2z);
}
template <class T> int transform_real(PlanNumber plan, T* from, std::complex<T>* to) {
  return execute_plan(plan, from, to, -1, sizeof(T) == 4 ? Type::r2c : Type::d2z);
}
template <class T> int transform_to_real(PlanNumber plan, std::complex<T>* from, T* to) {
  return execute_plan(plan, from, to, 1, sizeof(T) == 4 ? Type::c2r : Type::z2d);
}
int transform_any(PlanNumber plan, void* from, void* to, int direction) {
  Type type = Type::c2c;
  if (const int status = with_plan(plan,
                                   [&](Plan& found) {
                                     if (found.made) type = found.made->type;
                                     return found.made ? 0 : kInvalidPlan;
                                   });
      status != 0)
    return status;
  // Real numbers are transformed one way.
  return execute_plan(plan, from, to, from_real(type) ? -1 : to_real(type) ? 1 : direction, {});
}
int fourier_version(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = 12000;
  return 0;
}
int fourier_property(int which, int* value) {
  constexpr int kNumbers[] = {12, 0, 0};
  if (value == nullptr || which < 0 || which > 2) return kInvalidValue;
  *value = kNumbers[which];
  return 0;
}

#define XCUDA_MATH_STATUS kFourierCodes.unsupported
const void* const kFourierSlots[] = {
#include "runtime/math/fourier_functions.def"
};
#undef XCUDA_MATH_STATUS

}  // namespace xcuda::runtime::math
