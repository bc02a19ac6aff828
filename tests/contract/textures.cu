// The texture kernels of the contract suite; textures.ptx is made from this file:
//   nvcc --ptx -arch=compute_80 -O2 tests/contract/textures.cu -o tests/contract/textures.ptx
extern "C" {

// Both ways to read one dimension; `step` apart for the second.
__global__ void fetch_line(cudaTextureObject_t t, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(t, i);
}

__global__ void sample_line(cudaTextureObject_t t, float* out, float start, float step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(t, start + step * i);
}

__global__ void read_plane(cudaTextureObject_t t, float* out, float start, float step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n) out[i] = tex2D<float>(t, start + step * (i % n), start + step * (i / n));
}

__global__ void read_plane4(cudaTextureObject_t t, float4* out, int w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float4>(t, i % w + 0.5f, i / w + 0.5f);
}

__global__ void read_signed(cudaTextureObject_t t, int4* out, int w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<int4>(t, i % w + 0.5f, i / w + 0.5f);
}

__global__ void read_unsigned(cudaTextureObject_t t, uint4* out, int w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<uint4>(t, i % w + 0.5f, i / w + 0.5f);
}

__global__ void read_volume(cudaTextureObject_t t, float* out, float start, float step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n * n) out[i] = tex3D<float>(t, start + step * (i % n), start + step * (i / n % n), start + step * (i / n / n));
}

__global__ void read_lines(cudaTextureObject_t t, float* out, int layers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < layers * n) out[i] = tex1DLayered<float>(t, i % n + 0.75f, i / n);
}

__global__ void read_planes(cudaTextureObject_t t, float* out, int w, int h, int layers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h * layers) out[i] = tex2DLayered<float>(t, i % w + 0.5f, i / w % h + 0.5f, i / w / h);
}

// The four quarters of each face of a cube map, whose elements are 2 x 2 on a face.
__global__ void read_faces(cudaTextureObject_t t, float* out) {
  const int i = threadIdx.x, face = i / 4;
  const float s = i % 2 - 0.5f, u = i / 2 % 2 - 0.5f, side = face % 2 ? -2 : 2;
  out[i] = face < 2 ? texCubemap<float>(t, side, -2 * u, -side * s) : face < 4 ? texCubemap<float>(t, 2 * s, side, side * u) : texCubemap<float>(t, side * s, -2 * u, side);
}

// The middle of each face, of layer after layer.
__global__ void read_cubes(cudaTextureObject_t t, float* out) {
  const int i = threadIdx.x, face = i % 6, layer = i / 6;
  const float side = face % 2 ? -1 : 1, near = 0.25f;
  out[i] = face < 2 ? texCubemapLayered<float>(t, side, near, near, layer) : face < 4 ? texCubemapLayered<float>(t, near, side, near, layer) : texCubemapLayered<float>(t, near, near, side, layer);
}

__global__ void gather_plane(cudaTextureObject_t t, float4* first, float4* second, int w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  first[i] = tex2Dgather<float4>(t, i % w + 1.0f, i / w + 1.0f, 0);
  second[i] = tex2Dgather<float4>(t, i % w + 1.0f, i / w + 1.0f, 1);
}

__global__ void invert(cudaSurfaceObject_t s, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = x / w;
  if (y >= h) return;
  uchar4 c;
  surf2Dread(&c, s, x % w * 4, y);
  c.x = 255 - c.x;
  c.w = 7;
  surf2Dwrite(c, s, x % w * 4, y);
}

__global__ void double_line(cudaSurfaceObject_t s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value;
  surf1Dread(&value, s, i * 4);
  surf1Dwrite(2 * value, s, i * 4);
}

__global__ void shift_volume(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h, int d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * d) return;
  float clamped, zero;
  surf3Dread(&clamped, from, (i % w + 1) * 4, i / w % h, i / w / h, cudaBoundaryModeClamp);
  surf3Dread(&zero, from, (i % w - 1) * 4, i / w % h, i / w / h, cudaBoundaryModeZero);
  surf3Dwrite(clamped + 1000 * zero, to, i % w * 4, i / w % h, i / w / h);
}

__global__ void number_layers(cudaSurfaceObject_t s, int w, int h, int layers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h * layers) surf2DLayeredwrite(make_int2(i, -i), s, i % w * 8, i / w % h, i / w / h);
}

__global__ void fault() { *(volatile unsigned*)nullptr = 1; }

__global__ void sizes(cudaTextureObject_t t, unsigned* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
}

}
