// instance k<nothing>
template <class T> __global__ void k(T* x) { *x = 1; }
