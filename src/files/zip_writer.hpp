// Zip archives of stored members, as numpy.savez writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/output_file.hpp"

namespace xcuda::files {

class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file) : file_(file) {}
  void begin(const std::string& name, std::uint64_t bytes);  // the next member, whose bytes write() brings
  void write(std::span<const std::byte> bytes);
  void end();  // the directory, after the last member

 private:
  struct Member {
    std::string name;
    std::uint64_t bytes = 0, header = 0;  // header: where its own is
    std::uint32_t checksum = 0;
  };
  void close_member();
  void put(const std::string& text);

  OutputFile& file_;
  std::vector<Member> members_;
  std::uint64_t at_ = 0;  // bytes written
};

}  // namespace xcuda::files
