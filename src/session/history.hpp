// What ran in a session.
#pragma once

#include <cstdint>
#include <string>

namespace xcuda::session {

struct HistoryEntry {
  std::string name, code, cell_id;
  // undone: by a %reset
  enum class Outcome : std::uint8_t { running, ran, failed, undone } outcome = Outcome::running;
};

}  // namespace xcuda::session
