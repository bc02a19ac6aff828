// instance k<int, 3>
template <class T> __global__ void k(T* x) { *x = 1; }
