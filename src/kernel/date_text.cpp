#include "kernel/date_text.hpp"

#include <array>
#include <cstddef>
#include <ctime>
#include <utility>

namespace xcuda::kernel {

// xeus::iso8601_now makes a stream and its locale for each message, which takes 3 us. One loop
// for all digits: fmt unrolls them to more code than the processor's first cache keeps from one cell to the next.
std::string date_text() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm date{};
  gmtime_r(&now.tv_sec, &date);
  std::string text = "0000-00-00T00:00:00.000000Z";
  const std::array<std::pair<std::size_t, long>, 7> fields{
      {{3, date.tm_year + 1900},
       {6, date.tm_mon + 1},
       {9, date.tm_mday},
       {12, date.tm_hour},
       {15, date.tm_min},
       {18, date.tm_sec},
       {25, now.tv_nsec / 1000}}};  // where each ends, and its value
  for (auto [at, value] : fields)
    for (; value > 0; value /= 10) text[at--] = static_cast<char>('0' + value % 10);
  return text;
}

}  // namespace xcuda::kernel
