// Lines in the style of Python, as a cell has them.
#include "language/python/python_text.hpp"

#include <gtest/gtest.h>

#include <set>

#include "language/python/python_words.hpp"

namespace xcuda::language {
namespace {

// a and b are rows, m and q matrices.
PythonNames names() {
  static const std::set<std::string> kKnown = {"a", "b", "m", "q", "n", "i"};
  return {[](const std::string& name) { return kKnown.contains(name); },
          [](const std::string& text) -> std::optional<std::size_t> {
            if (text == "a" || text == "b") return 1;
            if (text == "m" || text == "q" || text == "m.T") return 2;
            return text == "n" ? std::optional<std::size_t>(0) : std::nullopt;
          },
          [](const std::string& text) { return text == "n" ? std::optional(Kind::int32) : std::nullopt; },
          {},
          [](const std::string& text) -> std::optional<Extents> {
            if (text == "a" || text == "b") return Extents{6};
            if (text == "zeros(4)") return Extents{4};
            return text == "m" ? std::optional(Extents{3, 4}) : std::nullopt;
          }};
}

std::string here(std::string_view line) { return PythonLines(names()).translated(line).value_or("(none)"); }

TEST(PythonLines, SeveralStatements) {
  EXPECT_EQ(here("auto c = np.sin(a); c"), "auto c = sin(a); c");
  EXPECT_EQ(here("a += 1; a **= 2; a"), "a += 1; a = pow(a, 2); a");
  EXPECT_EQ(here("c = np.sum(a); np.max(b)"), "auto c = sum(a); max(b)");
  EXPECT_EQ(here("np.sum(a); b"), "sum(a); b");
  EXPECT_EQ(here("a += 1; b += 2;"), "(none)");
  EXPECT_EQ(here("for (int i = 0; i < n; ++i) a[i] = 1; a"), "(none)");
  EXPECT_EQ(here("printf(\"x; y\"); np.sum(a)"), "printf(\"x; y\"); sum(a)");
  EXPECT_EQ(here("np.sum(a);  // of all; not of some"), "sum(a);");
}

TEST(PythonLines, OfCalls) {
  EXPECT_EQ(here("np.dot(a, b)"), "dot(a, b)");
  EXPECT_EQ(here("np.dot(m, q)"), "matmul(m, q)");
  EXPECT_EQ(here("m @ q + 1"), "matmul(m, q) + 1");
  EXPECT_EQ(here("np.linalg.norm(a)"), "norm(a)");
  EXPECT_EQ(here("np.max(m, axis=0, keepdims=True)"), "max(m, keep = true, axis = 0)");
  EXPECT_EQ(here("np.sum(m, axis=(0, 1))"), "sum(m)");
  EXPECT_EQ(here("m.reshape((4, 3))"), "m.reshape({4, 3})");
  EXPECT_EQ(here("m.astype(np.float32) / 2"), "(float)m / 2");
  EXPECT_EQ(here("np.zeros((2, 3), dtype=np.float32)"), "zeros<float>({2, 3})");
  EXPECT_EQ(here("np.add(a, b) * 2"), "(a + b) * 2");
  EXPECT_EQ(here("np.square(a + 1)"), "(a + 1) * (a + 1)");
  EXPECT_EQ(here("np.histogram(a, 3)[0]"), "histogram(a, 3)");
  EXPECT_EQ(here("np.histogram(a, 3)[1]"), "auto [first, second] = histogram(a, 3); second");
  EXPECT_EQ(here("np.histogram(a, 3)[2]"), "(none)");
  EXPECT_EQ(here("np.gradient(m)[1]"), "auto [first, second] = gradient(m); second");
  EXPECT_EQ(here("np.gradient(a)[1]"), "gradient(a)[1]");
  EXPECT_EQ(here("np.gradient(m, axis=1)[1]"), "gradient(m, axis = 1)[1]");
  EXPECT_EQ(here("np.sort(a)[::-1][:2]"), "sort(a)[::-1][:2]");
  EXPECT_EQ(here("np.linalg.svd(m, compute_uv=False)"), "auto [first, second] = svd(m); second");
  EXPECT_EQ(here("np.linspace(0, 1, 5, endpoint=False)"), "linspace(0, 1, 6)[:-1]");
  EXPECT_EQ(here("np.linalg.norm(a, 1)"), "norm(a, 1)");
  EXPECT_EQ(here("np.linalg.norm(m, np.inf, axis=0)"), "norm(m, INFINITY, axis = 0)");
  EXPECT_EQ(here("np.clip(a, None, 3)"), "min(a, 3)");
  EXPECT_EQ(here("np.pad(a, (1, 2), 'edge')"), "pad(a, {1, 2}, mode = \"edge\")");
  EXPECT_EQ(here("np.sum(m, axis=(0, 1))"), "sum(m)");
  EXPECT_EQ(here("np.digitize(a, [1, 3])"), "int values[2] = {1, 3}; digitize(a, values)");
  EXPECT_EQ(here("np.iinfo(np.int32).max"), "INT_MAX");
  EXPECT_EQ(here("np.c_[a, b]"), "stack({a, b}, axis = 1)");
  EXPECT_EQ(here("np.fft.fft(a).real"), "real(fft(a))");
  EXPECT_EQ(here("len(a)"), "size(a)");
  EXPECT_EQ(here("np.logaddexp(a, b) * 2"), "(max(a, b) + log1p(exp(-abs(a - b)))) * 2");
  EXPECT_EQ(here("np.floor_divide(a + 1, b + 1)"), "floor((double)(a + 1) / (b + 1))");
  EXPECT_EQ(here("concatenate(a, b)"), "concatenate({a, b})");
  EXPECT_EQ(here("torch.cat([a, b], dim=0)"), "concatenate({a, b}, axis = 0)");
}

TEST(PythonLines, OfSeveralResults) {
  EXPECT_EQ(here("np.divmod(a, 2)[1]"), "a - 2 * floor((double)a / 2)");
  EXPECT_EQ(here("u, v = np.modf(a)"), "auto u = a - trunc(a); auto v = trunc(a);");
  EXPECT_EQ(here("u, n = np.modf(a)"), "(none)");  // n has a type
  EXPECT_EQ(here("np.modf(a)"), "auto first = a - trunc(a); auto second = trunc(a);");
  EXPECT_EQ(here("r, c = np.unravel_index(np.argmax(m), m.shape)"),
            "auto r = argmax(m) / m.shape[1]; auto c = argmax(m) % m.shape[1];");
  EXPECT_EQ(here("np.unravel_index(n + 1, (2, 3, 4))[1]"), "(n + 1) / 4 % 3");
  EXPECT_EQ(here("np.unravel_index(n, (2, 3, 4))[0]"), "n / (3 * 4)");
  EXPECT_EQ(here("np.unravel_index(n, unknown)"), "(none)");
  EXPECT_EQ(here("np.ravel_multi_index((i, n), m.shape)"), "i * m.shape[1] + n");
  EXPECT_EQ(here("np.cov(a, b)"),
            "auto rows = vstack({a, b}); auto parts = rows - mean(rows, axis = 1, keep = true); matmul(parts, parts.T) "
            "/ (parts.shape[1] - 1)");
  EXPECT_EQ(here("np.histogram(a, 3, density=True)[0]"),
            "auto [counts, edges] = histogram(a, 3); counts / (sum(counts) * diff(edges))");
  EXPECT_EQ(here("edges = np.histogram_bin_edges(a, 3)"),
            "auto [first, second] = histogram(a, 3); auto edges = second;");
  EXPECT_EQ(here("np.mgrid[0:3, 0:1:5j]"),
            "auto [columns, rows] = meshgrid(linspace(0, 1, 5), arange(0, 3)); stack({rows, columns})");
  EXPECT_EQ(here("np.mgrid[0:3, 0:4, 0:5]"), "(none)");
  EXPECT_EQ(here("rows, columns = np.mgrid[0:3, 0:4]"),
            "auto [columns2, rows2] = meshgrid(arange(0, 4), arange(0, 3)); auto rows = rows2; auto columns = "
            "columns2;");
  EXPECT_EQ(here("np.ogrid[0:3, 0:4][1]"), "arange(0, 4)[newaxis, :]");
  EXPECT_EQ(here("m[np.where(m > 5)]"), "m[(m > 5) != 0]");  // which elements are bool is not known here
  EXPECT_EQ(here("m[np.ix_([0, 2], [1])]"),
            "int values[2] = {0, 2}; int values2[1] = {1}; m[values[:, newaxis], values2]");
  EXPECT_EQ(here("q[np.triu_indices(4, 1)] = 0"), "q[(triu(ones<bool>(4, 4), 1)) != 0] = 0;");
  EXPECT_EQ(here("np.polyval([2, -1, 3], a + 1)"), "(2 * (a + 1) + -1) * (a + 1) + 3");
  EXPECT_EQ(here("np.block([[m, q], [q, m]])"), "vstack({hstack({m, q}), hstack({q, m})})");
  EXPECT_EQ(here("np.linalg.multi_dot([m, q, m])"), "matmul(matmul(m, q), m)");
  EXPECT_EQ(here("np.fill_diagonal(m, 0)"), "(none)");  // 0 may be an array for all that is known here
  EXPECT_EQ(here("ax.plot(a)"), "%plot a");
}

TEST(PythonLines, OfPieces) {
  EXPECT_EQ(here("np.array_split(a, 4)[1]"), "a[2:4]");
  EXPECT_EQ(here("np.array_split(m, 3, axis=1)[0]"), "m[:, :2]");
  EXPECT_EQ(here("np.array_split(a, 4)"), "auto [part1, part2, part3, part4] = split(a, {2, 4, 5});");
  EXPECT_EQ(here("p, c = np.array_split(a, 2)"), "auto [p, c] = split(a, {3});");
  EXPECT_EQ(here("p = np.split(a, [2, 4])"), "auto [p1, p2, p3] = split(a, {2, 4});");
  EXPECT_EQ(here("np.array_split(q, 3)"), "(none)");  // how many rows it has is not known here
  EXPECT_EQ(here("np.hsplit(m, [1, 3])[1]"), "m[:, 1:3]");
  EXPECT_EQ(here("np.resize(a, (2, 4))"), "reshape(a[arange<int>(2 * 4) % a.size], 2, 4)");
  EXPECT_EQ(here("np.resize(m, 5)"), "flatten(m)[arange<int>(5) % m.size]");
  EXPECT_EQ(here("a.resize(10)"), "auto resized = pad(a, {0, 10})[:10];");
  EXPECT_EQ(here("a.argsort(descending=True)"), "flip(a.argsort(), axis = -1)");
  EXPECT_EQ(here("a.argsort(descending=flag)"), "(none)");
  EXPECT_EQ(here("a.argsort(descending=False)"), "a.argsort()");
  EXPECT_EQ(here("argsort(m, axis = 0, reverse = true)"), "flip(argsort(m, axis = 0), axis = 0)");
  EXPECT_EQ(here("sort(a, reverse = true)"), "flip(sort(a), axis = -1)");
  EXPECT_EQ(here("a.cumsum(out = b)"), "b = a.cumsum();");
  EXPECT_EQ(here("np.pad(a, (1, 2), constant_values=(4, 6))"), "pad(pad(a, {1, 0}, value = 4), {0, 2}, value = 6)");
  EXPECT_EQ(here("np.pad(m, pad_width=1)"), "pad(m, 1)");
  EXPECT_EQ(here("np.broadcast_arrays(b, np.ones(n))[0]"), "(none)");
  EXPECT_EQ(here("np.broadcast_arrays(a, b)[1]"), "broadcast_to(b, 6)");
}

TEST(PythonLines, OfRandomNumbers) {
  EXPECT_EQ(here("c = np.random.rand(3, 4)  # comment"), "double c[3][4] = uniform(0, 1);");
  EXPECT_EQ(here("np.random.normal(0, 1, (2, 3))"), "double values[2][3] = normal(0, 1); values");
  EXPECT_EQ(here("rng.normal(size=5)"), "double values[5] = normal(0, 1); values");
  EXPECT_EQ(here("rng.normal(scale=2, loc=n, size=5)"), "double values[5] = normal(n, 2); values");
  EXPECT_EQ(here("rng.normal(a, 1, 6)"), "(none)");
  EXPECT_EQ(here("rng.integers(10, size=(2, 3))"), "int values[2][3] = randint(0, 10); values");
  EXPECT_EQ(here("c = rng.integers(1, 6, 5, endpoint=True)"), "int c[5] = randint(1, 6 + 1);");
  EXPECT_EQ(here("c = rng.integers(0, 9, 5, dtype=np.uint8)"), "unsigned char c[5] = randint(0, 9);");
  EXPECT_EQ(here("c = rng.random()"), "double values[1] = uniform(0, 1); auto c = values[0];");
  EXPECT_EQ(here("a + rng.standard_normal(a.shape)"), "double values[a.shape[0]] = normal(0, 1); a + values");
  EXPECT_EQ(here("np.random.randn(*m.shape)"), "double values[m.shape[0]][m.shape[1]] = normal(0, 1); values");
  EXPECT_EQ(here("np.random.default_rng(42).uniform(-1, 1, 3)"),
            "double values[3] = uniform(-1, 1, seed = 42); values");
  EXPECT_EQ(here("np.random.choice([1, 2], 4, replace=True)"),
            "int values[2] = {1, 2}; choice(values, 4, replace = true)");
  EXPECT_EQ(here("rng.choice(a)"), "choice(a, size = 1)[0]");
  EXPECT_EQ(here("rng.shuffle(a)"), "a = permutation(a);");
  EXPECT_EQ(here("torch.randint(0, 10, (3,))"), "int values[3] = randint(0, 10); values");
  EXPECT_EQ(here("randn(3)"), "double values[3] = normal(0, 1); values");
  EXPECT_EQ(here("rng.gamma(2, 1, 5)"), "(none)");
  PythonLines seeded(names());
  EXPECT_EQ(seeded.translated("rng = np.random.default_rng(7)"), "");
  EXPECT_EQ(seeded.translated("c = rng.random(3)"), "double c[3] = uniform(0, 1, seed = 7);");
  EXPECT_EQ(seeded.translated("d = np.random.permutation(4)"), "auto d = permutation(4, seed = 8);");
}

TEST(PythonLines, OfNamesThatAreGivenAnotherForm) {
  EXPECT_EQ(here("a = np.zeros(4)"), "auto a = zeros(4);");
  EXPECT_EQ(here("a = np.arange(6)"), "auto a = arange(6);");  // a = arange(6) begins at 6
  EXPECT_EQ(here("a = [1, 2]"), "int a[2] = {1, 2};");
  EXPECT_EQ(here("m[0] = [1, 2]"), "m[0] = {1, 2};");
}

TEST(PythonLines, OfAxesAndPlaces) {
  EXPECT_EQ(here("m.sum((0, 1))"), "m.sum()");
  EXPECT_EQ(here("np.max(m, (1,))"), "max(m, axis = 1)");
  EXPECT_EQ(here("np.linalg.norm(m, 1)"), "norm(m, 1)");
  EXPECT_EQ(here("np.linalg.norm(m, ord=np.inf)"), "norm(m, ord = INFINITY)");
  EXPECT_EQ(here("np.delete(a, [0, 2, 3])"), "concatenate({a[1:2], a[4:]})");
  EXPECT_EQ(here("np.delete(a, [2, 0])"), "(none)");
  EXPECT_EQ(here("np.concatenate((a, [1, 2]))"), "int values[2] = {1, 2}; concatenate({a, values})");
  EXPECT_EQ(here("1_000 * a"), "1000 * a");
  EXPECT_EQ(here("assert (a == b).all()"), "assert((a == b).all());");
  EXPECT_EQ(here("d = pd.read_csv('x.csv', sep=';')"), "auto d = load(\"x.csv\");");
  EXPECT_EQ(here("np.loadtxt('x.txt', skiprows=2)"), "(none)");
  EXPECT_EQ(here("a.detach() + b"), "a + b");
}

TEST(PythonLines, OfWhatListsHold) {
  EXPECT_EQ(here("c = np.array([1, np.nan])"), "double c[2] = {1, NAN};");
  EXPECT_EQ(here("c = np.array([n, n])"), "int c[2] = {n, n};");
  EXPECT_EQ(here("m[[0, 1]] = m[[1, 0]]"), "int values[2] = {1, 0}; int values2[2] = {0, 1}; m[values2] = m[values];");
  EXPECT_EQ(here("a, b = b, a"), "swap(a, b);");
  EXPECT_EQ(here("a, b = 1, 2"), "auto a = 1; auto b = 2;");
  EXPECT_EQ(here("a, b = b, a + b"), "(none)");
  EXPECT_EQ(here("a.nbytes"), "sizeof(a)");
  EXPECT_EQ(here("b[np.argsort(a)[-n:]]"), "b[argsort(a)[argsort(a).shape[0] - n:]]");
  EXPECT_EQ(here("np.abs(m[:, :-n])"), "abs(m[:, :m.shape[1] - n])");
  EXPECT_EQ(here("np.abs(a[-2:])"), "abs(a[-2:])");
  EXPECT_EQ(here("np.lib.stride_tricks.sliding_window_view(a, 3)"),
            "a[arange<int>(a.size - 3 + 1)[:, newaxis] + arange<int>(3)]");
}

TEST(PythonLines, OfBlocks) {
  PythonLines lines(names());
  const auto header = [&](std::string_view line) {
    const auto one = lines.header(line);
    return one ? one->text + (one->rest.empty() ? "" : "|" + std::string(one->rest)) : std::string("(none)");
  };
  EXPECT_EQ(header("for j in range(n):  # each"), "for (int j = 0; j < n; ++j) {");
  EXPECT_EQ(header("for j in range(1, len(a)):"), "for (int j = 1; j < size(a); ++j) {");
  EXPECT_EQ(header("for j in range(8, 0, -2): pass"), "for (int j = 8; j > 0; j -= 2) {|pass");
  EXPECT_EQ(header("for j in range(0, 8, n):"), "(none)");  // up or down
  EXPECT_EQ(header("for v in a:"), "for (auto v : a) {");
  EXPECT_EQ(header("for v in (1, 2):"), "for (auto v : {1, 2}) {");
  EXPECT_EQ(header("for v in n:"), "(none)");
  EXPECT_EQ(header("for j, v in enumerate(a):"), "for (int j = 0; j < a.shape[0]; ++j) { auto v = a[j];");
  EXPECT_EQ(header("while n > 0 and True:"), "while (n > 0 && true) {");
  EXPECT_EQ(header("elif n == 2:"), "else if (n == 2) {");
  EXPECT_EQ(header("else:"), "else {");
  EXPECT_EQ(header("with a as b:"), "(none)");
  EXPECT_EQ(lines.translated("print(n)", PythonLines::Place::block), "printf(\"%d\\n\", n);");
  EXPECT_EQ(lines.translated("break", PythonLines::Place::block), "break;");
  EXPECT_EQ(lines.translated("a[0] = 1", PythonLines::Place::cell), "a[0] = 1;");
}

TEST(PythonLines, OfPrint) {
  EXPECT_EQ(here("print('%s: %d of %5.2f%%' % ('n', n, n))"), "printf(\"n: %d of %5.2f%%\\n\", n, (double)n);");
  EXPECT_EQ(here("print('{} {:.3f}'.format(n, 0.5))"), "(none)");  // of what type 0.5 is, is not known here
  EXPECT_EQ(here("print('%d %d' % n)"), "(none)");
  EXPECT_EQ(here("print('n =', n)"), "printf(\"n = %d\\n\", n);");
  EXPECT_EQ(here("print(f'{n} of 100% \"{n:3d}\"', end='')"), "printf(\"%d of 100%% \\\"%3d\\\"\", n, n);");
  EXPECT_EQ(here("print('it', a)"), "(none)");
  EXPECT_EQ(here("print(f'{a}')"), "(none)");
  EXPECT_EQ(here("print(f'{n:.2f}')"), "(none)");
  EXPECT_EQ(here("print(f'{n!r}')"), "(none)");
  EXPECT_EQ(here("print(a)"), "a");
  EXPECT_EQ(here("print(np.sin(a))"), "sin(a)");
}

TEST(PythonLines, OfOperatorsAsPythonBindsThem) {
  EXPECT_EQ(here("a ** 2 * b"), "pow(a, 2) * b");
  EXPECT_EQ(here("-a ** 2"), "-pow(a, 2)");
  EXPECT_EQ(here("2 ** 10"), "1024");
  EXPECT_EQ(here("n ** 2 % 5"), "n * n % 5");
  EXPECT_EQ(here("a is b"), "&a[0] == &b[0]");
  EXPECT_EQ(here("m is not q"), "&m[0][0] != &q[0][0]");
  EXPECT_EQ(here("a is None"), "(none)");
  EXPECT_EQ(here("n not in a"), "(!any(a == n))");  // ! begins a command
  EXPECT_EQ(here("m[(1, n)]"), "m[1, n]");
  EXPECT_EQ(here("m[([0, 1], [2, 3])]"), "int values[2] = {0, 1}; int values2[2] = {2, 3}; m[values, values2]");
  EXPECT_EQ(here("a // 2 + 1"), "floor((double)a / 2) + 1");
  EXPECT_EQ(here("a ** 2  // the square"), "pow(a, 2)");
  EXPECT_EQ(here("a ** 2 // the square"), "pow(a, 2)");
  EXPECT_EQ(here("a + 2j"), "a + complex<double>(0, 2)");
  EXPECT_EQ(here("files = !ls *.npy"), "!ls *.npy > files.txt");
  EXPECT_EQ(here("a[np.abs(a) > 2 & n]"), "a[abs(a) > (2 & n)]");
  EXPECT_EQ(here("a if n > 3 else b"), "n > 3 ? a : b");
  EXPECT_EQ(here("not np.any(a)"), "(!any(a))");
  EXPECT_EQ(here("a[~(a > 2)]"), "a[!(a > 2)]");
  EXPECT_EQ(here("a[None, np.newaxis, 1:-1, ..., ::2] + np.pi"), "a[newaxis, newaxis, 1:-1, ..., ::2] + M_PI");
}

TEST(PythonLines, OfKeywords) {
  EXPECT_EQ(here("np.sum(a, dtype=np.float64)"), "sum((double)a)");
  EXPECT_EQ(here("np.sum(a, where=b)"), "sum(a[b])");
  EXPECT_EQ(here("np.sum(m, axis=0, where=m > 2)"), "sum(where(m > 2, m, 0), axis = 0)");
  EXPECT_EQ(here("np.max(a, initial=0)"), "max(append(a, 0))");
  EXPECT_EQ(here("(a > 2) | np.isin(a, b, invert=True)"), "(a > 2) | !isin(a, b)");
  EXPECT_EQ(here("np.interp(a, b, b, left=0)"), "where(a < b[0], 0, interp(a, b, b))");
  EXPECT_EQ(here("np.moveaxis(m, [0, 1], [1, 0])"), "permute_dims(m, 1, 0)");
  EXPECT_EQ(here("np.moveaxis(m, [0, -1], [-1, -2])"), "permute_dims(m, 1, 0)");
  EXPECT_EQ(here("np.ones((2, 2), order='F')"), "ones({2, 2})");
  EXPECT_EQ(here("m.reshape(4, 3, order='F')"), "reshape(copy(m.T), 3, 4).T");
  EXPECT_EQ(here("np.percentile(a, 50, interpolation='lower')"), "percentile(a, 50, method = \"lower\")");
  EXPECT_EQ(here("X, Y, Z = np.meshgrid(a, b, a)"), "auto [X, Y, Z] = meshgrid(a, b, a);");
}

// Of a cell that is nothing but a function.
TEST(PythonFunctions, AreDeviceCode) {
  EXPECT_EQ(function_of_python("def f(x): return x ** 2 + 1"),
            "__device__ double f(double x) { return pow(x, 2) + 1; }");
  EXPECT_EQ(function_of_python("f = lambda x, y: max(x, y)"),
            "__device__ double f(double x, double y) { return fmax(x, y); }");
  EXPECT_EQ(function_of_python(
                "@njit\ndef f(x: float) -> float:\n    \"\"\"Twice.\"\"\"\n    y = 2 * x  # more\n    return y"),
            "__device__ double f(double x) {\n  double y = 2 * x;\n  return y;\n}");
  EXPECT_EQ(
      function_of_python(
          "def f(x, n):\n    s = 0\n    for i in range(n):\n        if x > i:\n            t = x - i\n        else:\n"
          "            t = 0\n        s += t\n    return s"),
      "__device__ double f(double x, double n) {\n  double t = 0;\n  double s = 0;\n  for (int i = 0; i < n; ++i) {\n"
      "    if (x > i) {\n      t = x - i;\n    } else {\n      t = 0;\n    }\n    s += t;\n  }\n  return s;\n}");
  EXPECT_EQ(function_of_python("def f(n):\n    if n < 2: return 1\n    return n * f(n - 1)"),
            "__device__ double f(double n) {\n  if (n < 2) {\n    return 1;\n  }\n  return n * f(n - 1);\n}");
}

TEST(PythonFunctions, ThatHaveNoCounterpartAreNamed) {
  for (const auto* cell : {"def f(x):\n    print(x)", "def f():\n    return 1", "def f(x=1):\n    return x",
                           "def f(x):\n    return unknown(x)", "def f(x):\n    return x[0]",
                           "def f(x):\n    return x\nf(2)", "def f(x):\n    y.z = 2\n    return x"})
    EXPECT_NE(function_of_python(cell).find("is a function of numbers"), std::string::npos) << cell;
  for (const auto* cell :
       {"", "define", "def", "def f", "def f(", "def f(x)", "double f(double x) { return x; }", "@", "@\n@"})
    EXPECT_EQ(function_of_python(cell), "") << cell;
}

TEST(PythonLines, OfStatements) {
  EXPECT_EQ(here("c = np.sin(a)"), "auto c = sin(a);");
  EXPECT_EQ(here("a = np.sin(b);  // comment"), "a = sin(b);");
  EXPECT_EQ(here("v, c = np.unique(i, return_counts=True)"), "auto [v, c] = unique(i);");
  EXPECT_EQ(here("w = [[1, 2], [3, 4.5]]"), "double w[2][2] = {{1, 2}, {3, 4.5}};");
  EXPECT_EQ(here("a[[0, 2]]"), "int values[2] = {0, 2}; a[values]");
  EXPECT_EQ(here("np.add(a, b, out=b)"), "b = a + b;");
  EXPECT_EQ(here("np.add(a, b, out=c)"), "(none)");
  EXPECT_EQ(here("assert np.all(a > 0), 'a message'"), "assert(all(a > 0));");
  EXPECT_EQ(here("plt.hist(a, bins=n)"), "%hist a --bins n");
  EXPECT_EQ(here("np.save('a.npy', a)"), "%save a a.npy");
  EXPECT_EQ(here("c = np.load('a.npy')"), "auto c = load(\"a.npy\");");
  EXPECT_EQ(here("np.add.at(a, i, 1)"), "a[i] += 1;");
}

TEST(PythonLines, ThatMeanTheSameOrHaveNone) {
  for (const auto* line : {"a + b",
                           "sum(a)",
                           "a[1:3] = 0;",
                           "float c[3] = {1, 2, 3};",
                           "remainder(a, 2)",
                           "size(m)",
                           "np.cov(m, q)",
                           "np.clip(a, None, None)",
                           "np.sum(a, dtype=object)",
                           "np.dot(unknown, a)",
                           "for v in a: print(v)",
                           "a @",
                           "(",
                           "np.",
                           "lambda x: x",
                           "a; b",
                           "",
                           "np.zeros(3, dtype=object)",
                           "m.reshape(4, 3, order='X')",
                           "np.max(m, axis=0, initial=3)",
                           "np.average(a, weights=[1, 2], axis=n)"})
    EXPECT_EQ(here(line), "(none)") << line;
}

TEST(PythonLines, KnowTheNamesOfLinesBefore) {
  PythonLines lines(names());
  EXPECT_EQ(lines.translated("c = np.sin(a)"), "auto c = sin(a);");
  EXPECT_EQ(lines.translated("c = np.cos(c)"), "c = cos(c);");
}

TEST(PythonLines, DeeplyNestedAreGivenUp) { EXPECT_EQ(here(std::string(5000, '(') + "a"), "(none)"); }

}  // namespace
}  // namespace xcuda::language
