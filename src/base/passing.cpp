#include "base/passing.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

namespace xcuda {

bool passes(int number) {
  if (number == EINTR) return true;
  if (number != ENOMEM && number != ENOBUFS && number != EAGAIN) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return true;
}

int poll_once(std::span<pollfd> items, int timeout) {
  const int ready = poll(items.data(), items.size(), timeout);
  if (ready >= 0 || !passes(errno)) return ready;
  for (auto& item : items) item.revents = 0;
  return 0;
}

}  // namespace xcuda
