// The cells that ran in a session.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace xcuda::session {

struct HistoryEntry {
  std::string name, code, cell_id;
  // undone: by a %reset
  enum class Outcome : std::uint8_t { running, ran, failed, undone } outcome = Outcome::running;
  std::chrono::nanoseconds took{0};  // from its beginning until the device was idle; 0 while it runs
};

}  // namespace xcuda::session
