// A host module as nvcc makes it of a cell, but for the CUDA: what the contract of every device calls.
#define XCUDA_HOST_MODULE
#include "xcuda/host_module.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

struct Pair {
  int first;
  double second;
};

namespace demo {
int add(int a, const int& b) { return a + b; }
}  // namespace demo
inline int& count() {  // which the loader shares between libraries unless it is hidden
  static int n = 0;
  return n;
}
int next() { return ++count(); }
void swap_parts(Pair& pair, float& other) {
  pair = {static_cast<int>(pair.second), static_cast<double>(pair.first)};
  other = -other;
}
std::size_t length(const char* text) { return std::string(text).size(); }
bool is_default(CUstream_st* stream) { return stream == nullptr; }
void raise(int code) {
  if (code == 0) throw 1;
  throw std::out_of_range("code " + std::to_string(code));
}
void say(const char* text) { std::printf("%s\n", text); }
void crash(int* nowhere) { *static_cast<volatile int*>(nowhere) = 1; }
void leave(int status) { std::exit(status); }
std::string no_value(int n) { return std::string(n, ' '); }

#define ENTRY(function, names) \
  static const xcuda_module::Entry entry_of_##function(xcuda_module::of(&function, #function, names));
namespace demo {
static const xcuda_module::Entry entry_of_add(xcuda_module::of(&add, "demo::add", "a,b,"));
}
ENTRY(next, "")
ENTRY(swap_parts, "pair,,")
ENTRY(length, "text,")
ENTRY(is_default, "stream,")
ENTRY(raise, "code,")
ENTRY(say, "text,")
ENTRY(crash, "nowhere,")
ENTRY(leave, "status,")
ENTRY(no_value, "n,")
