__global__ void k(float* y) {
	float unused = 3;
  y[0] = hh(3) + "x" * y[1];
  float é = 1;
}
