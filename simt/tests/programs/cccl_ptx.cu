// cuda::ptx, CCCL's wrappers of PTX: special registers, bits, shuffles, loads and stores, mbarriers, clusters, bulk copies,
// reductions, tensor maps, fences. NV_IF_TARGET takes the side of sm_90.

#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <nv/target>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace ptx = cuda::ptx;
using cuda::device::barrier_native_handle;

__global__ void lanes(unsigned* out) {
  const unsigned lane = ptx::get_sreg_laneid();
  unsigned bad = lane != threadIdx.x % 32 || ptx::get_sreg_tid_x() != threadIdx.x ||
                 ptx::get_sreg_ntid_x() != blockDim.x;
  bad += ptx::get_sreg_lanemask_lt() != (1u << lane) - 1 || ptx::get_sreg_ctaid_x() != blockIdx.x;
  bad +=
      ptx::bfind(0x00f00000u + lane) != 23 || ptx::bfind_shiftamt(uint64_t{1} << lane) != 63 - lane;
  bad += ptx::bmsk_clamp(lane, 4u) != (lane < 32 ? 0xfu << lane : 0) ||
         ptx::shl(1u, lane) != 1u << lane;
  bad += ptx::shr(-64, 3u) != -8 || ptx::prmt(0x03020100u, 0x07060504u, 0x7531u) != 0x07050301u;
  bool from_inside = false;
  bad += ptx::shfl_sync_down(lane, from_inside, 1u, 31u, 0xffffffffu) !=
             (lane < 31 ? lane + 1 : lane) ||
         from_inside != (lane < 31);
  bad += ptx::shfl_sync_bfly(lane, 5u, 31u, 0xffffffffu) != (lane ^ 5u);
  out[threadIdx.x] = bad;
}

// A copy in, another from block to block of the cluster, values and sums put into the neighbour's memory, a copy out.
__global__ void __cluster_dims__(2) cluster(const int* in, int* out, uint64_t* sum) {
  __shared__ alignas(128) int part[64], other[64], received[64];
  __shared__ alignas(8) uint64_t bars[3];
  __shared__ alignas(16) uint64_t total[2];
  __shared__ alignas(16) uint32_t quad[4];
  const unsigned rank = ptx::get_sreg_cluster_ctarank(), neighbour = rank ^ 1;
  if (threadIdx.x == 0) {
    for (uint64_t& bar : bars) ptx::mbarrier_init(&bar, 1);
    total[0] = total[1] = 0;
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);

  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bars[0],
                                   sizeof part);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, part, in + rank * 64, sizeof part,
                       &bars[0]);
  }
  while (!ptx::mbarrier_try_wait_parity(&bars[0], 0)) {
  }
  for (int i = threadIdx.x; i < 64; i += blockDim.x) other[i] = 2 * part[i];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();

  uint64_t state = 0;
  if (threadIdx.x == 0) {
    state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared,
                                           &bars[1], sizeof received);
    // To the neighbour, whose barrier counts the bytes.
    uint64_t remote = 0;
    int* to = nullptr;
    asm("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"(received), "r"(neighbour));
    asm("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(&bars[1]), "r"(neighbour));
    if (ptx::getctarank(ptx::space_cluster, to) != neighbour) printf("a wrong rank\n");
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, other, sizeof received,
                       (uint64_t*)remote);
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, &bars[1], state)) {
    }
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared,
                                   &bars[2], 24);
    uint64_t *bar = nullptr, *sums = nullptr;
    uint32_t* four = nullptr;
    asm("mapa.u64 %0, %1, %2;" : "=l"(bar) : "l"(&bars[2]), "r"(neighbour));
    asm("mapa.u64 %0, %1, %2;" : "=l"(sums) : "l"(total), "r"(neighbour));
    asm("mapa.u64 %0, %1, %2;" : "=l"(four) : "l"(quad), "r"(neighbour));
    const uint32_t values[4] = {rank, 10, 20, 30};
    ptx::st_async(four, values, bar);
    ptx::red_async(ptx::op_add, sums, (uint64_t)(100 + rank), bar);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bars[2], 0)) {
    }
    if (quad[0] != neighbour || quad[3] != 30 || total[0] != 100 + neighbour)
      printf("a wrong value\n");
    received[0] += (int)total[0];
    ptx::fence_proxy_async();
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + rank * 64, received,
                       sizeof received);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, total,
                              sizeof total);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

// A tensor map that the kernel changes before it uses it.
__global__ void map_of_its_own(const __grid_constant__ CUtensorMap given, CUtensorMap* own,
                               const int* data, int* out) {
  __shared__ alignas(128) CUtensorMap map;
  __shared__ alignas(128) int box[32];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    map = given;
    ptx::tensormap_replace_global_address(ptx::space_shared, &map, data);
    ptx::tensormap_replace_global_dim(ptx::space_shared, &map, ptx::n32_t<0>(), 64);
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncwarp();
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, own, &map, ptx::n32_t<128>());
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, own, ptx::n32_t<128>());
  if (threadIdx.x == 0) {
    const int32_t at[1] = {32};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, own, at, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                   sizeof box);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  out[threadIdx.x] = box[threadIdx.x];
}

// cuda::barrier's own word, and a plain arrival beside it.
__global__ void handle(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, 2 * blockDim.x);
  __syncthreads();
  ptx::mbarrier_arrive(barrier_native_handle(bar));
  bar.arrive_and_wait();
  ptx::fence(ptx::sem_sc, ptx::scope_gpu);
  if (threadIdx.x != 0) return;
  NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, (*out = 100;), NV_PROVIDES_SM_90, (*out = 90;), NV_IS_HOST,
                     (*out = 1;))
}

int main() {
  unsigned* bad;
  cudaMallocManaged(&bad, 64 * sizeof *bad);
  lanes<<<1, 64>>>(bad);
  cudaDeviceSynchronize();
  unsigned wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += bad[i];
  printf("registers, bits and shuffles: %u wrong\n", wrong);

  int *in, *out;
  uint64_t* sum;
  cudaMallocManaged(&in, 128 * sizeof *in);
  cudaMallocManaged(&out, 128 * sizeof *out);
  cudaMallocManaged(&sum, 16);
  for (int i = 0; i < 128; ++i) in[i] = i;
  sum[0] = sum[1] = 0;
  cluster<<<2, 32>>>(in, out, sum);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int i = 0; i < 128; ++i) wrong += out[i] != 2 * (i ^ 64) + (i % 64 == 0 ? 101 - i / 64 : 0);
  printf("a cluster: %u wrong, the sum is %d\n", wrong, (int)sum[0]);

  const cuuint64_t size[] = {32};
  const cuuint32_t box[] = {32}, step[] = {1};
  CUtensorMap map, *own;
  cudaMallocManaged(&own, sizeof map);
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, out, size, nullptr, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  map_of_its_own<<<1, 32>>>(map, own, in, out);
  int flag = 0;
  handle<<<1, 64>>>(&out[64]);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int i = 0; i < 32; ++i) wrong += out[i] != 32 + i;
  flag = out[64];
  printf("a changed map: %u wrong; a barrier's word: %d\n", wrong, flag);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(bad), cudaFree(in), cudaFree(out), cudaFree(sum), cudaFree(own);
}
