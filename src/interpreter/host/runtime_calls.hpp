// The C library's memory, time and random numbers, and the CUDA Runtime, as host programs call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "interpreter/frame.hpp"
#include "interpreter/function_call.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {

struct ScanPart;  // of a format of sscanf()

inline const Value kSuccess = language::ScalarValue::of(0);

class RuntimeCalls : public Part {
 public:
  explicit RuntimeCalls(Frame& frame) : Part(frame) {}

  Value call(const FunctionCall& of);
  const cell::Expression& output(const cell::Expression& expression);  // k of &k and (void**)&k
  std::uint64_t size(const cell::Expression& expression, std::string_view what);
  Value construct(const cell::Call& call, cell::Span span);  // new T(1, 2)
  // The status of a call that did nothing, by its name: cudaGetLastError() gives it.
  Value failed(std::string_view error);
  void write_text(const cell::Expression& to, std::string_view text, cell::Span span);  // with a 0 at its end
  std::vector<std::byte> read(const cell::Expression& from, std::uint64_t bytes);       // of memory or a variable
  void require_kind(const cell::Expression& expression);                                // of a copy
  void require_kind(std::uint64_t kind, cell::Span span);
  void require_writable(const Pointer& memory, cell::Span span) const;
  Pointer memory(std::uint64_t bytes, Array::Origin origin, cell::Span span);
  std::uint64_t pitch_of(std::uint64_t width, cell::Span span) const;  // of rows that the CUDA Runtime allocates
  std::byte byte(const cell::Expression& value);                       // to fill memory with
  Target target_of(const cell::Expression& pointer);                   // &k, p, &x[i]
  // A struct of the CUDA Runtime by value, and by a pointer to it. Error(type): something else is given.
  Object struct_of(const cell::Expression& given, std::string_view type);
  Object struct_at(const cell::Expression& pointer, std::string_view type);

 private:
  using Arguments = std::vector<const cell::Expression*>;  // by parameter; null where one is left out
  Value allocate(std::string_view name, const Arguments& given, cell::Span span);
  void require_alignment(const cell::Expression& alignment);                           // malloc, calloc
  Value allocate_for(std::string_view name, const Arguments& given, cell::Span span);  // cudaMalloc(&p, bytes)
  Value allocate_rows(const Arguments& given, cell::Span span);
  Value release(const Arguments& given, cell::Span span);
  Value copy(const Arguments& given, cell::Span span);
  Value box(const FunctionCall& of, const Arguments& given);  // cudaMalloc3D and its kin
  Value copy_between(const Arguments& given, cell::Span span);
  Value copy_rows(const Arguments& given, cell::Span span);
  Value set(const Arguments& given, cell::Span span);
  Value set_rows(const Arguments& given, cell::Span span);
  enum class SymbolCopy : std::uint8_t { to, from };
  Value copy_symbol(const Arguments& given, SymbolCopy which, cell::Span span);
  Value wait_for_all(const Arguments& given, cell::Span span);
  Value succeed(const Arguments& given, cell::Span span);  // nothing is left to do
  Value error_text(const Arguments& given, cell::Span span);
  Value error_name(const Arguments& given, cell::Span span);
  Value last_error(std::string_view name);
  // Hints about memory, and what it is: memory_calls.cpp
  Value prefetch(const Arguments& given, cell::Span span);
  Value advise(const Arguments& given, cell::Span span);
  Value pin(const Arguments& given, cell::Span span);
  Value unpin(const Arguments& given, cell::Span span);
  Value pool_attribute(std::string_view name, const Arguments& given, cell::Span span);
  Value memory_attributes(const Arguments& given, cell::Span span);
  void require_location(const cell::Expression& expression);
  Array& registered(const cell::Expression& memory);
  bool is_managed(std::string_view variable);
  // Streams: calls_in_streams.cpp
  Value create_stream(const Arguments& given, cell::Span span);
  Value end_handle(const Arguments& given, cell::Span span);
  Value create_event(const Arguments& given, cell::Span span);
  Value describe_stream(std::string_view name, const Arguments& given, cell::Span span);
  Value call_in_stream(std::string_view name, const Arguments& given, cell::Span span);
  Value record(const Arguments& given, cell::Span span);
  Value wait_for_event(const Arguments& given, cell::Span span);
  bool external(const cell::Expression& flags, std::string_view what);
  Value elapsed(const Arguments& given, cell::Span span);
  Value random(const Arguments& given, cell::Span span);
  Value seed(const Arguments& given, cell::Span span);
  Value clock(const Arguments& given, cell::Span span);
  Value wall_time();
  Value time(const Arguments& given, cell::Span span);
  Value leave(const Arguments& given, cell::Span span);
  Value print_to(std::string_view name, const Arguments& given, cell::Span span);
  Value print_line(const Arguments& given, cell::Span span);
  Value print_character(const Arguments& given);
  Value character(std::string_view name, const cell::Expression& given);  // isdigit, toupper
  Value print_text(const Arguments& given, cell::Span span);
  Value format_text(std::string_view name, const Arguments& given, cell::Span span);  // sprintf, snprintf
  Value rest_of(const Value& text, std::size_t at, cell::Span span);
  Value search_text(std::string_view name, const Arguments& given, cell::Span span);
  Value next_word(const Arguments& given, cell::Span span);
  Value number_of_text(std::string_view name, const Arguments& given, cell::Span span);  // strtol
  Value scan_text(const Arguments& given, cell::Span span);
  std::string scanned(const std::string& rest, const ScanPart& part, const cell::Expression* to, int& count,
                      cell::Span span);
  Value copy_text(std::string_view name, const Arguments& given, cell::Span span);  // strcpy, strcat, strncpy
  std::string text(const cell::Expression& expression);
  OutputStream stream_of(const cell::Expression& file);

  Value update(std::string_view name, const Arguments& given, cell::Span span);  // __sync_fetch_and_add
  Value exchange_if(std::string_view name, const Arguments& given, cell::Span span);

  void give_memory(const cell::Expression& pointer, Pointer memory, cell::Span span);
  Value device_address(const Arguments& given, cell::Span span);
  Value symbol_address(const Arguments& given, cell::Span span);
  Value symbol_size(const Arguments& given, cell::Span span);
  Value compare(const Arguments& given, cell::Span span);
  Value time_of_day(const Arguments& given, cell::Span span);
  Value time_of_clock(const Arguments& given, cell::Span span);
  void store_time(const cell::Expression& place, std::string_view type, std::pair<long, long> time, cell::Span span);
  Value launch_kernel(std::string_view name, const Arguments& given, cell::Span span);
  // A side of a copy: bytes on the device, or a variable that the host holds.
  using Side = std::variant<Pointer, Target, std::string>;  // a text with its end, which is only read
  Side side(const cell::Expression& expression);
  Side source_side(const cell::Expression& expression);
  std::uint64_t size_of(const Side& side);
  std::vector<std::byte> bytes_of(const Side& side, std::uint64_t count, cell::Span span);
  void write(const Side& to, std::span<const std::byte> bytes, cell::Span span);
  void require(const Side& side, std::uint64_t bytes, const cell::Expression& expression);
  // While it lives, work is in the order of the stream that is the last argument of a call.
  class InStream {
   public:
    InStream(RuntimeCalls& calls, const Arguments& given, std::size_t at);
    InStream(RuntimeCalls& calls, const language::Function& row, cell::Span span);
    ~InStream();
    InStream(const InStream&) = delete;
    InStream& operator=(const InStream&) = delete;

   private:
    RuntimeCalls& calls_;
  };
  std::uint64_t bytes_of_rows(const cell::Expression& pitch, std::uint64_t width, std::uint64_t rows, cell::Span span);
  // kind: of cudaMemcpy, which has to agree with the addresses.
  void copy_bytes(const cell::Expression& to, const cell::Expression& from, std::uint64_t bytes, cell::Span span,
                  std::optional<std::uint64_t> kind = {});
  std::optional<bool> is_on_device(const Side& side) const;
  void require_direction(std::uint64_t kind, const Side& to, const Side& from, const cell::Expression& target,
                         const cell::Expression& source, cell::Span span) const;
  void transfer(const Side& to, const Side& from, std::uint64_t bytes, cell::Span span);
  Pointer symbol(const cell::Expression& expression, const cell::Expression* offset);
  Value words_ = NullPointer{};  // where strtok(nullptr, ...) goes on
  int last_error_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> pool_;                    // attributes that the cell has set
  std::unordered_map<const cell::Expression*, cell::ExpressionPtr> called_;  // by streams; the trees outlive this
};

}  // namespace xcuda::interpreter
