// Errors in the use of sparse matrices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cell/snippet.hpp"
#include "language/array_members.hpp"
#include "language/complaints.hpp"

namespace xcuda::language {

using cell::Source;
using cell::Span;

Error sparse_matrix_given(const Source& source, std::string_view function, Span argument) {
  const auto text = cell::snippet(source.text, argument);
  return complaint(source, ErrorKind::type,
                   fmt::format("{}() expects an array, but {} is a sparse matrix", function, text), argument)
      .advise(fmt::format("{0}.values has the elements that are stored; dense({0}) has all of them.", text));
}

Error unknown_sparse_member(const Source& source, const cell::Member& member, Span span) {
  return complaint(source, ErrorKind::name, fmt::format("a sparse matrix has no member {}", member.member), span)
      .advise(fmt::format("Its members are {}.", fmt::join(kSparseMembers, ", ")));
}

}  // namespace xcuda::language
