// Ten correct kernels of common shapes, to measure what the checks cost. Prints "name milliseconds"
// for each; run.sh compares the same program compiled without and with --check.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

__global__ void elementwise(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + y[i];
}

__global__ void stencil(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

constexpr int tile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void reduce(const float* x, float* out, int n) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

__global__ void histogram(const unsigned* values, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[values[i] & 255u], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void scan(const float* in, float* out) {
  __shared__ float sums[2][256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int from = 0;
  sums[0][t] = in[i];
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    sums[1 - from][t] = t >= d ? sums[from][t] + sums[from][t - d] : sums[from][t];
    from = 1 - from;
  }
  out[i] = sums[from][t];
}

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float part[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) part[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];
}

__global__ void softmax(const float* in, float* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float largest = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) largest = fmaxf(largest, row[i]);
  for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(row[i] - largest);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = threadIdx.x; i < columns; i += 32)
    out[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
}

__global__ void gather(const float* in, const unsigned* at, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = in[at[n - 1 - i]];
}

__global__ void nbody(const float4* bodies, float4* forces, int n) {
  __shared__ float4 near[128];
  const float4 me = bodies[blockIdx.x * 128 + threadIdx.x];
  float x = 0, y = 0, z = 0;
  for (int t = 0; t < n; t += 128) {
    near[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float dx = near[k].x - me.x, dy = near[k].y - me.y, dz = near[k].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = near[k].w * r * r * r;
      x += f * dx;
      y += f * dy;
      z += f * dz;
    }
    __syncthreads();
  }
  forces[blockIdx.x * 128 + threadIdx.x] = make_float4(x, y, z, 0);
}

double milliseconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < 4; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (i > 0) times.push_back(took.count());  // the first run touches the memory
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main() {
  constexpr int n = 1 << 20, side = 1024;
  float *a, *b;
  unsigned *bins, *order;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&bins, 256 * sizeof(unsigned));
  cudaMalloc(&order, n * sizeof(unsigned));
  std::vector<float> values(n);
  std::vector<unsigned> places(n);
  for (int i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i % 1000) * 0.001f;
    places[i] = static_cast<unsigned>(i) * 40503u % n;  // odd: every place once
  }
  cudaMemcpy(a, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(order, places.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 256 * sizeof(unsigned));

  const auto show = [](const char* name, const std::function<void()>& work) {
    std::printf("%s %.4f\n", name, milliseconds(work));
    std::fflush(stdout);
  };
  show("elementwise", [&] { elementwise<<<n / 256, 256>>>(a, b, n); });
  show("stencil", [&] { stencil<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(a, b, side, side); });
  show("matmul", [&] { matmul<<<dim3(16, 16), dim3(tile, tile)>>>(a, a + 65536, b, 256); });
  show("reduce", [&] { reduce<<<64, 256>>>(a, b, n); });
  show("histogram", [&] { histogram<<<64, 256>>>(order, bins, n); });
  show("scan", [&] { scan<<<n / 256, 256>>>(a, b); });
  show("transpose", [&] { transpose<<<dim3(32, 32), dim3(32, 8)>>>(a, b, side); });
  show("softmax", [&] { softmax<<<side, 32>>>(a, b, side); });
  show("gather", [&] { gather<<<n / 256, 256>>>(a, order, b, n); });
  show("nbody", [&] {
    nbody<<<16, 128>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b), 2048);
  });
  cudaFree(a);
  cudaFree(b);
  cudaFree(bins);
  cudaFree(order);
  return cudaGetLastError() != cudaSuccess;
}
