#include "files/npy_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/units.hpp"
#include "files/npy.hpp"

namespace xcuda::files {
namespace {

void swap_bytes(std::span<std::byte> data, std::size_t unit) {
  if (unit < 2) return;
  for (std::size_t i = 0; i + unit <= data.size(); i += unit)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i), data.begin() + static_cast<std::ptrdiff_t>(i + unit));
}

}  // namespace

NpyReader::NpyReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  const auto header = read_npy_header(*source_);
  facts_ = {header.type, header.shape};
  left_ = facts_.bytes();
  if (const auto there = source_->size() - std::min(source_->size(), header.data_offset); there < facts_.bytes())
    throw Error(ErrorKind::value, fmt::format("cannot load {}: it is truncated: its header promises {}, it has {}",
                                              source_->name(), format_bytes(facts_.bytes()), format_bytes(there)))
        .advise("Copy or create it again.");
  const bool complex = header.type.scalar == Scalar::complex64 || header.type.scalar == Scalar::complex128;
  if (header.swapped) swapped_unit_ = complex ? header.type.size / 2 : header.type.size;
  if (!header.fortran_order || header.shape.size() < 2) return;
  by_columns_ = source_->whole().subspan(header.data_offset);
  index_.resize(header.shape.size());
  strides_.assign(header.shape.size(), header.type.size);
  for (std::size_t d = 1; d < strides_.size(); ++d) strides_[d] = strides_[d - 1] * header.shape[d - 1];
}

void NpyReader::read(std::span<std::byte> elements) {
  if (!index_.empty())
    gather(elements);
  else if (source_->read(elements) < elements.size())
    throw Error(ErrorKind::io, fmt::format("{} became shorter while it was read", source_->name()));
  swap_bytes(elements, swapped_unit_);
  left_ -= elements.size();
  if (left_ == 0) source_->finish();
}

// Column-major to row-major: a walk through the file with the last index fastest.
void NpyReader::gather(std::span<std::byte> elements) {
  const auto& shape = facts_.shape;
  const auto size = facts_.type.size;
  for (std::size_t to = 0; to + size <= elements.size(); to += size) {
    std::memcpy(elements.data() + to, by_columns_.data() + from_, size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from_ += strides_[d];
      if (++index_[d] < shape[d]) break;
      from_ -= strides_[d] * shape[d];
      index_[d] = 0;
    }
  }
}

}  // namespace xcuda::files
