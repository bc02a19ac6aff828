#define CHECK(x) check_it(x)
__global__ void k(int* x) { CHECK(*x); }
