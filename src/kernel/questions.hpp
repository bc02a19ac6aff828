// The requests that ask and change nothing: complete, inspect, is_complete, history. From content to content.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "kernel/engine.hpp"
#include "kernel/input_history.hpp"

namespace xcuda::kernel {

// Thread-safe if the Knowledge is.
class Questions {
 public:
  explicit Questions(History history) : history_(std::move(history)) {}

  static bool knows(std::string_view type);
  // Answers a request of a type that it knows. Errors: value (a field of the content), and what the Knowledge throws.
  Json answer(std::string_view type, const Json& content, Knowledge& knowledge);
  void remember(int execution_count, std::string_view code);  // for history_request

 private:
  Json history(const Json& content);

  std::mutex mutex_;
  History history_;
};

}  // namespace xcuda::kernel
