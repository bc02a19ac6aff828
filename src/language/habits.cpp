#include "language/habits.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace xcuda::language {
namespace {

using Of = Habit::Kind;

constexpr Habit kHabits[] = {
    {Of::name, "CUDA", "thrust::device_vector", "declare an array: float x[n]; it lives on the device until %free x", "cudaMalloc(&x, 24);", "float z[n];\nassert(z == 0);\n%free z"},
    {Of::name, "C++", "thrust::host_vector std::vector vector std::array std::make_unique std::unique_ptr", "declare an array: float x[n]; it lives on the device and is shown by its name", "std::vector<float> v(6);", "float v[n];\nv[0] = 2;\nv"},
    {Of::name, "CUDA", "cudaMalloc3D cudaMalloc3DArray", "declare an array with extents: float x[nz][ny][nx]", "cudaMalloc3D(&x, 3);", "float z[2][3][4];\nassert(z.ndim == 3);"},
    {Of::name, "CUDA", "cudaMallocPitch", "declare an array with extents: float x[h][w]", "cudaMallocPitch(&x, 3, 4, 5);", "float z[3][4];\nassert(z.shape[1] == 4);"},
    {Of::name, "CUDA", "cudaMallocArray cudaArray_t", "declare an array with extents, float x[h][w]; then texture t(x); or surface s(x);", "cudaMallocArray(&x, 8, 8);", "float z[8][8];\ntexture t(z);\nsurface s(z);"},
    {Of::name, "CUDA", "cudaFreeArray", "%free x frees an array; a new declaration replaces the old one", "cudaFree(x);", "%free x\nfloat x[2] = 1;\nassert(size(x) == 2);"},
    {Of::name, "CUDA", "cudaMemcpy2D cudaMemcpy2DToArray cudaMemcpy3D cudaMemcpyToArray", "arrays are read and written in place: x[i], x = {1, 2, 3}, %save x file.npy; %copy y x copies one to another", "cudaMemcpy(x, y, 24, cudaMemcpyHostToDevice);", "x[1] = 5;\nassert(x[1] == 5);\nx = {1, 2, 3, 4, 5, 6};\nassert(x[2] == 3);\n%save x file.npy\n%copy y x\nassert(x == y);"},
    {Of::name, "CUDA", "cudaGetSymbolAddress", "use the variable's name", "cudaGetSymbolAddress(&x, coef);", "coef[0] = 9;\nassert(coef[0] == 9);"},
    {Of::name, "CUDA", "cudaMemPrefetchAsync", "leave it out: arrays are on the device", "cudaMemPrefetchAsync(x, 24, 0);", "twice<<<1, 32>>>(x, n);\nassert(x[0] == 6);"},
    {Of::name, "CUDA", "cudaCreateTextureObject cudaBindTexture cudaBindTexture2D cudaBindTextureToArray cudaCreateChannelDesc cudaResourceDesc cudaTextureDesc", "declare one for an array: texture t(x, filter = linear, normalized = true); and pass t to the kernel", "cudaCreateTextureObject(&x, y);", "texture t(x, filter = linear, normalized = true);\nfetch<<<1, 32>>>(t, y, 1);\nassert(y[0] == 3);"},
    {Of::name, "CUDA", "cudaCreateSurfaceObject", "declare one for an array: surface s(x); and pass s to the kernel", "cudaCreateSurfaceObject(&x, y);", "float z[8][8];\nsurface s(z);\nput<<<1, 1>>>(s);\nassert(z[0][0] == 7);"},
    {Of::name, "CUDA", "cudaDestroySurfaceObject cudaDestroyTextureObject", "leave it out: a new declaration replaces the old one", "cudaDestroyTextureObject(x);", "texture t(x);\ntexture t(y);"},
    {Of::name, "CUDA", "cudaDeviceGetAttribute cudaGetDeviceProperties cudaDeviceProp", "%device describes the device", "cudaGetDeviceProperties(&x, 0);", "%device"},
    {Of::name, "CUDA", "cudaMemGetInfo", "%device shows the free memory, %arrays what uses it", "cudaMemGetInfo(&x, &y);", "%device\n%arrays"},
    {Of::name, "CUDA", "cudaFuncSetAttribute", "%%launch --shared bytes raises the limit", "cudaFuncSetAttribute(twice, 0, 65536);", "%%launch --shared 1024\ntwice<<<1, 32>>>(x, n);"},
    {Of::name, "CUDA", "cudaGraphLaunch cudaGraphCreate cudaStreamBeginCapture", "%%launch --graph captures the launches of the cell and runs them as one graph", "cudaGraphLaunch(x, y);", "%%launch --graph\nfor (int i = 0; i < 2; ++i) twice<<<1, 32>>>(x, n);"},
    {Of::name, "CUDA", "cudaLaunchCooperativeKernel", "write kernel<<<grid, block>>>(arguments) under %%launch --cooperative", "cudaLaunchCooperativeKernel(twice);", "%%launch --cooperative\ntwice<<<1, 32>>>(x, n);"},
    {Of::name, "CUDA", "cudaLaunchKernel", "write kernel<<<grid, block>>>(arguments)", "cudaLaunchKernel(twice);", "twice<<<1, 32>>>(x, n);\nassert(x[0] == 6);"},
    {Of::name, "CUDA", "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "%%launch reports the occupancy", "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&x, twice, 32, 0);", "%%launch\ntwice<<<1, 32>>>(x, n);"},
    {Of::name, "CUDA", "cudaOccupancyMaxPotentialBlockSize", "kernel<<<cover(n)>>>(...) chooses the block", "cudaOccupancyMaxPotentialBlockSize(&x, &y, twice);", "twice<<<cover(n)>>>(x, n);\nassert(x[0] == 6);"},
    {Of::name, "C++", "std::cout cout std::cerr cerr std::endl endl", "printf(\"%d\\n\", x); or write the name alone on the last line", "std::cout << n;", "printf(\"%d\\n\", n);\nn"},
    {Of::name, "C++", "std::chrono", "%%launch times launches; %time times a statement", "auto t = std::chrono::high_resolution_clock::now();", "%time twice<<<1, 32>>>(x, n);"},
    {Of::name, "C++", "std::cin cin", "set values in the cell: const int n = 1024;", "std::cin >> n;", "const int n = 1024;\nassert(n == 1024);"},
    {Of::name, "C++", "std::fill", "assign: x = 1; or initialise: float x[n] = 1", "std::fill(x, x + 6, 1);", "x = 1;\nfloat z[n] = 1;\nassert(x == z);"},
    {Of::name, "C++", "std::fstream std::ifstream ifstream std::ofstream ofstream", "load(\"file.npy\") reads an array, %save x file.npy writes one", "std::ifstream f(\"x.txt\");", "%save x file.npy\nauto z = load(\"file.npy\");\nassert(z == x);"},
    {Of::name, "C++", "std::iota", "initialise: int x[n] = arange()", "std::iota(x, x + 6, 0);", "int z[n] = arange();\nassert(z[5] == 5);"},
    {Of::name, "C++", "std::map std::unordered_map std::set std::list", "a cell has no host containers: use an array, or prepare the data in a file", "std::map<int, int> m;", "int z[6] = {0};\nz[3] += 1;\nassert(z[3] == 1);"},
    {Of::name, "C++", "std::mt19937 std::default_random_engine std::normal_distribution std::uniform_real_distribution", "initialise: float x[n] = uniform(0, 1, seed = 1) or normal(0, 1, seed = 1)", "std::mt19937 g(1);", "float u[n] = uniform(0, 1, seed = 1), v[n] = normal(0, 1, seed = 1);\nassert(all(u < 1));"},
    {Of::name, "C++", "std::random_device", "initialise: float x[n] = uniform(0, 1, seed = 1)", "rand();", "float u[n] = uniform(0, 1, seed = 1);\nassert(all(u >= 0));"},
    {Of::name, "C++", "std::string", "strings are only for printf(\"...\")", "std::string s = \"a\";", "printf(\"%s\\n\", \"a\");"},
    {Of::word, "Python", "None", "Write nullptr.", "None", "getenv(\"XCUDA_NOT_THERE\") == nullptr"},
    {Of::word, "Python", "True", "Write true.", "True", "assert(true);"},
    {Of::word, "Python", "False", "Write false.", "False", "assert(!false);"},
    {Of::member, "C++", "data begin cbegin", "Kernels take {0} itself; &{0}[0] is the address of its first element.", "x.data();", "twice<<<1, 32>>>(x, n);\ntwice<<<1, 32>>>(&x[0], n);\nassert(x[0] == 12);"},
    {Of::member, "C++", "length", "size({}) is the first extent.", "x.length();", "assert(size(x) == 6);"},
    {Of::member, "C++", "empty", "size({}) == 0", "x.empty();", "assert(!(size(x) == 0));"},
    {Of::member, "C++", "front", "{}[0]", "x.front();", "assert(x[0] == 3);"},
    {Of::member, "C++", "back", "{}[-1]", "x.back();", "assert(x[-1] == 4);"},
    {Of::member, "C++", "push_back emplace_back extend resize", "An array keeps its size: auto y = append({}, 1); makes a longer one.", "x.push_back(1);", "auto z = append(x, 1);\nassert(size(z) == 7 && z[6] == 1);"},
    {Of::function, "NumPy", "len", "size({}) is the first extent; {}? shows everything about it.", "len(x)", "assert(size(x) == 6);\nx?"},
    {Of::function, "NumPy", "dtype nbytes itemsize strides", "{}? shows its type and shape; sizeof({}) is its number of bytes.", "x.nbytes", "assert(sizeof(x) == 24);\nx?"},
    {Of::function, "Thrust", "accumulate", "sum({0}), or reduce({0}, init, f) with a __device__ function f", "std::accumulate(x, x + 6, 0.0f)", "assert(sum(x) == 21);\nassert(reduce(x, 0.0f, larger) == 6);"},
    {Of::function, "Thrust", "inclusive_scan partial_sum", "cumsum({}), or scan({})", "thrust::inclusive_scan(x)", "assert(cumsum(x)[5] == 21);\nassert(scan(x)[5] == 21);"},
    {Of::function, "Thrust", "exclusive_scan", "scan({}, inclusive = false)", "thrust::exclusive_scan(x)", "assert(scan(x, inclusive = false)[5] == 17);"},
    {Of::function, "NumPy", "empty device_array", "float x[n]; a new array is zero.", "np.empty(6)", "float z[n];\nassert(z == 0);"},
    {Of::function, "NumPy", "fill", "{} = 3;", "x.fill(3)", "x = 3;\nassert(x == 3);"},
    {Of::function, "NumPy", "empty_like device_array_like", "auto y = like({});", "np.empty_like(x)", "auto z = like(x);\nassert(size(z) == 6);"},
    {Of::function, "NumPy", "array asarray ascontiguousarray to_device to_gpu tensor", "float x[3] = {{1, 2, 3}}; arrays are on the device; load(\"x.npy\") reads a file.", "np.array(x)", "float z[3] = {1, 2, 3};\n%save z x.npy\nauto v = load(\"x.npy\");\nassert(v == z);"},
    {Of::function, "NumPy", "rand random random_sample", "float x[n] = uniform(0, 1, seed = 1);", "np.random(6)", "float u[n] = uniform(0, 1, seed = 1);\nassert(all(u < 1));"},
    {Of::function, "NumPy", "randn standard_normal", "float x[n] = normal(0, 1, seed = 1);", "np.randn(6)", "float u[n] = normal(0, 1, seed = 1);\nassert(any(u != 0));"},
    {Of::function, "NumPy", "sign", "(int)({0} > 0) - (int)({0} < 0)", "np.sign(x)", "auto z = (int)(x > 0) - (int)(x < 0);\nassert(z == 1);"},
    {Of::function, "Thrust", "copy_if", "{0}[{0} > 0]", "thrust::copy_if(x)", "auto z = x[x > 3];\nassert(size(z) == 3);\nassert(size(x[x > 0]) == 6);"},
    {Of::function, "NumPy", "astype", "(double){}, or double y[n] = {};", "x.astype(1)", "double z[n] = x;\nassert((double)x == z);"},
    {Of::function, "NumPy", "maximum amax", "max(x, y) of two, max(x) over everything", "np.maximum(x, y)", "assert(max(x, y)[1] == 1);\nassert(max(x) == 6);"},
    {Of::function, "NumPy", "minimum amin", "min(x, y) of two, min(x) over everything", "np.minimum(x, y)", "assert(min(x, y)[0] == 1);\nassert(min(x) == 1);"},
    {Of::function, "NumPy", "power", "pow({}, y)", "np.power(x, y)", "assert(pow(x, y) == x);"},
    {Of::function, "NumPy", "square", "{0} * {0}", "np.square(x)", "assert((x * x)[0] == 9);"},
    {Of::function, "NumPy", "absolute", "abs({})", "np.absolute(x)", "assert(abs(x) == x);"},
    {Of::function, "Thrust", "sort_by_key argpartition", "argsort({})", "thrust::sort_by_key(x)", "assert(argsort(x)[0] == 1);\nauto z = y[argsort(x)];"},
    {Of::function, "Thrust", "gather", "{0}[i], with an array of indices i", "thrust::gather(x)", "assert(x[i][0] == 5);"},
    {Of::function, "Thrust", "scatter put", "{0}[i] = y, with an array of indices i", "thrust::scatter(x)", "float v[2] = 8;\nx[i] = v;\nassert(x[4] == 8 && x[0] == 8 && x[1] == 1);"},
    {Of::function, "Thrust", "transform vectorize", "An expression, or f({}) with a __device__ function f.", "thrust::transform(x)", "assert(half_of(x)[0] == 1.5f);\nassert((x / 2)[0] == 1.5f);"},
    {Of::function, "NumPy", "inner_product vdot inner", "dot(x, y)", "np.vdot(x, y)", "assert(dot(x, y) == 21);"},
    {Of::function, "NumPy", "tolist get asnumpy copy_to_host item numpy cpu", "Its name alone shows it, {}[i] is an element, %save x x.npy writes it for NumPy.", "x.get()", "x\n===\nassert(x[0] == 3);\n%save x x.npy"},
    {Of::function, "Python", "print", "A last expression without ';' is shown; printf(\"%d\\n\", n) prints numbers.", "print(x)", "printf(\"%d\\n\", n);\nx"},
    {Of::function, "Python", "range", "for (int i = 0; i < n; ++i)", "range(3)", "for (int j = 0; j < n; ++j) x[j] = j;\nassert(x[5] == 5);"},
    {Of::function, "C", "puts putchar fprintf sprintf snprintf", "printf(\"...\\n\");", "puts(\"a\");", "printf(\"...\\n\");"},
    {Of::function, "C", "stoi stol strtol strtoul", "atoi(text)", "stoi(\"12\")", "assert(atoi(\"12\") == 12);"},
    {Of::function, "C", "stod stof strtod strtof", "atof(text)", "stof(\"0.5\")", "assert(atof(\"0.5\") == 0.5);"},
    {Of::function, "C", "memset", "{} = 0; a new array is zero already.", "memset(x, 0, 24);", "x = 0;\nassert(x == 0);"},
    {Of::function, "C", "memcpy memmove copy_n", "{} = y; copies all elements, x[0:n] = y[0:n]; some.", "memcpy(x, y, 24);", "x[0:2] = y[0:2];\nassert(x[1] == 1 && x[2] == 2);\nx = y;\nassert(x == y);"},
    {Of::function, "C", "srand time", "float x[n] = uniform(seed = 1); seeds are arguments.", "srand(1);", "float u[n] = uniform(seed = 1);\nassert(all(u < 1));"},
    {Of::command, "Nsight", "nvrtc", "%%kernel compiles the cell with NVRTC and takes its options.", "%nvrtc", "%%kernel\n__global__ void k3(int* v) { *v = 3; }"},
    {Of::command, "Nsight", "nsys", "%%launch times every launch.", "%nsys", "%%launch\ntwice<<<1, 32>>>(x, n);"},
    {Of::command, "Nsight", "ncu", "%%launch shows time, bandwidth, registers and occupancy; %info kernel describes one.", "%ncu", "%%launch\ntwice<<<1, 32>>>(x, n);\n===\n%info twice"},
    {Of::command, "CuPy", "gpu_timeit", "%%launch --repeat N --warmup N times the launches of a cell.", "%gpu_timeit", "%%launch --repeat 2 --warmup 1\ntwice<<<1, 32>>>(x, n);"},
    {Of::command, "IPython", "matplotlib", "%plot, %scatter, %hist, %heatmap and %image draw arrays.", "%matplotlib inline", "%plot x"},
    {Of::command, "IPython", "whos", "%who lists all names, %arrays the arrays with their sizes.", "%whos", "%who\n%arrays"},
    {Of::command, "IPython", "who_ls psearch", "%who lists all names.", "%who_ls", "%who"},
    {Of::command, "IPython", "run", "#include \"file.cuh\" brings device code of a file into a cell.", "%run file.cuh", "%%writefile file.cuh\n__device__ int five() { return 5; }\n===\n#include \"file.cuh\"\n__global__ void k5(int* v) { *v = five(); }"},
    {Of::command, "IPython", "reload_ext", "There is nothing to load: a cell is CUDA C++, and %lsmagic lists the commands.", "%reload_ext x", "%lsmagic"},
    {Of::command, "IPython", "set_env", "%env NAME=value sets a variable.", "%set_env A 1", "%env NAME=value\n!test $NAME = value"},
    {Of::command, "IPython", "file", "%%writefile file writes the cell to a file.", "%%file a.txt\na", "%%writefile a.txt\na"},
    {Of::command, "IPython", "cat", "!cat file shows a file; %load file puts its text into the cell.", "%cat a.cu", "!echo 1 > a.cu; cat a.cu\n%load a.cu"},
    {Of::command, "IPython", "more less", "!cat file shows a file.", "%more a.cu", "!echo 1 > a.cu; cat a.cu"},
    {Of::command, "IPython", "mkdir", "!mkdir folder makes a folder.", "%mkdir a", "!mkdir folder"},
    {Of::command, "IPython", "rm", "!rm file removes a file.", "%rm a", "!touch file; rm file"},
    {Of::command, "IPython", "cp", "!cp file copy copies a file.", "%cp a b", "!touch file; cp file copy"},
    {Of::command, "IPython", "mv", "!mv file name moves a file.", "%mv a b", "!touch file; mv file name"},
    {Of::command, "IPython", "ll", "%ls -l lists files with their sizes.", "%ll", "%ls -l"},
    {Of::command, "IPython", "system sx", "!command runs a shell command.", "%sx true", "!true"},
    {Of::command, "IPython", "script", "%%bash and %%sh run the cell with a shell.", "%%script bash\ntrue", "%%bash\ntrue"},
    {Of::command, "IPython", "conda", "!conda install -y ... runs it in a shell.", "%conda list", ""},
    {Of::command, "IPython", "mamba", "!mamba install -y ... runs it in a shell.", "%mamba list", ""},
    {Of::command, "IPython", "uv", "!uv pip install ... runs it in a shell.", "%uv", ""},
    {Of::command, "IPython", "prun", "%%launch times launches, and %info kernel says what limits one.", "%prun 1", "%%launch\ntwice<<<1, 32>>>(x, n);\n===\n%info twice"},
    {Of::command, "memory_profiler", "memit", "%arrays shows the bytes of each array, %device the free memory.", "%memit 1", "%arrays\n%device"},
    {Of::command, "IPython", "capture", "!command > file keeps what a command writes; a cell's output stays in its cell.", "%%capture\n1", "!echo 1 > file"},
    {Of::command, "IPython", "debug pdb", "%%launch --check --race --init names the access at fault, with its line.", "%debug", "%%launch --check --race --init\ntwice<<<1, 32>>>(x, n);"},
    {Of::command, "IPython", "recall rerun", "%history shows the last cells.", "%recall 1", "%history"},
    {Of::command, "IPython", "javascript js", "Outputs of this kernel hold no scripts, so that a notebook is safe to open; %%html and %%svg show markup.", "%%javascript\n1", "%%html\n<b>bold</b>"},
};

}  // namespace

std::span<const Habit> habits() { return kHabits; }

std::vector<std::string_view> names_of(const Habit& habit) {
  std::vector<std::string_view> names;
  for (auto left = habit.names; !left.empty();) {
    const auto end = std::min(left.find(' '), left.size());
    names.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return names;
}

const Habit* find_habit(Habit::Kind kind, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto* found = std::find_if(std::begin(kHabits), std::end(kHabits), [&](const Habit& one) {
    if (one.kind != kind) return false;
    for (auto at = one.names.find(name); at != std::string_view::npos; at = one.names.find(name, at + 1)) {
      const auto end = at + name.size();
      if ((at == 0 || one.names[at - 1] == ' ') && (end == one.names.size() || one.names[end] == ' ')) return true;
    }
    return false;
  });
  return found == std::end(kHabits) ? nullptr : found;
}

}  // namespace xcuda::language
