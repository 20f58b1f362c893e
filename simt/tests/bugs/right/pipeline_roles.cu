// A pipeline in which each thread says what it is; its state is shared memory that nobody has written before.
#include <cooperative_groups.h>

#include <cuda/pipeline>

constexpr int width = 64, stages = 2, steps = 4;

__global__ void run(const int* in, int* out) {
  const auto block = cooperative_groups::this_thread_block();
  __shared__ int buffer[stages][width];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const bool produces = threadIdx.x < width;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int i = 0; i < steps; ++i) {
    const int lane = threadIdx.x % width;
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[i % stages][lane], &in[i * width + lane], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      out[i * width + lane] = buffer[i % stages][lane] + 1;
      pipe.consumer_release();
    }
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, steps * width * sizeof(int));
  cudaMallocManaged(&out, steps * width * sizeof(int));
  for (int i = 0; i < steps * width; ++i) in[i] = i;
  run<<<1, 2 * width>>>(in, out);
  cudaDeviceSynchronize();
  const bool right = out[steps * width - 1] == steps * width;
  cudaFree(in);
  cudaFree(out);
  return right ? 0 : 1;
}
