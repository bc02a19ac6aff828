// Handle<Traits> owns one raw handle; everything else follows the rule of zero.
#pragma once

#include <utility>

namespace xcuda {

// Traits: `using type = ...; static constexpr type kEmpty = ...; static void close(type) noexcept;`
template <class Traits> class Handle {
 public:
  using type = typename Traits::type;

  Handle() = default;
  explicit Handle(type raw) : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  type get() const { return raw_; }
  explicit operator bool() const { return raw_ != Traits::kEmpty; }
  type release() { return std::exchange(raw_, Traits::kEmpty); }
  void reset(type raw = Traits::kEmpty) {
    if (raw_ != Traits::kEmpty) Traits::close(raw_);
    raw_ = raw;
  }

 private:
  type raw_ = Traits::kEmpty;
};

struct FileTraits {
  using type = int;
  static constexpr int kEmpty = -1;
  static void close(int fd) noexcept;
};
// A file descriptor; always opened CLOEXEC.
using File = Handle<FileTraits>;

File duplicate(const File& file);  // CLOEXEC; none for none. Error(io)

}  // namespace xcuda
