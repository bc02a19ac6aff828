// Bytes that a decoder takes in order: a file, or a member of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/input_file.hpp"
#include "base/shared_memory.hpp"

namespace xcuda::files {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  const std::string& name() const { return name_; }  // as errors show it
  std::uint64_t size() const { return size_; }       // bytes, as they are read

  // Fills `bytes` from where the last read ended; fewer only at the end.
  virtual std::size_t read(std::span<std::byte> bytes) = 0;
  // All bytes, valid as long as the source lives. Error(memory) where they must be unpacked and are too many for that.
  virtual std::span<const std::byte> whole() = 0;
  virtual void finish() {}  // nothing else is read: looks at the rest, where a checksum needs it

 protected:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

 private:
  std::string name_;
  std::uint64_t size_ = 0;
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(InputFile file) : ByteSource(shown_path(file.path()), file.size()), file_(std::move(file)) {}
  std::size_t read(std::span<std::byte> bytes) override { return file_.read(bytes); }
  std::span<const std::byte> whole() override {
    mapping_ = FileMapping(file_.descriptor(), file_.size());
    return mapping_.bytes();
  }

 private:
  InputFile file_;
  FileMapping mapping_;
};

// Error(memory) if `bytes` are more than what may be unpacked at once: half of what is available.
void expect_room(const std::string& name, std::uint64_t bytes, const std::string& why, const std::string& advice);

}  // namespace xcuda::files
