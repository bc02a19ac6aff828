// Requests and values as bytes. Numbers in the machine's order, as both ends are on one machine; texts and lists with
// their length. Reading is safe on any bytes: past the end, or at an impossible length, the reader fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/remote/fields.hpp"

namespace xcuda::device::remote {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Gives the bytes of values, one piece after the other, to append(data, size).
template <class Append> class Encoder {
 public:
  explicit Encoder(Append append) : append_(std::move(append)) {}

  template <Plain T> void put(const T& value) { append_(&value, sizeof value); }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    append_(text.data(), text.size());
  }
  template <class T> void put(const std::vector<T>& list) {
    put(static_cast<std::uint64_t>(list.size()));
    if constexpr (std::is_same_v<T, std::byte>) {
      append_(list.data(), list.size());
    } else {
      for (const auto& item : list) put(item);
    }
  }
  template <class T> void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T, std::size_t N> void put(const T (&list)[N]) {
    for (const auto& item : list) put(item);
  }
  template <class T>
  requires(std::is_class_v<T>) void put(const T& value) {
    std::apply([this](const auto&... fields) { (this->put(fields), ...); }, fields_of(value));
  }

 private:
  Append append_;
};

// Adds to bytes, which grow once for all of the values: a launch has thirty.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  template <class... Values> Writer& operator()(const Values&... values) {
    std::size_t at = bytes_.size(), size = at;
    Encoder count([&](const void*, std::size_t more) __attribute__((always_inline)) { size += more; });
    (count.put(values), ...);
    bytes_.resize(size);
    Encoder copy([&](const void* data, std::size_t more) __attribute__((always_inline)) {
      if (more != 0) std::memcpy(bytes_.data() + at, data, more);
      at += more;
    });
    (copy.put(values), ...);
    return *this;
  }

 private:
  std::vector<std::byte>& bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class... Values> Reader& operator()(Values&... values) {
    (get(values), ...);
    return *this;
  }
  bool ok() const { return ok_; }
  bool complete() const { return ok_ && rest_.empty(); }  // everything was read and nothing is left
  std::span<const std::byte> rest() const { return rest_; }

 private:
  bool take(void* to, std::size_t size) {
    if (!ok_ || size > rest_.size()) return ok_ = false;
    if (size != 0) std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return true;
  }
  // A count of items that are at least one byte each.
  std::size_t take_count() {
    std::uint64_t count = 0;
    get(count);
    if (count > rest_.size()) ok_ = false;
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }
  template <Plain T> void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      take(&byte, 1);
      value = byte != 0;
    } else {
      T read{};
      if (take(&read, sizeof read)) value = read;
    }
  }
  void get(std::string& text) {
    text.resize(take_count());
    take(text.data(), text.size());
  }
  template <class T> void get(std::vector<T>& list) {
    const auto count = take_count();
    if constexpr (std::is_same_v<T, std::byte>) {
      list.resize(count);
      take(list.data(), count);
    } else {
      list.clear();
      for (std::size_t i = 0; i < count && ok_; ++i) get(list.emplace_back());
    }
  }
  template <class T> void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there && ok_) {
      get(value.emplace());
    } else {
      value.reset();
    }
  }
  template <class T, std::size_t N> void get(T (&list)[N]) {
    for (auto& item : list) get(item);
  }
  template <class T>
  requires(std::is_class_v<T>) void get(T& value) {
    std::apply([this](auto&... fields) { (this->get(fields), ...); }, fields_of(value));
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

// Convenience for whole bodies.
template <class... Values> std::vector<std::byte> encode(const Values&... values) {
  std::vector<std::byte> bytes;
  Writer{bytes}(values...);
  return bytes;
}
// False when the bytes are not exactly these values.
template <class... Values> [[nodiscard]] bool decode(std::span<const std::byte> bytes, Values&... values) {
  Reader reader(bytes);
  reader(values...);
  return reader.complete();
}

}  // namespace xcuda::device::remote
