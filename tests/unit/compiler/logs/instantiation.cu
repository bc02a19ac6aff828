template <class T> __device__ auto member(T x) { return x.foo; }
template <class T> __device__ auto outer(T x) { return member(x); }
__global__ void k(int* x) { *x = outer(3); }
