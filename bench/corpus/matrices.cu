// Tensor cores and attention: WMMA with 8 warps, flash attention, paged attention, softmax, layer norm.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

// 128 x 128 of C a block; 8 warps of 64 x 32 each.
template <class T, class Sum, int Depth> __global__ void gemm(const T* a, const T* b, Sum* c, int m, int n, int k) {
  __shared__ T left[128][Depth + 8], right[Depth][128 + 8];
  const int warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sums[4][2];
  for (auto& line : sums)
    for (auto& each : line) wmma::fill_fragment(each, Sum(0.0f));
  for (int tile = 0; tile < k; tile += Depth) {
    for (int i = threadIdx.x; i < 128 * Depth / 8; i += 256) {
      const int r = i / (Depth / 8), at = i % (Depth / 8) * 8;
      *reinterpret_cast<float4*>(&left[r][at]) =
          *reinterpret_cast<const float4*>(&a[(blockIdx.y * 128 + r) * k + tile + at]);
    }
    for (int i = threadIdx.x; i < 128 * Depth / 8; i += 256) {
      const int r = i / 16, at = i % 16 * 8;
      *reinterpret_cast<float4*>(&right[r][at]) =
          *reinterpret_cast<const float4*>(&b[(tile + r) * n + blockIdx.x * 128 + at]);
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < Depth; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> x[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> y[2];
      for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(x[i], &left[row + 16 * i][step], Depth + 8);
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(y[j], &right[step][column + 16 * j], 128 + 8);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], x[i], y[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c[(blockIdx.y * 128 + row + 16 * i) * n + blockIdx.x * 128 + column + 16 * j],
                              sums[i][j], n, wmma::mem_row_major);
}
template __global__ void gemm<half, float, 32>(const half*, const half*, float*, int, int, int);
template __global__ void gemm<half, half, 64>(const half*, const half*, half*, int, int, int);

template <int Width, int Keys>
__global__ void attention(const float* q, const float* k, const float* v, float* out, int length, float scale) {
  __shared__ float keys[Keys][Width], values[Keys][Width];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t head = size_t(blockIdx.y) * length * Width;
  float query[Width], sum[Width] = {}, most = -1e30f, total = 0;
  for (int i = 0; i < Width; ++i) query[i] = q[head + row * Width + i] * scale;
  for (int tile = 0; tile < length; tile += Keys) {
    for (int i = threadIdx.x; i < Keys * Width; i += blockDim.x) {
      keys[i / Width][i % Width] = k[head + tile * Width + i];
      values[i / Width][i % Width] = v[head + tile * Width + i];
    }
    __syncthreads();
    for (int j = 0; j < Keys; ++j) {
      float score = 0;
      for (int i = 0; i < Width; ++i) score += query[i] * keys[j][i];
      const float next = fmaxf(most, score), shrink = __expf(most - next), weight = __expf(score - next);
      total = total * shrink + weight;
      for (int i = 0; i < Width; ++i) sum[i] = sum[i] * shrink + weight * values[j][i];
      most = next;
    }
    __syncthreads();
  }
  for (int i = 0; i < Width; ++i) out[head + row * Width + i] = sum[i] / total;
}
template __global__ void attention<32, 32>(const float*, const float*, const float*, float*, int, float);
template __global__ void attention<64, 32>(const float*, const float*, const float*, float*, int, float);

__device__ float block_sum(float value, float* room) {
  for (int offset = 16; offset; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : 0;
  for (int offset = 16; offset; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  __syncthreads();
  return value;
}
__device__ float block_max(float value, float* room) {
  for (int offset = 16; offset; offset /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : -1e30f;
  for (int offset = 16; offset; offset /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  __syncthreads();
  return value;
}
__global__ void softmax(const float* in, float* out, int n) {
  __shared__ float room[32];
  const float* row = in + size_t(blockIdx.x) * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
  most = block_max(most, room);
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(row[i] - most);
  sum = block_sum(sum, room);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[size_t(blockIdx.x) * n + i] = __expf(row[i] - most) / sum;
}
template <class T> __global__ void layer_norm(const T* in, const T* weight, const T* bias, T* out, int n) {
  __shared__ float room[32];
  const T* row = in + size_t(blockIdx.x) * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += float(row[i]);
  const float mean = block_sum(sum, room) / n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) squares += (float(row[i]) - mean) * (float(row[i]) - mean);
  const float scale = rsqrtf(block_sum(squares, room) / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[size_t(blockIdx.x) * n + i] = T((float(row[i]) - mean) * scale * float(weight[i]) + float(bias[i]));
}
template __global__ void layer_norm<float>(const float*, const float*, const float*, float*, int);
template __global__ void layer_norm<half>(const half*, const half*, const half*, half*, int);

// One query a block; keys and values in pages of 16 tokens.
template <class T, int Width>
__global__ void paged_attention(T* out, const T* q, const T* keys, const T* values, const int* tables,
                                const int* lengths, int most_pages, float scale) {
  extern __shared__ float logits[];
  __shared__ float room[32];
  const int head = blockIdx.x, sequence = blockIdx.y, heads = gridDim.x, warps = blockDim.x / 32,
            warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int length = lengths[sequence], pages = (length + 15) / 16;
  const int* table = tables + sequence * most_pages;
  float query[Width / 32], most = -1e30f;
  for (int i = 0; i < Width / 32; ++i) query[i] = float(q[(sequence * heads + head) * Width + i * 32 + lane]);
  for (int page = warp; page < pages; page += warps) {
    const T* base = keys + (size_t(table[page]) * heads + head) * Width * 16;
    for (int token = 0; token < 16; ++token) {
      float score = 0;
      for (int i = 0; i < Width / 32; ++i) score += query[i] * float(base[token * Width + i * 32 + lane]);
      for (int offset = 16; offset; offset /= 2) score += __shfl_xor_sync(~0u, score, offset);
      const int at = page * 16 + token;
      if (lane == 0) logits[at] = at < length ? score * scale : 0;
      if (at < length) most = fmaxf(most, score * scale);
    }
  }
  most = block_max(most, room);
  float sum = 0;
  for (int i = threadIdx.x; i < length; i += blockDim.x) sum += logits[i] = __expf(logits[i] - most);
  sum = block_sum(sum, room);
  for (int i = threadIdx.x; i < Width; i += blockDim.x) {
    float result = 0;
    for (int at = 0; at < length; ++at)
      result += logits[at] * float(values[(size_t(table[at / 16]) * heads + head) * Width * 16 + at % 16 * Width + i]);
    out[(sequence * heads + head) * Width + i] = T(result / sum);
  }
}
template __global__ void paged_attention<float, 64>(float*, const float*, const float*, const float*, const int*,
                                                    const int*, int, float);
template __global__ void paged_attention<half, 128>(half*, const half*, const half*, const half*, const int*,
                                                    const int*, int, float);

__global__ void piped(const float* in, float* out, int n) {
  __shared__ float room[2][256];
  float sum = 0;
  __pipeline_memcpy_async(&room[0][threadIdx.x], in + threadIdx.x, 4);
  __pipeline_commit();
  for (int tile = 0; tile < n; ++tile) {
    if (tile + 1 < n)
      __pipeline_memcpy_async(&room[(tile + 1) % 2][threadIdx.x], in + (tile + 1) * 256 + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = 0; i < 256; ++i) sum += room[tile % 2][i] * i;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
