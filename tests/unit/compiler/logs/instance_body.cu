// instance k<int*>
template <class T> __global__ void k(T* x) {
  x->y = 1;
}
