__global__ void k(int* x) { int* p = new int[3]; unsigned u = -1; if (u < 0) *x = p[2]; int y; *x += y; switch (*x) { case 1: case 1: break; } }
