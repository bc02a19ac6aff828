// The state of rand() as a variable that native code changes.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "interpreter/host/c_random.hpp"
#include "session/names.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

// Lends the state under the name CRandom::kName, in a block of names of its own, until this ends.
class LentRandom {
 public:
  static bool is_used_by(std::string_view text) { return text.find("rand") != std::string_view::npos; }

  explicit LentRandom(session::NameTable& names) : names_(names) {
    names_.enter();
    const auto bytes = std::as_bytes(std::span(c_random().state()));
    const session::Object state{{std::string(CRandom::kType), bytes.size(), alignof(std::uint32_t)},
                                {bytes.begin(), bytes.end()}};
    numbers_ = &names_.declare(std::string(CRandom::kName), {state, false, {}});
  }
  ~LentRandom() { names_.leave(); }
  LentRandom(const LentRandom&) = delete;
  LentRandom& operator=(const LentRandom&) = delete;

  // Takes the state back: rand() goes on from the last number.
  void take_back() {
    auto& state = c_random().state();
    std::memcpy(state.data(), std::get<session::Object>(numbers_->value).bytes.data(), sizeof state);
  }

 private:
  session::NameTable& names_;
  const session::Variable* numbers_ = nullptr;
};

}  // namespace xcuda::interpreter
