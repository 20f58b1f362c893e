// A block for each SM that takes tile after tile, the longest first.
//
// What changed: a causal tile at the end of a sequence has many times the keys of one at its beginning. Blocks take the
// tiles in the order of their length from a common counter, so that all SMs end at nearly the same time, and the loads
// of a block's next tile begin while the last one is stored. Heads are taken in groups whose keys and values stay in L2.
// Limit: the tensor cores, and the exponentials between their products.
#include "ops/attention/attention/hopper_call.cuh"
#include "ops/attention/attention/hopper_schedule.cuh"

namespace warpath::attention {
namespace {

using namespace hopper;

template <class Tile>
struct All {
  Storage<Tile> tile;
  WorkQueue<Tile> queue;
};

template <class Tile, bool General>
__global__ void __launch_bounds__(Tile::threads, 1)
    persistent(const __grid_constant__ Maps maps, Problem problem, unsigned* counter) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& all = storage_in<All<Tile>>(shared);
  if (threadIdx.x == 0) {
    all.tile.init();
    all.queue.init();
  }
  __syncthreads();
  if (is_producer()) {
    ptx::give_registers<Tile::producer_registers>();
    if (threadIdx.x >= 32) return;
    Loads<Tile> loads(all.tile, maps);
    WorkSource<Tile> source(all.queue, problem, counter);
    Work w;
    while (source.next(w))
      if (threadIdx.x == 0) loads.load(w, key_tiles<Tile>(visible_of(problem, w), w.row));
  } else {
    ptx::take_registers<Tile::consumer_registers>();
    Consumer<Tile, Way<true, true, General>> consumer(all.tile, problem, consumer_group());
    WorkReader<Tile> reader(all.queue);
    Turns<Tile::groups>::open(consumer.group);
    Work w;
    while (reader.next(w)) consumer.tile(w);
    Turns<Tile::groups>::close(consumer.group);
  }
}

template <class Tile, bool General = false>
void launch_tile(const Forward& args, cudaStream_t stream) {
  const Problem p = problem_of<Tile>(args);
  const auto kernel = persistent<Tile, General>;
  const int bytes = allow_shared(kernel, sizeof(All<Tile>));
  const unsigned blocks = unsigned(std::min<std::int64_t>(multiprocessors(), work_items(p)));
  kernel<<<blocks, Tile::threads, bytes, stream>>>(maps_of<Tile>(args), p,
                                                   static_cast<unsigned*>(args.scratch.data));
}

void launch(const Forward& args, cudaStream_t stream) {
  if (args.o.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&]<class T>(Tag<T>) {
    if (is_general(args))  // rarer: one size for all heads
      launch_tile<Tile<T, 256, 256, 64, 2, 2>, true>(args, stream);
    else if (args.q.shape[3] <= 64)
      launch_tile<Tile<T, 64, 64, 128, 3, 2>>(args, stream);
    else if (args.q.shape[3] <= 128)
      launch_tile<Tile<T, 128, 128, 128, 2, 2>>(args, stream);
    else if (args.q.shape[3] <= 192 && args.v.shape[3] <= 128)
      launch_tile<Tile<T, 192, 128, 128, 2, 2>>(args, stream);
    else
      launch_tile<Tile<T, 256, 256, 64, 2, 2>>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

// On an H200 it is ahead of 10 where tiles differ in their keys (causal, a window, packed sequences), by 1 to 6%, and with heads of
// 64. Whole rows of keys with heads of 128 have a time of an older version only, which was behind 10.
std::string uneven(const Forward& args) {
  const bool even = !args.causal && args.window == 0 && args.q_offsets.rank == 0;
  return even && args.q.shape[3] > 64 && args.q.shape[3] <= 128
             ? "tiles are alike: a block per tile, as 10 has it, is no slower"
             : "";
}

std::int64_t counter_bytes(const Forward&) {
  return sizeof(unsigned);
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = uneven, .scratch = counter_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::attention
