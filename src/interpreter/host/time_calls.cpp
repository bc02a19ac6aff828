// The C library's clocks.
#include <fmt/format.h>
#include <sys/time.h>

#include <chrono>
#include <cstring>
#include <ctime>

#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {

// The time since the session's first clock(): what a program computes is spread over processes here, and it waits for
// what a program would do itself.
Value RuntimeCalls::clock(const Arguments&, cell::Span) {
  frame_.native_code.wait();
  static const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
  return language::ScalarValue::of(static_cast<long>(since.count() * CLOCKS_PER_SEC));
}

Value RuntimeCalls::wall_time() {
  frame_.native_code.wait();
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return language::ScalarValue::of(std::chrono::duration<double>(now).count());
}

Value RuntimeCalls::time(const Arguments& given, cell::Span span) {
  frame_.native_code.wait();
  const auto now = language::ScalarValue::of(static_cast<long>(std::time(nullptr)));
  const auto value = std::holds_alternative<cell::Unary>(given[0]->node) ? Value(Nothing{}) : evaluate(*given[0]);
  const auto* zero = std::get_if<language::ScalarValue>(&value);
  if (!std::holds_alternative<NullPointer>(value) && (zero == nullptr || zero->truth()))
    frame_.targets.store(frame_.targets.of(output(*given[0])), now, span);
  return now;
}

// A struct that <sys/time.h> or <time.h> declares, of two long.
void RuntimeCalls::store_time(const cell::Expression& place, std::string_view type, std::pair<long, long> time,
                              cell::Span span) {
  const auto target = frame_.targets.of(output(place));
  const auto wanted = frame_.targets.type_of(target);
  if (wanted.name != type || wanted.size != sizeof time)
    throw error(ErrorKind::type,
                fmt::format("expected the address of a {}, got {}", type, snippet(run_.source, place.span)), place.span)
        .advise(fmt::format("Declare it: {} t;", type));
  Object object{wanted, std::vector<std::byte>(sizeof time)};
  const long parts[2] = {time.first, time.second};
  std::memcpy(object.bytes.data(), parts, sizeof parts);
  frame_.targets.store(target, object, span);
}

Value RuntimeCalls::time_of_day(const Arguments& given, cell::Span span) {
  frame_.native_code.wait();
  timeval now{};
  const int status = gettimeofday(&now, nullptr);
  store_time(*given[0], "timeval", {now.tv_sec, now.tv_usec}, span);
  return language::ScalarValue::of(status);
}

Value RuntimeCalls::time_of_clock(const Arguments& given, cell::Span span) {
  frame_.native_code.wait();
  timespec now{};
  const int status = clock_gettime(static_cast<clockid_t>(number(*given[0], "the clock").as_signed()), &now);
  if (status == 0) store_time(*given[1], "timespec", {now.tv_sec, now.tv_nsec}, span);
  return language::ScalarValue::of(status);
}

}  // namespace xcuda::interpreter
