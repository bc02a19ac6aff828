// What libcu++ has for device code: cuda:: and cuda::std::.
#include "command/builtin_tables.hpp"

namespace xcuda::command {

std::string_view libcu_table() {
  return R"([type device <cuda/atomic>]
cuda::atomic<T, cuda::thread_scope scope = cuda::thread_scope_system> | An atomic object for the threads of a scope
cuda::atomic_ref<T, cuda::thread_scope scope = cuda::thread_scope_system> | Atomic operations on an object that is there already
cuda::thread_scope | Which threads an atomic, a barrier or a fence is for

[value device <cuda/atomic>]
cuda::thread_scope cuda::thread_scope_system | All threads of the machine
cuda::thread_scope cuda::thread_scope_device | The threads of the device
cuda::thread_scope cuda::thread_scope_block | The threads of the block
cuda::thread_scope cuda::thread_scope_thread | This thread alone
cuda::std::memory_order cuda::std::memory_order_relaxed | An atomic operation that orders nothing else
cuda::std::memory_order cuda::std::memory_order_acquire | What follows comes behind this load
cuda::std::memory_order cuda::std::memory_order_release | What precedes comes before this store
cuda::std::memory_order cuda::std::memory_order_acq_rel | Both, of an operation that loads and stores
cuda::std::memory_order cuda::std::memory_order_seq_cst | One order for all threads; what is taken without an argument

[function device <cuda/atomic>]
void cuda::atomic_thread_fence(cuda::std::memory_order order, cuda::thread_scope scope) | Order this thread's reads and writes for the threads of a scope

[members cuda::atomic cuda::atomic_ref]
T load(memory_order order = seq_cst) | The value
void store(T value, memory_order order = seq_cst) | Store a value
T exchange(T value, memory_order order = seq_cst) | Store a value; the old one
bool compare_exchange_weak(T& expected, T value, memory_order order = seq_cst) | Store value if it is the expected one; may fail without a reason
bool compare_exchange_strong(T& expected, T value, memory_order order = seq_cst) | Store value if it is the expected one
T fetch_add(T value, memory_order order = seq_cst) | Add; the old value
T fetch_sub(T value, memory_order order = seq_cst) | Subtract; the old value
T fetch_and(T value, memory_order order = seq_cst) | Bitwise and; the old value
T fetch_or(T value, memory_order order = seq_cst) | Bitwise or; the old value
T fetch_xor(T value, memory_order order = seq_cst) | Bitwise xor; the old value
T fetch_min(T value, memory_order order = seq_cst) | Keep the lesser one; the old value
T fetch_max(T value, memory_order order = seq_cst) | Keep the greater one; the old value

[members cuda::atomic]
void wait(T old, memory_order order = seq_cst) | Wait until the value is another one
void notify_one() | Wake one thread that waits
void notify_all() | Wake all threads that wait

[type device <cuda/barrier>]
cuda::barrier<cuda::thread_scope scope> | A barrier at which a number of threads arrive and wait, and that asynchronous copies arrive at
cuda::aligned_size_t<size_t alignment> | A number of bytes that is a multiple of the alignment: faster asynchronous copies

[function device <cuda/barrier>]
void init(cuda::barrier<scope>* barrier, ptrdiff_t expected) | Make a barrier in shared memory for so many threads; one thread calls it
void cuda::memcpy_async(T* to, const T* from, size_t bytes, barrier_or_pipeline& done) | Copy to shared memory without waiting; the barrier or pipeline tells when it is done

[members cuda::barrier]
arrival_token arrive(ptrdiff_t update = 1) | Arrive without waiting
void wait(arrival_token&& token) | Wait until all have arrived
void arrive_and_wait() | Arrive and wait for all
void arrive_and_drop() | Arrive, and be expected no more

[type device <cuda/pipeline>]
cuda::pipeline<cuda::thread_scope scope> | Asynchronous copies in stages: one is used while the next ones are on their way
cuda::pipeline_shared_state<cuda::thread_scope scope, uint8_t stages> | What a pipeline keeps in shared memory

[function device <cuda/pipeline>]
cuda::pipeline<scope> cuda::make_pipeline() | A pipeline of this thread, or with a group and a shared state one of the group
void cuda::pipeline_consumer_wait_prior<N>(pipeline& p) | Wait for all but the last N stages

[members cuda::pipeline]
void producer_acquire() | Wait for a free stage
void producer_commit() | Close a stage of copies
void consumer_wait() | Wait for the oldest stage
void consumer_release() | Give the oldest stage back
void quit() | Take part no more

[type device <cuda/latch>]
cuda::latch<cuda::thread_scope scope> | A barrier for one use

[type device <cuda/semaphore>]
cuda::counting_semaphore<cuda::thread_scope scope, ptrdiff_t most> | Lets so many threads pass at a time
cuda::binary_semaphore<cuda::thread_scope scope> | Lets one thread pass at a time

[type device <cuda/annotated_ptr>]
cuda::annotated_ptr<T, property> | A pointer that says how its data is to be kept in the cache

[function device <cuda/annotated_ptr>]
void cuda::discard_memory(volatile void* address, size_t bytes) | A promise that these bytes are not read before they are written

[type device <cuda/std/array>]
cuda::std::array<T, size_t N> | An array of fixed size that can be copied and returned

[members cuda::std::array]
size_t size() | Number of elements
T* data() | The first element's address
void fill(const T& value) | Set all elements
T& front() | The first element
T& back() | The last element
T* begin() | The first element's place
T* end() | The place behind the last element
bool empty() | Whether there is no element

[type device <cuda/std/span>]
cuda::std::span<T> | A pointer and a number of elements

[members cuda::std::span]
size_t size() | Number of elements
size_t size_bytes() | Their bytes
T* data() | The first element's address
T& front() | The first element
T& back() | The last element
span first(size_t count) | The first elements
span last(size_t count) | The last elements
span subspan(size_t offset, size_t count) | Elements from a place on
bool empty() | Whether there is no element
T* begin() | The first element's place
T* end() | The place behind the last element

[type device <cuda/std/complex>]
cuda::std::complex<T> | A complex number: two T

[function device <cuda/std/complex>]
T cuda::std::norm(const cuda::std::complex<T>& z) | Square of the magnitude
T cuda::std::arg(const cuda::std::complex<T>& z) | Angle
cuda::std::complex<T> cuda::std::conj(const cuda::std::complex<T>& z) | The conjugate number
cuda::std::complex<T> cuda::std::polar(T magnitude, T angle) | A complex number of its magnitude and angle

[members cuda::std::complex]
T real() | The real part
T imag() | The imaginary part

[type device <cuda/std/tuple>]
cuda::std::tuple<T...> | Values of several types

[function device <cuda/std/tuple>]
tuple cuda::std::make_tuple(T... values) | A tuple of these values
T& cuda::std::get<N>(tuple& t) | A member of a tuple or pair
tuple cuda::std::tie(T&... variables) | References, to take a tuple apart

[type device <cuda/std/utility>]
cuda::std::pair<T, U> | Two values

[function device <cuda/std/utility>]
pair cuda::std::make_pair(T first, U second) | A pair of these values
T&& cuda::std::move(T& x) | x as a value whose contents may be taken
T&& cuda::std::forward<T>(T& x) | x as it was given
void cuda::std::swap(T& x, T& y) | Exchange two values
T cuda::std::exchange(T& x, U value) | Store a value; the old one

[members cuda::std::pair]
T first | The first value
U second | The second value

[type device <cuda/std/optional>]
cuda::std::optional<T> | A value or none

[members cuda::std::optional]
bool has_value() | Whether there is a value
T& value() | The value
T value_or(U otherwise) | The value, or another one where there is none
void reset() | Have no value

[type device <cuda/std/limits>]
cuda::std::numeric_limits<T> | Limits of a number's type: max(), lowest(), epsilon(), infinity()

[type device <cuda/std/cstdint>]
cuda::std::uint32_t | 32 bits without sign
cuda::std::int32_t | 32 bits with sign
cuda::std::uint64_t | 64 bits without sign
cuda::std::int64_t | 64 bits with sign

[type device <cuda/std/functional>]
cuda::std::plus<T> | The sum, as a function object
cuda::std::multiplies<T> | The product, as a function object
cuda::std::less<T> | x < y, as a function object
cuda::std::greater<T> | x > y, as a function object

[function device <cuda/std/bit>]
To cuda::std::bit_cast<To>(const From& x) | The bits of x as another type
int cuda::std::popcount(unsigned x) | Number of set bits
int cuda::std::countl_zero(unsigned x) | Zero bits in front of the highest set bit
int cuda::std::countr_zero(unsigned x) | Zero bits below the lowest set bit

[function device <cuda/std/cmath>]
T cuda::std::abs(T x) | Absolute value
T cuda::std::sqrt(T x) | Square root
T cuda::std::exp(T x) | e to the x
T cuda::std::log(T x) | Natural logarithm
T cuda::std::pow(T x, T y) | x to the y
T cuda::std::sin(T x) | Sine of x, in radians
T cuda::std::cos(T x) | Cosine of x, in radians
bool cuda::std::isnan(T x) | Is x a NaN?
bool cuda::std::isinf(T x) | Is x infinite?

[type device <cuda/std/type_traits>]
cuda::std::is_same<T, U> | Whether two types are the same
cuda::std::enable_if_t<bool condition, T = void> | T where the condition holds
cuda::std::conditional_t<bool condition, T, U> | T where the condition holds, else U
cuda::std::remove_reference_t<T> | T without a reference
cuda::std::is_floating_point<T> | Whether T is a floating-point type
cuda::std::is_integral<T> | Whether T is an integer type
)";
}

}  // namespace xcuda::command
