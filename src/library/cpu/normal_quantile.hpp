// The inverse of the normal distribution: M. J. Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), to about
// 1e-16.
#pragma once

namespace xcuda::library::cpu {

double normal_quantile(double p);  // p in (0, 1)

}  // namespace xcuda::library::cpu
