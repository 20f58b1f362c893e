// A block for each tile of queries: a producer's warp group, and two or three of consumers.
#pragma once
#include "ops/attention/attention/hopper_call.cuh"
#include "ops/attention/attention/hopper_schedule.cuh"

namespace warpath::attention::hopper {
namespace {

template <class Tile, class How>
__global__ void __launch_bounds__(Tile::threads, 1)
    one_tile(const __grid_constant__ Maps maps, Problem problem) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& at = storage_in<Storage<Tile>>(shared);
  Work w;
  if (!find_work<Tile>(problem, int(blockIdx.x), w)) return;
  if (threadIdx.x == 0) at.init();
  __syncthreads();
  if (is_producer()) {
    ptx::give_registers<Tile::producer_registers>();
    if (threadIdx.x == 0)
      Loads<Tile>(at, maps).load(w, key_tiles<Tile>(visible_of(problem, w), w.row));
  } else {
    ptx::take_registers<Tile::consumer_registers>();
    Consumer<Tile, How> consumer(at, problem, consumer_group());
    if (How::turns) Turns<Tile::groups>::open(consumer.group);
    consumer.tile(w);
    if (How::turns) Turns<Tile::groups>::close(consumer.group);
  }
}

template <class Tile, class How>
void launch_one_tile(const Forward& args, cudaStream_t stream) {
  const Problem p = problem_of<Tile>(args);
  const auto kernel = one_tile<Tile, How>;
  const int bytes = allow_shared(kernel, sizeof(Storage<Tile>));
  kernel<<<unsigned(work_items(p)), Tile::threads, bytes, stream>>>(maps_of<Tile>(args), p);
}

// Calls with a soft cap or dropout are rarer: one size for all heads.
template <class How>
void launch_general(const Forward& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&]<class T>(Tag<T>) {
    launch_one_tile<Tile<T, 128, 128, 128, 2, 2>, How>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

template <class How>
void launch_way(const Forward& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&]<class T>(Tag<T>) {
    if (args.q.shape[3] <= 64)
      launch_one_tile<Tile<T, 64, 64, 128, 3, 2>, How>(args, stream);
    else
      launch_one_tile<Tile<T, 128, 128, 128, 2, 2>, How>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace
}  // namespace warpath::attention::hopper
