// Collects what can be typed at the cursor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "editor/completion.hpp"

namespace xcuda::editor {

// Collects what begins with a word, each text once, in the order of adding; the nearest are added first.
class Candidates {
 public:
  Candidates(std::string_view word, const Interrupt* interrupt) : word_(word), interrupt_(interrupt) {}

  // Adds a text. It checks for an interrupt, as all long searches call it: a folder of a million files, many words.
  void add(std::string text, std::string_view type, std::string signature = {}, std::string_view help = {}) {
    if (interrupt_ != nullptr) interrupt_->check();
    if (!text.starts_with(word_) || !seen_.insert(text).second) return;
    matches_.push_back({std::move(text), std::string(type), std::move(signature), std::string(help)});
  }
  // Sorts the matches since `from` by name; names with underscores in front come last.
  void sort_since(std::size_t from) {
    std::stable_sort(matches_.begin() + static_cast<std::ptrdiff_t>(from), matches_.end(),
                     [](const Match& a, const Match& b) {
                       const bool hidden_a = a.text.starts_with('_'), hidden_b = b.text.starts_with('_');
                       return hidden_a != hidden_b ? hidden_b : a.text < b.text;
                     });
  }
  std::size_t size() const { return matches_.size(); }
  std::string_view word() const { return word_; }
  const Interrupt* interrupt() const { return interrupt_; }
  std::vector<Match> take() { return std::move(matches_); }

 private:
  std::string word_;
  const Interrupt* interrupt_;
  std::set<std::string> seen_;
  std::vector<Match> matches_;
};

}  // namespace xcuda::editor
