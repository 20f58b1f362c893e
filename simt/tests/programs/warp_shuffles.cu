// Shuffles against a plain model: all kinds, widths, partial masks, types.
#include <cstdio>

enum Kind { up, down, exclusive, direct };

template <class T>
__device__ T shuffle(int kind, unsigned mask, T v, int arg, int width) {
  switch (kind) {
    case up:
      return __shfl_up_sync(mask, v, arg, width);
    case down:
      return __shfl_down_sync(mask, v, arg, width);
    case exclusive:
      return __shfl_xor_sync(mask, v, arg, width);
    default:
      return __shfl_sync(mask, v, arg, width);
  }
}

template <class T>
__global__ void run(T* out, int kind, unsigned mask, int arg, int width) {
  if ((mask >> threadIdx.x & 1u) == 0) return;
  out[threadIdx.x] = shuffle(kind, mask, static_cast<T>(threadIdx.x + 100), arg, width);
}

static int source(int kind, int lane, int arg, int width) {
  int first = lane / width * width, s = lane;
  if (kind == up) s = lane - arg < first ? lane : lane - arg;
  if (kind == down) s = lane + arg >= first + width ? lane : lane + arg;
  if (kind == exclusive) s = (lane ^ arg) >= first + width ? lane : lane ^ arg;
  if (kind == direct) s = first + (arg & (width - 1));
  return s;
}

template <class T>
int check() {
  T* out;
  cudaMallocManaged(&out, 32 * sizeof(T));
  int wrong = 0;
  for (unsigned mask : {0xffffffffu, 0x0000ffffu, 0xf0f0f0f0u}) {
    for (int kind = 0; kind < 4; ++kind) {
      for (int width : {2, 4, 8, 16, 32}) {
        for (int arg = 0; arg < 32; ++arg) {
          run<<<1, 32>>>(out, kind, mask, arg, width);
          cudaDeviceSynchronize();
          for (int lane = 0; lane < 32; ++lane) {
            int s = source(kind, lane, arg, width);
            if ((mask >> lane & 1u) == 0 || (mask >> s & 1u) == 0) continue;
            wrong += out[lane] != static_cast<T>(s + 100);
          }
        }
      }
    }
  }
  cudaFree(out);
  return wrong;
}

__global__ void small_types(int* out) {
  short s = static_cast<short>(threadIdx.x);
  bool b = threadIdx.x == 3;
  out[threadIdx.x] = __shfl_sync(0xffffffffu, s, 5) + 100 * __shfl_sync(0xffffffffu, b, 3);
}

__global__ void partial_warp(float* out) {
  float v = static_cast<float>(threadIdx.x);
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}

int main() {
  printf("%d %d %d %d %d\n", check<int>(), check<float>(), check<double>(), check<long long>(),
         check<unsigned long>());
  int* out;
  cudaMallocManaged(&out, 128);
  small_types<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", out[9]);
  float* f;
  cudaMallocManaged(&f, 128);
  partial_warp<<<1, 64>>>(f);
  cudaDeviceSynchronize();
  printf("%g %g\n", f[0], f[1]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
