// sm_80
__global__ void k(int* x) {
  x[1] = 2;
  asm("foo.bar %0;" : "=r"(*x));
}
