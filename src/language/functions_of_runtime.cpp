// The C library and the CUDA Runtime, as far as host programs use them in statements. All memory is the session's.
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

Form nothing_given(Given) { return Form::of(Form::Kind::nothing); }
Form status(Given) { return Form::number(Kind::int32); }
Form ticks(Given) { return Form::number(Kind::long64); }
Form a_text(Given) { return Form::of(Form::Kind::text); }
Form memory(Given) {
  auto form = Form::array(type_of(Kind::uint8), Extents(1));
  form.memory = Form::Memory::part;
  return form;
}

constexpr Function row(std::string_view name, std::string_view signature, std::string_view help,
                       std::string_view example, Form (*result)(Given)) {
  return {.name = name,
          .signatures = signature,
          .help = help,
          .example = example,
          .operation = Operation::runtime,
          .result = result};
}

constexpr Function kRuntimeFunctions[] = {
    row("malloc", "void* malloc(size_t bytes)",
        "Memory of the session, until free(p): float* p = (float*)malloc(n * sizeof(float));",
        "float* p = (float*)malloc(16); free(p);", memory),
    row("calloc", "void* calloc(size_t count, size_t size)", "Memory of count elements of size bytes, which are 0",
        "int* p = (int*)calloc(4, sizeof(int)); free(p);", memory),
    row("free", "void free(T pointer)", "End memory that malloc or new gave; nothing for a null pointer",
        "int* p = new int[4]; free(p);", nothing_given),
    row("cudaMalloc", "cudaError_t cudaMalloc(T pointer, size_t bytes)",
        "Memory for a pointer: float* p; cudaMalloc(&p, n * sizeof(float));",
        "float* p; cudaMalloc(&p, 16); cudaFree(p);", status),
    row("cudaMallocManaged", "cudaError_t cudaMallocManaged(T pointer, size_t bytes [, unsigned flags = 1])",
        "Memory for a pointer, which kernels and statements use", "float* p; cudaMallocManaged(&p, 16); cudaFree(p);",
        status),
    row("cudaMallocHost", "cudaError_t cudaMallocHost(T pointer, size_t bytes [, unsigned flags = 0])",
        "Memory for a pointer", "float* p; cudaMallocHost(&p, 16); cudaFreeHost(p);", status),
    row("cudaHostAlloc", "cudaError_t cudaHostAlloc(T pointer, size_t bytes, unsigned flags)", "Memory for a pointer",
        "float* p; cudaHostAlloc(&p, 16, 0); cudaFreeHost(p);", status),
    row("cudaMallocAsync", "cudaError_t cudaMallocAsync(T pointer, size_t bytes [, stream s = 0])",
        "Memory for a pointer", "float* p; cudaMallocAsync(&p, 16); cudaFreeAsync(p);", status),
    row("cudaFree", "cudaError_t cudaFree(T pointer)", "End memory that cudaMalloc gave",
        "float* p; cudaMalloc(&p, 16); cudaFree(p);", status),
    row("cudaFreeHost", "cudaError_t cudaFreeHost(T pointer)", "End memory that cudaMallocHost gave",
        "float* p; cudaMallocHost(&p, 16); cudaFreeHost(p);", status),
    row("cudaFreeAsync", "cudaError_t cudaFreeAsync(T pointer [, stream s = 0])",
        "End memory that cudaMallocAsync gave", "float* p; cudaMallocAsync(&p, 16); cudaFreeAsync(p);", status),
    row("memcpy", "void* memcpy(T to, T from, size_t bytes)", "Copy bytes between arrays, pointers and &variables",
        "memcpy(x, y, sizeof(x));", nothing_given),
    row("memmove", "void* memmove(T to, T from, size_t bytes)", "Copy bytes between arrays, pointers and &variables",
        "memmove(x, y, sizeof(x));", nothing_given),
    row("memset", "void* memset(T to, int value, size_t bytes)", "Set bytes of an array", "memset(x, 0, sizeof(x));",
        nothing_given),
    row("cudaMemcpy", "cudaError_t cudaMemcpy(T to, T from, size_t bytes, int kind)",
        "Copy bytes between arrays, pointers and &variables; all of them are the session's, whatever the kind",
        "cudaMemcpy(x, y, sizeof(x), cudaMemcpyDeviceToHost);", status),
    row("cudaMemcpyAsync", "cudaError_t cudaMemcpyAsync(T to, T from, size_t bytes, int kind [, stream s = 0])",
        "Copy bytes after what was posted to the stream", "cudaMemcpyAsync(x, y, sizeof(x), cudaMemcpyDefault);",
        status),
    row("cudaMemset", "cudaError_t cudaMemset(T to, int value, size_t bytes)", "Set bytes of an array",
        "cudaMemset(x, 0, sizeof(x));", status),
    row("cudaMemsetAsync", "cudaError_t cudaMemsetAsync(T to, int value, size_t bytes [, stream s = 0])",
        "Set bytes of an array after what was posted to the stream", "cudaMemsetAsync(x, 0, sizeof(x));", status),
    row("cudaMemcpyToSymbol",
        "cudaError_t cudaMemcpyToSymbol(T symbol, T from, size_t bytes [, size_t offset = 0, int kind = 1])",
        "Write a __device__ or __constant__ variable", "", status),
    row("cudaMemcpyFromSymbol",
        "cudaError_t cudaMemcpyFromSymbol(T to, T symbol, size_t bytes [, size_t offset = 0, int kind = 2])",
        "Read a __device__ or __constant__ variable", "", status),
    row("cudaDeviceSynchronize", "cudaError_t cudaDeviceSynchronize()",
        "Wait for all that was posted; what went wrong with it ends the cell", "cudaDeviceSynchronize();", status),
    row("cudaThreadSynchronize", "cudaError_t cudaThreadSynchronize()", "Wait for all that was posted",
        "cudaThreadSynchronize();", status),
    row("cudaDeviceReset", "cudaError_t cudaDeviceReset()",
        "Wait for all that was posted; the session keeps its memory", "cudaDeviceReset();", status),
    row("cudaGetLastError", "cudaError_t cudaGetLastError()", "cudaSuccess: an error of a launch ends its cell",
        "cudaGetLastError();", status),
    row("cudaPeekAtLastError", "cudaError_t cudaPeekAtLastError()", "cudaSuccess: an error of a launch ends its cell",
        "cudaPeekAtLastError();", status),
    row("cudaGetErrorString", "const char* cudaGetErrorString(int error)", "What an error means",
        "cudaGetErrorString(cudaSuccess)", a_text),
    row("cudaGetErrorName", "const char* cudaGetErrorName(int error)", "The name of an error",
        "cudaGetErrorName(cudaSuccess)", a_text),
    row("cudaEventCreate", "cudaError_t cudaEventCreate(T e)", "Nothing: the declaration makes the event",
        "cudaEvent_t e; cudaEventCreate(&e);", status),
    row("cudaEventCreateWithFlags", "cudaError_t cudaEventCreateWithFlags(T e, unsigned flags)",
        "Nothing: the declaration makes the event", "cudaEvent_t e; cudaEventCreateWithFlags(&e, 0);", status),
    row("cudaEventDestroy", "cudaError_t cudaEventDestroy(event e)", "Nothing: the event lives as long as its name",
        "cudaEvent_t e; cudaEventDestroy(e);", status),
    row("cudaEventRecord", "cudaError_t cudaEventRecord(event e [, stream s = 0])", "Record an event, as record(e, s)",
        "cudaEvent_t e; cudaEventRecord(e);", status),
    row("cudaEventSynchronize", "cudaError_t cudaEventSynchronize(event e)", "Wait for an event",
        "cudaEvent_t e; cudaEventRecord(e); cudaEventSynchronize(e);", status),
    row("cudaEventElapsedTime", "cudaError_t cudaEventElapsedTime(T ms, event from, event to)",
        "Milliseconds between two recorded events",
        "cudaEvent_t a, b; float ms; cudaEventRecord(a); cudaEventRecord(b); cudaEventElapsedTime(&ms, a, b);", status),
    row("cudaStreamCreate", "cudaError_t cudaStreamCreate(T s)", "Nothing: the declaration makes the stream",
        "cudaStream_t s; cudaStreamCreate(&s);", status),
    row("cudaStreamCreateWithFlags", "cudaError_t cudaStreamCreateWithFlags(T s, unsigned flags)",
        "Nothing: the declaration makes the stream", "cudaStream_t s; cudaStreamCreateWithFlags(&s, 1);", status),
    row("cudaStreamDestroy", "cudaError_t cudaStreamDestroy(stream s)",
        "Wait for a stream, which lives as long as its name", "cudaStream_t s; cudaStreamDestroy(s);", status),
    row("cudaStreamSynchronize", "cudaError_t cudaStreamSynchronize(stream s)", "Wait for a stream",
        "cudaStream_t s; cudaStreamSynchronize(s);", status),
    row("cudaStreamWaitEvent", "cudaError_t cudaStreamWaitEvent(stream s, event e [, unsigned flags = 0])",
        "Let what follows in a stream wait for an event",
        "cudaStream_t s; cudaEvent_t e; cudaEventRecord(e); cudaStreamWaitEvent(s, e, 0);", status),
    row("cudaSetDevice", "cudaError_t cudaSetDevice(int device)",
        "The session has one device, 0; %device takes another one", "cudaSetDevice(0);", status),
    row("cudaGetDevice", "cudaError_t cudaGetDevice(T device)", "0: the session has one device",
        "int d; cudaGetDevice(&d);", status),
    row("cudaGetDeviceCount", "cudaError_t cudaGetDeviceCount(T count)", "1: the session has one device",
        "int n; cudaGetDeviceCount(&n);", status),
    row("rand", "int rand()", "The next number of the C library's generator, from 0 to RAND_MAX", "rand() >= 0",
        status),
    row("srand", "void srand(unsigned seed)", "Where rand() begins", "srand(1);", nothing_given),
    row("clock", "clock_t clock()", "The processor time of the session in 1 / CLOCKS_PER_SEC seconds", "clock() >= 0",
        ticks),
    row("time", "time_t time(T result)", "Seconds since 1970", "time(nullptr) > 0", ticks),
    row("exit", "void exit(int status)", "End the cell: with an error unless the status is 0", "", nothing_given),
    row("fprintf", "int fprintf(T file, const char* format, ...)", "Print formatted text to stdout or stderr",
        "fprintf(stdout, \"%d\\n\", 3);", nothing_given),
    row("fflush", "int fflush(T file)", "Nothing: what is printed appears at once", "fflush(stdout);", nothing_given),
    row("puts", "int puts(const char* text)", "Print a text and the end of its line", "puts(\"text\");", nothing_given),
};

}  // namespace

std::span<const Function> functions_of_runtime() { return kRuntimeFunctions; }

}  // namespace xcuda::language
