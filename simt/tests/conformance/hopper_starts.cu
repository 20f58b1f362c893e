// TMA: where a box may begin. At no multiple of 16 bytes of a row it is an illegal instruction; a load may begin before the
// tensor, a store or a sum may not. An error ends the context, so each box has a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "../programs/hopper_boxes.h"

__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y, bool add) {
  __shared__ alignas(128) unsigned char box[64];
  box[threadIdx.x] = 1;
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (add) {
    hopper::add_2d(&map, x, y, box);
  } else {
    hopper::store_2d(&map, x, y, box);
  }
  hopper::commit_stores();
  hopper::wait_stores();
}

enum class Way { load, store, add };

struct Case {
  const char* name;
  Way way;
  CUtensorMapDataType type;
  int size;
};

// A box of 32 bytes in each of two rows, in four rows of 128 bytes.
void run(const Case& c, int x, int y) {
  unsigned char* data;
  if (cudaMallocManaged(&data, 1024) != cudaSuccess) return;
  for (int i = 0; i < 512; ++i) data[i] = 0;
  const CUtensorMap map = hopper::matrix_map(c.type, c.size, data, 128 / c.size, 4, 32 / c.size, 2,
                                             CU_TENSOR_MAP_SWIZZLE_NONE);
  if (c.way == Way::load) {
    fetch<2><<<1, 64>>>(map, Place{{x, y}}, 64, 64, data + 512);
  } else {
    store<<<1, 64>>>(map, x, y, c.way == Way::add);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s at %d, %d: %s", c.name, x, y, cudaGetErrorName(error));
  int written = 0;
  if (error == cudaSuccess)
    for (int i = 0; i < 512; ++i) written += data[i] != 0;
  printf(", %d bytes written\n", written);
}

// Whether all went well. Forked before this process's first call of CUDA: a child could not use a context of its parent.
bool in_a_process(const Case& c, int x, int y) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run(c, x, y);
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s at %d, %d: signal %d\n", c.name, x, y, WTERMSIG(status));
  return status == 0;
}

int main() {
  const Case halves{"load of halves", Way::load, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2};
  const Case bytes{"store of bytes", Way::store, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1};
  const Case words{"sum of words", Way::add, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4};
  bool good = true;
  for (int x : {-8, 56, -5, 4}) good &= in_a_process(halves, x, 0);
  for (int y : {-1, 3}) good &= in_a_process(halves, 0, y);
  for (int x : {112, 144, -16, -32, 8}) good &= in_a_process(bytes, x, 0);
  for (int y : {3, 4, -1}) good &= in_a_process(bytes, 0, y);
  for (int x : {28, 36, -4, 2}) good &= in_a_process(words, x, 0);
  for (int y : {3, -1}) good &= in_a_process(words, 0, y);
  return good ? 0 : 1;
}
