// --- Files of NumPy
// -----------------------------------------------------------------------------------------------------

namespace xcuda {

// The elements of a .npy file, whose type and number are the array's.
template <class T> void load(Array<T>& x, const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  unsigned char head[12] = {};
  std::vector<unsigned char> elements(x.bytes());
  bool read = file != nullptr && std::fread(head, 1, 12, file) == 12 && std::memcmp(head, "\x93NUMPY", 6) == 0;
  // Version 1 has a header of at most 64 KiB, whose length takes two bytes.
  const long start = head[6] == 1 ? 10 + head[8] + 256l * head[9] : 12 + head[8] + 256l * head[9] + 65536l * head[10];
  read = read && std::fseek(file, start, SEEK_SET) == 0 &&
         std::fread(elements.data(), 1, elements.size(), file) == elements.size();
  if (file != nullptr) std::fclose(file);
  if (!read) {
    std::fprintf(stderr, "%s: no .npy file of %zu bytes\n", path, x.bytes());
    std::exit(1);
  }
  check(cudaMemcpy(x.data(), elements.data(), x.bytes(), cudaMemcpyHostToDevice), "filling an array");
}

}  // namespace xcuda
