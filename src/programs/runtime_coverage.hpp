// --runtime-coverage: the functions of the CUDA Runtime, as programs have them on the CPU device.
#pragma once

namespace xcuda {

int print_runtime_coverage();  // returns the exit code

}  // namespace xcuda
