// Tables of numbers as text (.csv, .tsv), as numpy.savetxt, spreadsheets and %save write them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/array_file.hpp"

namespace xcuda::files {

// Numbers between commas, semicolons or tabs, whichever the first line has, or else blanks. A line of names before the
// first numbers, empty lines and what follows a # are passed over. An empty field, NA, N/A and null are NaN.
//
// Elements are of the wanted type, or double, or complex<double> where the first line has complex numbers: (1-2j). The
// shape is rows × columns, and one extent where there is one row or one column and two were not asked for.
class TextTableReader final : public ArrayReader {
 public:
  struct Wanted {
    std::optional<Scalar> scalar;
    std::optional<std::size_t> extents;
  };
  // `file` outlives the reader. Errors: value for lines of different lengths, and, when it is read, for what is not a
  // number of the type.
  TextTableReader(std::span<const std::byte> file, std::string name, const Wanted& wanted);
  void read(std::span<std::byte> elements) override;

 private:
  [[noreturn]] void fail(const std::string& why, const std::string& advice) const;
  bool next_line();  // with its fields in fields_; not empty
  void split();
  bool is_header() const;
  void store(std::string_view field, std::byte* to) const;
  template <class Integer> Integer integer(std::string_view field) const;
  double real(std::string_view field) const;

  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0, first_ = 0;  // of the next line; of the first line of numbers
  std::uint64_t line_ = 0, first_line_ = 0;
  std::string_view current_;
  char line_end_ = '\n';   // '\r' where there is no other
  char delimiter_ = '\0';  // ' ': any number of blanks
  std::vector<std::string_view> fields_;
  std::size_t field_ = 0;  // the next one
};

}  // namespace xcuda::files
