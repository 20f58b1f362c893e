// mbarriers in all their forms, clusters that reach each other's, copies to several blocks at once, elections;
// and deadlocks that name the barrier.
#include <cstring>

#include "hopper.h"

__device__ unsigned rank() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ unsigned in_block(const void* p, unsigned block) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(hopper::address(p)), "r"(block));
  return there;
}
__device__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

// One block: counts, states, parities, announced bytes that threads bring themselves.
__global__ void forms(int* out) {
  __shared__ uint64_t bar;
  const unsigned at = hopper::address(&bar);
  if (threadIdx.x == 0) hopper::init(&bar, 64);
  __syncthreads();
  uint64_t state;
  unsigned over = 7, missing = 0;
  if (threadIdx.x < 31) {
    asm volatile("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %0, [%1], 2;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
  }
  __syncwarp();
  if (threadIdx.x == 31) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], 48;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
  }
  if (threadIdx.x == 31) {
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(missing) : "l"(state));
    out[0] = static_cast<int>(missing);
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, "
        "0, p;\n}"
        : "=r"(over)
        : "r"(at)
        : "memory");
    out[1] = static_cast<int>(over);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 48;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  }
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.acquire.cta.shared::cta.b64 p, [%1], %2, "
        "1000;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(over)
        : "r"(at), "l"(state)
        : "memory");
  } while (!over);
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
  if (threadIdx.x == 1) out[2] = static_cast<int>(over);
}

// A lane that is elected, hints, registers handed over: one of each warp adds.
__global__ void odds(int* out) {
  unsigned leads, lane;
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile(
      "{\n.reg .pred p;\n.reg .b32 r<2>;\nelect.sync r0|p, 0xffffffff;\nmov.b32 r1, r0;\nselp.b32 "
      "%0, 1, 0, p;\n"
      "mov.b32 %1, r1;\n}"
      : "=r"(leads), "=r"(lane));
  if (leads)
    atomicAdd(out, 1 + static_cast<int>(lane) +
                       (static_cast<int>(threadIdx.x % 32) == static_cast<int>(lane)));
  asm volatile("griddepcontrol.launch_dependents;");
  int sum = 0;
  // A loop in PTX: 1 + ... + 10.
  asm("{\n.reg .pred q;\n.reg .s32 i;\nmov.s32 i, 10;\nMORE_%=:\nadd.s32 %0, %0, i;\nsub.s32 i, i, "
      "1;\n"
      "setp.gt.s32 q, i, 0;\n@q bra MORE_%=;\n}"
      : "+r"(sum));
  if (threadIdx.x == 0) out[1] = sum;
  asm volatile("red.global.add.s32 [%0], %1;" ::"l"(out + 2), "r"(2) : "memory");
  unsigned old = 0;
  asm volatile("atom.global.max.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(out + 3), "r"(threadIdx.x)
               : "memory");
  asm volatile("red.release.gpu.global.add.noftz.f16x2 [%0], %1;" ::"l"(out + 4), "r"(0x3c003800u)
               : "memory");
}

// Each block loads half of a box and sends it to both; everyone arrives at the other's barrier.
__global__ void __cluster_dims__(2) share(const __grid_constant__ CUtensorMap map, int* out) {
  __shared__ alignas(128) int box[2][32];
  __shared__ uint64_t full, done;
  __shared__ int mail[4];
  if (threadIdx.x == 0) {
    hopper::init(&full, 1);
    hopper::init(&done, 64);
    hopper::fence_init();
  }
  sync_cluster();
  const unsigned me = rank();
  if (threadIdx.x == 0) {
    hopper::expect(&full, 256 + 16);
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
        "multicast::cluster "
        "[%0], [%1, {%2}], [%3], %4;" ::"r"(hopper::address(box[me])),
        "l"(&map), "r"(32 * static_cast<int>(me)), "r"(hopper::address(&full)),
        "h"(static_cast<unsigned short>(3))
        : "memory");
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
        "[%5];" ::"r"(in_block(mail, me ^ 1)),
        "r"(10 + me), "r"(20 + me), "r"(30 + me), "r"(40 + me), "r"(in_block(&full, me ^ 1))
        : "memory");
  }
  hopper::wait(&full, 0);
  atomicAdd(out + me, box[0][threadIdx.x % 32] + box[1][threadIdx.x % 32] + mail[threadIdx.x % 4]);
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&done, me ^ 1))
      : "memory");
  hopper::wait(&done, 0);
  sync_cluster();
}

// Announces more than comes.
__global__ void short_of_bytes(const int* in) {
  __shared__ alignas(128) int data[64];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    hopper::init(&bar, 1);
    hopper::fence_init();
    hopper::expect(&bar, 512);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, "
        "[%2];" ::"r"(hopper::address(data)),
        "l"(in), "r"(hopper::address(&bar))
        : "memory");
  }
  __syncthreads();
  hopper::wait(&bar, 0);
}

// Block 1 never arrives.
__global__ void __cluster_dims__(2) lonely() {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    hopper::init(&bar, 1);
    hopper::fence_init();
  }
  sync_cluster();
  if (rank() == 0) hopper::wait(&bar, 0);
  sync_cluster();
}

int main() {
  int* out;
  cudaMallocManaged(&out, 4096);
  memset(out, 0, 4096);
  forms<<<1, 32>>>(out);
  printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d missing, over %d, then %d\n", out[0], out[1], out[2]);
  memset(out, 0, 4096);
  odds<<<1, 128>>>(out);
  printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d leaders, sum %d, %d, largest %d, halves %08x\n", out[0], out[1], out[2], out[3],
         out[4]);
  memset(out, 0, 4096);
  for (int i = 0; i < 64; ++i) out[64 + i] = i;
  CUtensorMap map;
  const cuuint64_t dims[] = {64};
  const cuuint32_t rows[] = {32}, ones[] = {1};
  hopper::encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, out + 64, dims, nullptr, rows, ones,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  share<<<2, 64>>>(map, out);
  printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d %d\n", out[0], out[1]);
  lonely<<<2, 32>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  cudaMallocManaged(&out, 4096);
  short_of_bytes<<<1, 32>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
