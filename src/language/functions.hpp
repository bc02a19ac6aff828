// The functions of the language, one row each: what it is called, what it takes, what it gives, how it is evaluated,
// what it is in C++, what it does. Dispatch, errors, completion, inspection, help, the documentation and exported
// programs read these rows. docs/extending.md says how to add one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "language/form.hpp"
#include "language/operators.hpp"

namespace xcuda::language {

// How the session evaluates a call. What differs between functions of one operation is in their rows.
enum class Operation : std::uint16_t {
  numbers,    // Function::numbers; of arrays element by element
  reduction,  // over everything or along an axis, by the reducer in Function::device
  variance,   // a reduction of the squares of the distances from the mean
  median,
  dot,
  all_close,
  fold,  // by a function of device code
  scan,
  sort,
  order,
  unique,
  histogram,
  map,
  where,
  reshape,
  transpose,
  reverse,
  roll,
  extent,
  matmul,
  outer,
  einsum,
  kron,
  matrix_power,
  // Of several devices: interpreter/devices has their evaluators.
  current_device,
  devices_in_use,
  local_part,
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  broadcast,
  send,
  receive,
  // Of the C library and the CUDA Runtime: interpreter/host has their evaluators.
  allocate,      // malloc
  allocate_for,  // cudaMalloc
  release,
  copy_memory,
  compare_memory,  // memcmp
  set_memory,
  allocate_rows,   // cudaMallocPitch
  copy_rows,       // cudaMemcpy2D
  copy_between,    // cudaMemcpyPeer
  set_rows,        // cudaMemset2D
  make_struct,     // make_cudaExtent
  allocate_box,    // cudaMalloc3D
  copy_box,        // cudaMemcpy3D
  set_box,         // cudaMemset3D
  pool_attribute,  // cudaMemPoolGetAttribute
  prefetch,
  advise,             // cudaMemAdvise
  pin,                // cudaHostRegister
  unpin,              // cudaHostUnregister
  memory_attributes,  // cudaPointerGetAttributes
  device_address,     // cudaHostGetDevicePointer
  symbol_address,
  symbol_size,
  launch_kernel,      // cudaLaunchKernel
  launch_configured,  // cudaLaunchKernelEx
  copy_to_symbol,
  copy_from_symbol,
  wait_for_all,
  succeed,  // nothing is left to do
  error_text,
  error_name,
  last_error,
  create_stream,
  end_handle,  // cudaStreamDestroy, cudaEventDestroy
  create_event,
  describe_stream,  // cudaStreamGetFlags and its kin
  call_in_stream,   // cudaLaunchHostFunc
  graph,            // cudaStreamBeginCapture, cudaGraphLaunch and their kin: interpreter/launches
  record_event,
  wait_for_event,
  elapsed_time,
  use_device,  // from here to best_block: interpreter/host/device_calls.cpp
  device_number,
  peer_access,
  peer_attribute,
  change_peer,    // cudaDeviceEnablePeerAccess
  bus_id,         // cudaDeviceGetPCIBusId
  device_at_bus,  // cudaDeviceGetByPCIBusId
  set_limit,
  get_limit,
  priorities,
  runtime_version,
  device_count,
  device_properties,
  device_attribute,
  memory_info,
  active_blocks,
  available_shared,
  kernel_attributes,
  set_kernel_attribute,
  set_kernel_cache,
  best_block_of_size,  // cudaOccupancyMaxPotentialBlockSizeVariableSMem
  best_block,
  random_number,  // rand
  seed,
  clock,
  time,
  time_of_day,      // gettimeofday
  time_of_clock,    // clock_gettime
  wall_time,        // omp_get_wtime
  processors,       // omp_get_num_procs
  one_thread,       // omp_get_num_threads
  first_thread,     // omp_get_thread_num
  leave,            // exit
  print_to,         // fprintf
  print_character,  // putchar, fputc
  print_text,       // fputs
  format_text,      // sprintf
  copy_text,        // strcpy, strcat
  number_of_text,   // strtol, strtod
  scan_text,        // sscanf
  no_input,         // getchar
  update,           // __sync_fetch_and_add
  exchange_if,      // __sync_bool_compare_and_swap
  character,        // isdigit, toupper
  print_line,       // puts
  // Functions composed of others, on whole arrays: interpreter/composed has their evaluators.
  cumsum,
  diff,
  gradient,
  trapezoid,
  interp,
  searchsorted,
  digitize,
  clip,
  isclose,
  array_equal,
  cross,
  trace,
  convolve,
  average,
  ptp,
  percentile,
  quantile,
  topk,
  bincount,
  nonzero,
  flatnonzero,
  argwhere,
  count_nonzero,
  histogram2d,
  isin,
  nan_to_num,
  nansum,
  nanprod,
  nanmin,
  nanmax,
  nanmean,
  nanvar,
  nanstd,
  flatten,
  ravel,
  squeeze,
  expand_dims,
  moveaxis,
  swapaxes,
  permute_dims,
  broadcast_to,
  flip,
  fliplr,
  flipud,
  rot90,
  diagonal,
  concatenate,
  stack,
  hstack,
  vstack,
  append,
  split,
  tile,
  repeat,
  pad,
  take,
  take_along_axis,
  copy,
  diag,
  tril,
  triu,
  meshgrid,
  zeros,
  ones,
  full,
  zeros_like,
  ones_like,
  full_like,
  eye,
  identity,
  tri,
  logspace,
  geomspace,
  permutation,
  choice,
  fft,
  ifft,
  rfft,
  irfft,
  fft2,
  ifft2,
  rfft2,
  irfft2,
  fftn,
  ifftn,
  rfftn,
  irfftn,
  fftfreq,
  rfftfreq,
  fftshift,
  ifftshift,
  correlate,
  conv2d,
  solve,
  inv,
  det,
  slogdet,
  lu,
  qr,
  cholesky,
  svd,
  eigh,
  eigvalsh,
  eig,
  lstsq,
  pinv,
  matrix_rank,
  cond,
  norm,
  csr,
  coo,
  dense,
  cg,
  gmres,
  load_npz,
  save_npz,
  // Functions of statements, whatever cells define under their names. First the initial values of arrays.
  arange,
  linspace,
  uniform,
  normal,
  lognormal,
  poisson,
  randint,
  shard,
  replicated,
  like,
  load,
  cover,
  print,
  assertion,
  exchange,
  record,
  wait,
  elapsed,
  environment,
  integer_of_text,
  real_of_text,
  single_of_text,
  text_of_number,
  make_text,
  text_length,
  text_order,
};
constexpr bool is_of_statements(Operation operation) { return operation >= Operation::arange; }
// A name that statements have for themselves, whatever cells define; swap(&a, &b) of a cell is its own.
constexpr bool comes_before_cells(Operation operation, std::string_view called) {
  return is_of_statements(operation) && (operation != Operation::exchange || called.starts_with("std::"));
}
constexpr bool is_of_runtime(Operation operation) {
  return operation >= Operation::allocate && operation <= Operation::print_line;
}
constexpr bool is_of_devices(Operation operation) {
  return operation >= Operation::current_device && operation <= Operation::receive;
}
constexpr bool is_of_device(Operation operation) {
  return operation >= Operation::use_device && operation <= Operation::best_block;
}
constexpr bool is_composed(Operation operation) {
  return operation >= Operation::cumsum && operation < Operation::arange;
}
constexpr bool is_initial_value(Operation operation) {
  return operation >= Operation::arange && operation <= Operation::load;
}

// What a parameter takes, as its type in the signature says.
enum class Takes : std::uint8_t {
  number,
  array,
  matrix,  // also a sparse one
  any,
  truth,
  extents,
  arrays,
  function,
  text,
  word,
  stream,
  event,
  name
};

struct Parameter {
  std::string_view type, name, otherwise;  // "bool", "keep", "false"; otherwise: may be empty
  std::vector<std::string_view> choices;   // of `const char* side = "left"|"right"`: left, right
  Takes takes = Takes::any;
  enum class Need : std::uint8_t { required, optional } need = Need::required;
};

// One way to call a function, read from "T sum(array x [, int axis, bool keep = false])": what is in brackets may be
// left out, and `...` means any number of arguments.
struct Signature {
  std::string_view text, result;
  std::vector<Parameter> parameters;
  bool open = false;  // ends with ...
  std::vector<std::string_view> names() const;
  std::size_t required() const;
};

enum class Trait : std::uint8_t {
  of_elements = 1,  // xcuda/elementwise.cuh has it in xcuda::math
  single = 2,       // with a form of single precision, sinf
  complex = 4,      // `numbers` takes complex numbers
  plain = 8,        // of float and double, and spelled the same in CUDA C++
  widens = 16,      // of 16-bit elements it gives float
  one_type = 32,    // in C++ its arguments have one type
  flattens = 64,    // without an axis it takes all elements in a row, as NumPy's does
  rooted = 128,     // gives the square root of what its operation computes
};
constexpr std::uint8_t operator|(Trait a, Trait b) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr std::uint8_t operator|(std::uint8_t a, Trait b) {
  return static_cast<std::uint8_t>(a | static_cast<unsigned>(b));
}

struct Function {
  std::string_view name;
  std::string_view signatures;  // one to a line
  std::string_view help;        // a line; empty where the reference of CUDA C++ has it
  std::string_view example;     // after `float x[6] = {3, 1, 2, 6, 5, 4}, y[6] = 1;`
  Operation operation = Operation::numbers;
  ScalarValue (*numbers)(std::span<const ScalarValue>, const Where&) = nullptr;
  // The type rule: the form of the result, from the forms of the arguments (nothing for those left out). Null where
  // the function is `numbers`, element by element.
  Form (*result)(std::span<const Form>) = nullptr;
  std::string_view device;   // C++ of the device: a reducer of xcuda/reduce.cuh, "Sum"; the function of a scan
  std::string_view program;  // in an exported program, without xcuda::; empty: its name
  std::string_view part;     // of share/xcuda/program, that has it
  std::uint8_t traits = 0;
  std::uint8_t results = 1;  // at most, for auto [a, b] = f(x)
  std::string_view parts;    // names of the results, where the first alone is seldom meant: "u, s, vt"

  bool has(Trait trait) const { return (traits & static_cast<unsigned>(trait)) != 0; }
};

std::span<const Function> functions_of_numbers();
std::span<const Function> functions_of_arrays();
std::span<const Function> functions_of_matrices();
std::span<const Function> functions_of_shapes();
std::span<const Function> functions_of_series();
std::span<const Function> functions_of_random_numbers();
std::span<const Function> functions_of_transforms();
std::span<const Function> functions_of_solvers();
std::span<const Function> functions_of_sparse_matrices();
std::span<const Function> functions_of_devices();
std::span<const Function> functions_of_statements();
std::span<const Function> functions_of_runtime();
std::span<const Function> functions_of_streams();
std::span<const Function> functions_of_c_library();
const std::vector<const Function*>& all_functions();  // by name
const std::vector<Signature>& signatures_of(const Function& function);

// A name as it is written: "std::max<float>" and "sinf" lead to the rows of max and sin.
struct FunctionName {
  const Function* row = nullptr;
  bool single = false;    // sinf
  std::string_view type;  // of max<float>
};
std::optional<FunctionName> find_function(std::string_view written);
// The words that a parameter may be given; empty where it takes others.
std::vector<std::string_view> choices_of(const Function& function, std::string_view parameter);
// The row of a call that gives an initial value of an array: arange(), load().
std::optional<FunctionName> initial_function(const cell::Call& call);
// The call of a function of this operation that an expression is; null where it is another one.
const cell::Call* call_of(const cell::Expression& expression, Operation operation);
std::string_view without_std(std::string_view name);  // std::, cuda:: and :: taken off
// What may be a type in the name of a called function, without template arguments: P of P<int>, P and P::count of
// P::count.
std::vector<std::string_view> types_in_name(std::string_view name);
// "P" of P::count and P<3>::count, whose static member that may be; empty for other names.
std::string_view scope_of(std::string_view name);
std::vector<std::string> function_names();  // as they are suggested

// Whether a function of one element is CUDA's own: expf and the like, __expf, __popc. C++'s conversions apply to them.
bool is_device_intrinsic(std::string_view name);
bool is_element_function(std::string_view name);  // of xcuda::math, without a suffix

// The signature that a call fits by the number and the names of its arguments; null when none does. The first of two.
const Signature* fitting(const Function& function, const std::vector<cell::Argument>& arguments);
// Whether a call is of whole arrays: max(x) and max(x, axis = 0) are, max(x, y) is not.
bool takes_whole_arrays(const Function& function, const std::vector<cell::Argument>& arguments);

// The arguments of a call by the names of the parameters; absent ones are null, and the extra ones of an open signature
// follow. Errors: type, name.
using Bound = std::vector<const cell::Expression*>;
struct TriedBound {
  Bound given;
  std::optional<Error> error;
};
TriedBound try_bind(const cell::Source& source, std::string_view function, const std::vector<cell::Argument>& arguments,
                    std::span<const std::string_view> parameters);
// Binds by the row: a missing required argument is also an error.
TriedBound try_bind(const cell::Source& source, const Function& function, const cell::Call& call, cell::Span span);
Bound bind_arguments(const cell::Source& source, std::string_view function,
                     const std::vector<cell::Argument>& arguments, std::span<const std::string_view> parameters);
Bound bind_arguments(const cell::Source& source, const Function& function, const cell::Call& call, cell::Span span);
const cell::Expression* given(const cell::Call& call, const Function& function, std::string_view parameter);

// Calls a function of numbers by C++'s rules: float for floats, double for integers, the common type for min and max.
// Errors: type, value.
ScalarValue call_numbers(const FunctionName& function, std::span<const ScalarValue> arguments, const Where& where);
// What a call with these arguments gives.
Form result_of(const FunctionName& function, std::span<const Form> given);

}  // namespace xcuda::language
