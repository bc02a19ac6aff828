#include <cstdio>
  #include <iostream>
__global__ void k() { std::cout << 1; }
