__global__ void k(const float* x, int n) {
  x[0] = n;
  int i = "text";
  for (int i = 0; i < n; i++) { }
  return 3;
}
