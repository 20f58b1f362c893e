// What the Hopper rungs share: how a stage of a and b lies in shared memory, and the ring of stages through which the
// copy engine feeds the tensor cores.
//
// A stage holds 128 bytes of k (64 elements of 16 bits, 32 of f32) for a tile's rows of a and columns of b. The copy
// engine writes it in patches of 64 by 128 bytes, swizzled; the tensor cores read that layout as it is, with k along the
// 128 bytes or, for 16-bit types, across them: so every form of a linear layer's forward and backward pass is taken
// without a transposition.
#pragma once
#include "core/ptx/roles.cuh"
#include "core/ptx/tma.cuh"
#include "core/ptx/wgmma.cuh"
#include "core/tile_order.cuh"

namespace warpath::matmul::hopper {

inline constexpr int patch_rows = 64, patch_bytes = patch_rows * 128, pattern_bytes = 8 * 128;

// Rows that a panel has multiples of: across, its patches lie side by side.
template <bool Across>
inline constexpr int whole = Across ? patch_rows : 8;

// `Rows` rows of a, or columns of b, by one stage of k. Across: the other axis than k is the contiguous one.
template <class T, int Rows, bool Across, int Depth = 128 / sizeof(T)>
struct Panel {
  static constexpr bool across = Across;
  static constexpr int rows = Rows, depth = Depth, bytes = Rows * 128;
  static constexpr int box_rows = Across ? depth : Rows;  // of one copy
  static constexpr int step = Across ? 16 * 128 : 32;     // bytes from one product's k to the next
  static_assert(Rows % whole<Across> == 0 && box_rows <= 256);
  static_assert(Across || Depth == 128 / sizeof(T));

  // issue(where to, which box) for each copy that fills the panel.
  template <class Issue>
  __device__ __forceinline__ static void boxes(unsigned char* to, int row, int k, int batch,
                                               Issue issue) {
    if constexpr (Across) {
#pragma unroll
      for (int p = 0; p < Rows / patch_rows; ++p)
        issue(to + p * patch_bytes, ptx::BoxPlace{row + p * patch_rows, k, batch});
    } else {
      issue(to, ptx::BoxPlace{k, row, batch});
    }
  }
  __device__ __forceinline__ static std::uint64_t descriptor(const unsigned char* panel) {
    return ptx::descriptor(panel, Across ? patch_bytes : 16, pattern_bytes);
  }
};

// M x N of d in a block, a warp group for each 64 rows. A stage has room for `Room` columns of b.
template <class T_, int M, int N, int Stages, bool AAcross, bool BAcross, int Cluster = 1,
          int Room = N>
struct Tile {
  using T = T_;
  using A = Panel<T, M, AAcross>;
  using B = Panel<T, N, BAcross>;
  // Blocks of a cluster, one below the other, share b: each asks for its part of the columns, or of k where those are no
  // whole patches.
  static constexpr bool share_columns = N / Cluster % whole<BAcross> == 0;
  using BShare = Panel<T, share_columns ? N / Cluster : N, BAcross,
                       int(128 / sizeof(T)) / (share_columns ? 1 : Cluster)>;
  static constexpr int cluster = Cluster;
  static constexpr int m = M, n = N, k = A::depth, stages = Stages;
  static constexpr int groups = M / 64;
  static constexpr unsigned stage_bytes = A::bytes + B::bytes;
  static constexpr int b_room = Room * 128;  // bytes
  using Sums = float[N / 2];                 // of a thread: its part of 64 x N
};

// Where a walk along the ring stands. The parity tells the phases of a stage's barriers apart.
template <int Stages>
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == Stages) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ void skip(int stages) {
    stage += stages;
    parity ^= unsigned(stage / Stages) & 1;
    stage %= Stages;
  }
};

template <class Tile>
struct Ring {
  alignas(1024) unsigned char a[Tile::stages][Tile::A::bytes];
  alignas(1024) unsigned char b[Tile::stages][Tile::b_room];
  ptx::Barrier full[Tile::stages], empty[Tile::stages];

  // By one thread; `readers` warps free a stage. A barrier of the block or the cluster must follow.
  __device__ __forceinline__ void init(unsigned readers) {
    for (int s = 0; s < Tile::stages; ++s) {
      ptx::init(full[s], 1);
      ptx::init(empty[s], readers);
    }
    ptx::fence_init();
  }
};

// The swizzle wants multiples of 1024: kernels declare their shared memory with this alignment.
inline constexpr int alignment = 1024;
template <class Storage>
__device__ __forceinline__ Storage& storage_in(unsigned char* shared) {
  if (ptx::shared_address(shared) % alignment != 0) __trap();
  return *reinterpret_cast<Storage*>(shared);
}
template <class Storage>
inline constexpr int storage_bytes = int(sizeof(Storage));

// What a kernel must know of the problem besides its tensor maps.
struct Shape {
  int m, n, steps;  // along k
  bool a_batched, b_batched;
  QuickOrder order;
};

// The roles of a block: the first warp group loads, the others multiply.
inline constexpr int producer_registers = 40, consumer_registers = 232;  // 3 * 168 in all
// The shuffle tells the compiler that all lanes of a warp have the same number: what follows from it is then reckoned
// once a warp.
__device__ __forceinline__ int warp_group_number() {
  return __shfl_sync(0xffffffffu, int(threadIdx.x) / ptx::warp_group, 0);
}
__device__ __forceinline__ bool is_producer() {
  return warp_group_number() == 0;
}
__device__ __forceinline__ int consumer_group() {
  return warp_group_number() - 1;
}
constexpr int warps_of(int groups) {
  return groups * ptx::warp_group / 32;
}

// The tile of this block, where the order counts tiles of the whole cluster.
template <int Cluster>
__device__ __forceinline__ TilePlace own_place(TilePlace at) {
  if constexpr (Cluster > 1) at.row = at.row * Cluster + int(ptx::rank_in_cluster());
  return at;
}

// What a block asks for to fill a stage: its rows of a for itself, its share of b for the whole cluster. The bytes of b
// come from all blocks, and count here all the same.
template <class Tile>
struct Loads {
  Ring<Tile>& ring;
  const CUtensorMap &a, &b;
  const Shape& shape;
  TilePlace at;  // of this block

  __device__ __forceinline__ Loads(Ring<Tile>& r, const CUtensorMap& a_map,
                                   const CUtensorMap& b_map, const Shape& s, TilePlace of_cluster)
      : ring(r), a(a_map), b(b_map), shape(s), at(own_place<Tile::cluster>(of_cluster)) {}

  __device__ __forceinline__ void ask_a(int stage, int step) const {
    ptx::Barrier& full = ring.full[stage];
    ptx::arrive_expecting(full, Tile::stage_bytes);
    Tile::A::boxes(ring.a[stage], at.row * Tile::m, step * Tile::k, at.batch * shape.a_batched,
                   [&](void* to, ptx::BoxPlace p) { ptx::load_box(to, a, p, full); });
  }
  __device__ __forceinline__ void ask_b(int stage, int step) const {
    constexpr std::uint16_t all = (1 << Tile::cluster) - 1;
    ptx::Barrier& full = ring.full[stage];
    const int rank = Tile::cluster > 1 ? int(ptx::rank_in_cluster()) : 0;
    share_of_b(stage, step, rank, [&](void* to, ptx::BoxPlace p) {
      if constexpr (Tile::cluster > 1)
        ptx::load_box_to_all(to, b, p, full, all);
      else
        ptx::load_box(to, b, p, full);
    });
  }
  // The shares of all, for this block alone.
  __device__ __forceinline__ void ask_whole_b(int stage, int step) const {
#pragma unroll
    for (int rank = 0; rank < Tile::cluster; ++rank)
      share_of_b(stage, step, rank,
                 [&](void* to, ptx::BoxPlace p) { ptx::load_box(to, b, p, ring.full[stage]); });
  }

 private:
  template <class Issue>
  __device__ __forceinline__ void share_of_b(int stage, int step, int rank, Issue issue) const {
    using Share = typename Tile::BShare;
    const int column = Tile::share_columns ? rank * Share::rows : 0;
    const int deep = Tile::share_columns ? 0 : rank * Share::depth;
    Share::boxes(ring.b[stage] + (column + deep) * 128, at.column * Tile::n + column,
                 step * Tile::k + deep, at.batch * shape.b_batched, issue);
  }
};

// Fills stages with the steps [begin, end) of a tile; by one thread of each block.
template <class Tile>
__device__ __forceinline__ void produce(const Loads<Tile>& loads, Turn<Tile::stages>& turn,
                                        int begin, int end) {
  for (int step = begin; step < end; ++step, turn.next()) {
    ptx::wait(loads.ring.empty[turn.stage], turn.parity ^ 1);
    loads.ask_a(turn.stage, step);
    loads.ask_b(turn.stage, step);
  }
}

// One stage's products for 64 rows of the tile; they run on after this returns.
template <class Tile>
__device__ __forceinline__ void multiply_stage(typename Tile::Sums& sums, const unsigned char* a,
                                               const unsigned char* b, int group, bool accumulate) {
  const std::uint64_t at = Tile::A::descriptor(a + group * patch_bytes);
  const std::uint64_t bt = Tile::B::descriptor(b);
  ptx::fence_products();
#pragma unroll
  for (int i = 0; i < 4; ++i)  // 32 bytes of k each
    ptx::multiply<typename Tile::T, Tile::A::across, Tile::B::across>(
        sums, ptx::advance(at, i * Tile::A::step), ptx::advance(bt, i * Tile::B::step),
        accumulate || i > 0);
  ptx::commit_products();
}

// The sums of a warp group over the stages of a tile: begin(), a step for every further stage, end(). A stage is freed,
// by free(stage) in every thread, once the products of the next one have been started: one group is always running.
template <class Tile, class Free>
struct Consumer {
  Ring<Tile>& ring;
  Turn<Tile::stages>& turn;
  typename Tile::Sums& sums;
  int group;
  Free free;
  int running = 0;  // the stage

  __device__ __forceinline__ int start(bool accumulate) {
    const int stage = turn.stage;
    ptx::wait(ring.full[stage], turn.parity);
    multiply_stage<Tile>(sums, ring.a[stage], ring.b[stage], group, accumulate);
    turn.next();
    return stage;
  }
  __device__ __forceinline__ void begin() { running = start(false); }
  // meanwhile() is called when the products of two stages are under way.
  template <class Meanwhile>
  __device__ __forceinline__ void step(Meanwhile meanwhile) {
    const int started = start(true);
    meanwhile();
    ptx::wait_products<1>();
    free(running);
    running = started;
  }
  __device__ __forceinline__ void steps(int count) {
    for (int i = 0; i < count; ++i) step([] {});
  }
  __device__ __forceinline__ void end() {
    ptx::wait_products(sums);
    free(running);
  }
};

template <class Tile, class Free>
__device__ __forceinline__ void consume(Ring<Tile>& ring, Turn<Tile::stages>& turn,
                                        typename Tile::Sums& sums, int group, int steps,
                                        Free free) {
  Consumer<Tile, Free> consumer{ring, turn, sums, group, free};
  consumer.begin();
  consumer.steps(steps - 1);
  consumer.end();
}

}  // namespace warpath::matmul::hopper
