// A program may end while threads of the CPU device still compile or run blocks. They use static objects of the device
// and of LLVM, so these are never destroyed: the library's own __cxa_atexit registers nothing. The linker takes it for
// LLVM's static libraries, too; cpu_library.map hides it from all other code.
using Destructor = void (*)(void*);

// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __cxa_atexit(Destructor destructor, void* object, void* library) noexcept;
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __cxa_atexit(Destructor, void*, void*) noexcept { return 0; }
