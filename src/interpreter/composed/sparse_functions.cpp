// csr, coo, dense, and files of sparse matrices.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "files/array_writer.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/composed/sparse_matrices.hpp"
#include "session/array_files.hpp"

namespace xcuda::interpreter {
namespace {

// In one row, as int or as numbers that a sparse matrix may have.
Pointer part_given(Composition& of, std::string_view parameter) {
  const auto x = of.given.view(parameter);
  if (x.shape.size() != 1)
    throw of.given.wrong(
        fmt::format("{}(): {} has {} dimensions, not one", of.call().row().name, of.text(parameter), x.shape.size()),
        parameter);
  if (parameter == "values")
    return of.contiguous(of.evaluate(of.nodes.cast(stored_type(of, x.type, parameter).name, of.nodes.node(x))));
  if (!x.type.is_integer() || x.type.lanes > 1)
    throw of.given.wrong_type(
        fmt::format("{}(): {} has elements of {}, not integers", of.call().row().name, of.text(parameter), x.type.name),
        parameter);
  return of.contiguous(of.evaluate(of.nodes.cast("int", of.nodes.node(x))));
}

std::uint64_t extent_given(Composition& of, std::string_view parameter, const Pointer& indices) {
  if (of.given.find(parameter) != nullptr)
    return of.given.extent(of.given.expression(parameter), parameter).as_unsigned();
  if (indices.shape[0] == 0) return 1;
  const auto most = of.reduced(of.nodes.node(indices), "Max");
  return most.is_negative() ? 1 : most.as_unsigned() + 1;
}

SparseMatrix parts_given(Composition& of, Format format) {
  SparseMatrix given{format, 0, 0, part_given(of, "values"), part_given(of, "columns"), part_given(of, "rows")};
  if (format == Format::csr) {
    if (given.rows.shape[0] < 2)
      throw of.given.wrong(
          fmt::format("csr(): {} has {} elements: a matrix of m rows has m + 1", of.text("rows"), given.rows.shape[0]),
          "rows");
    given.m = given.rows.shape[0] - 1;
  } else {
    given.m = extent_given(of, "m", given.rows);
  }
  given.n = extent_given(of, "n", given.columns);
  if (given.m == 0 || given.n == 0) throw of.given.wrong(fmt::format("{}(): an extent is 0", name_of(format)));
  return given;
}

ResultList csr(Composition& of) {
  if (of.given.find("values") != nullptr) return only(sparse_value(csr_of_parts(of, parts_given(of, Format::csr))));
  const auto value = of.value_given("a");
  if (const auto* matrix = sparse_in(value)) return only(sparse_value(as_csr(of, *matrix)));
  return only(sparse_value(sparse_of(of, of.view_of(value, of.given.expression("a")), "a")));
}

ResultList coo(Composition& of) {
  if (of.given.find("values") != nullptr) return only(sparse_value(coo_of_parts(of, parts_given(of, Format::coo))));
  const auto value = of.value_given("a");
  if (const auto* matrix = sparse_in(value)) return only(sparse_value(as_coo(of, *matrix)));
  return only(sparse_value(as_coo(of, sparse_of(of, of.view_of(value, of.given.expression("a")), "a"))));
}

ResultList dense(Composition& of) {
  const auto value = of.value_given("a");
  if (const auto* matrix = sparse_in(value)) return only(dense_of(of, *matrix));
  return only(of.view_of(value, of.given.expression("a")));
}

// --- files: the arrays that SciPy's save_npz writes ------------------------------------------------------------------

struct FileOfMatrix {
  Composition& of;
  std::string path;

  Error wrong(std::string message) const {
    return of.given.wrong(fmt::format("{} {}", shown_path(path), message), "file");
  }
  files::OpenArray open(const std::string& member) const {
    return session::open_array(of.session(), path, {.kind = files::FileKind::npz, .member = member});
  }
  Pointer array(const std::string& member) const {
    const auto file = open(member);
    if (file.facts.shape.size() != 1)
      throw wrong(fmt::format("was not written by SciPy's save_npz: its {} is not a row", member));
    auto result = of.make(file.facts.type, file.facts.shape);
    if (file.facts.bytes() > 0) session::write(of.session(), result.address, file);
    return result;
  }
  Pointer indices(const std::string& member) const {
    return of.evaluate(of.nodes.cast("int", of.nodes.node(array(member))));
  }
  template <class T> std::vector<T> numbers(const Pointer& x) const {
    std::vector<T> list(x.shape[0]);
    of.session().operations().workspace().read(x.address, std::as_writable_bytes(std::span(list)));
    return list;
  }
};

ResultList load_npz(Composition& of) {
  const FileOfMatrix file{of, of.given.text("file", "")};
  const auto word = file.numbers<char>(file.array("format"));
  const std::string format(word.begin(), word.end());
  const auto extents =
      file.numbers<std::int64_t>(of.evaluate(of.nodes.cast("long", of.nodes.node(file.array("shape")))));
  if (extents.size() != 2 || extents[0] <= 0 || extents[1] <= 0) throw file.wrong("does not hold a matrix");
  const auto m = static_cast<std::uint64_t>(extents[0]), n = static_cast<std::uint64_t>(extents[1]);
  auto values = file.array("data");
  const auto type = values.type.is_integer() ? type_of(Scalar::float64) : values.type;
  if (values.type.scalar == Scalar::float16)
    throw of.given.wrong_type(
        fmt::format("{} holds half, but sparse matrices need elements of at least 32 bits", shown_path(file.path)),
        "file");
  values = of.evaluate(of.nodes.cast(type.name, of.nodes.node(values)));
  if (format == "coo")
    return only(sparse_value(
        coo_of_parts(of, {Format::coo, m, n, std::move(values), file.indices("col"), file.indices("row")})));
  if (format != "csr" && format != "csc")
    throw file.wrong(fmt::format("holds a matrix of the format {}", format)).advise("Save it as csr, csc or coo.");
  SparseMatrix matrix{Format::csr, m, n, std::move(values), file.indices("indices"), file.indices("indptr")};
  const bool by_columns = format == "csc";
  if (by_columns) std::swap(matrix.m, matrix.n);
  if (matrix.rows.shape[0] != matrix.m + 1 || matrix.columns.shape != matrix.values.shape)
    throw file.wrong("is not whole: its arrays do not fit its shape");
  matrix = csr_of_parts(of, matrix);
  return only(sparse_value(by_columns ? transposed(of, matrix) : std::move(matrix)));
}

ResultList save_npz(Composition& of) {
  const auto path = of.given.text("file", "");
  const auto value = of.value_given("a");
  const auto* matrix = sparse_in(value);
  if (matrix == nullptr)
    throw of.given.wrong_type(fmt::format("save_npz() takes a sparse matrix, but {} is not one", of.text("a")), "a")
        .advise(
            fmt::format("Write save_npz(\"{}\", csr({})), or %save x file.npy for all elements.", path, of.text("a")));
  if (files::file_kind(path) != files::FileKind::npz)
    throw of.given.wrong(fmt::format("save_npz() writes .npz files, not {}", shown_path(path)), "file");
  const bool csr = matrix->format == Format::csr;
  const std::string_view word = name_of(matrix->format);
  const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(matrix->m), static_cast<std::int64_t>(matrix->n)};
  // NumPy's type of three bytes.
  files::ArrayWriter writer(path, {Type{"a format", word.size(), 1}, {}, "format"});
  writer.write(std::as_bytes(std::span(word)));
  writer.next({type_of(Scalar::int64), {2}, "shape"});
  writer.write(std::as_bytes(std::span(shape)));
  const auto write = [&](const Pointer& part, const char* name) {
    writer.next({part.type, part.shape, name});
    if (part.shape[0] == 0) return;
    of.session().submission().read({part.address, part.shape[0] * part.type.size},
                                   [&](std::span<const std::byte> piece) { writer.write(piece); });
  };
  of.session().submission().synchronize();
  write(matrix->values, "data");
  write(matrix->columns, csr ? "indices" : "col");
  write(matrix->rows, csr ? "indptr" : "row");
  writer.commit();
  return only(session::Nothing{});
}

constexpr ComposedFunction kSparseFunctions[] = {
    {Operation::csr, csr},           {Operation::coo, coo},           {Operation::dense, dense},
    {Operation::load_npz, load_npz}, {Operation::save_npz, save_npz},
};

}  // namespace

std::span<const ComposedFunction> composed_sparse() { return kSparseFunctions; }

}  // namespace xcuda::interpreter
