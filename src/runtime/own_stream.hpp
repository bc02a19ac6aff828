// For programs that are compiled with a default stream of each thread (nvcc --default-stream per-thread): they link
// with functions of other names (cudaMemcpyAsync_ptsz), to which the null stream is that of the thread that calls.
#pragma once

namespace xcuda::runtime {

// While one lives, the null stream is the thread's own in what the thread calls.
class OwnDefaultStream {
 public:
  OwnDefaultStream();
  ~OwnDefaultStream();
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;

  static bool is_set();

 private:
  bool before_;
};

template <auto function> struct InOwnStream;
template <class Result, class... Arguments, Result (*function)(Arguments...)> struct InOwnStream<function> {
  static Result call(Arguments... arguments) {
    const OwnDefaultStream own;
    return function(arguments...);
  }
};

}  // namespace xcuda::runtime
