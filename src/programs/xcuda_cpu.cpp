// xcuda-cpu: kernels on the host's cores, in a process of its own, started by xcuda. See device/cpu/cpu_device.hpp.
// xcuda-cpu list: answers what it is, without serving.
#include "programs/cpu_library.hpp"

int main(int argc, char** argv) { return xcuda_cpu_worker(argc, argv); }
