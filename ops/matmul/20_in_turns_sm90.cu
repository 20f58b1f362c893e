// Two tiles at a time: one warp group multiplies while the other stores.
//
// What changed: in 18 both consumers work on one tile, and both have its end to do before the next one's products start.
// Here each has a tile of its own, and they take turns at the tensor cores (hopper_turns.cuh).
// It pays where a tile's end is long beside its products: where all tiles are done in one round, of which the first half
// can be stored while the second is multiplied; and for a short k, as long as d is narrow and b's share of the copies
// small. Elsewhere 18's wider tiles, which copy less, are faster, and this rung leaves them to it.
// Limit: for one round, the way from the launch to the first products, and from the last one to memory.
#include "hopper_turns.cuh"

namespace warpath::matmul {
namespace {

using namespace hopper;

template <class T, bool A, bool B>
using OneRound = Tile<T, 128, 128, 6, A, B, 2>;
template <class T, bool A, bool B>
using ShortSums = Tile<T, 128, 192, 4, A, B, 2>;

constexpr int one_round_k = 2048, short_k = 1024, narrow_n = 768;

// Tiles of a pair of blocks.
std::int64_t pair_tiles(const Args& args, int columns) {
  return args.batch() * ceil_div(args.m(), 256) * ceil_div(args.n(), columns);
}
// Whole tiles of 256 columns would keep most SMs busy, once.
bool one_round(const Args& args) {
  const std::int64_t all = held_clusters<2>(), tiles = pair_tiles(args, 256);
  return args.k() <= one_round_k && 2 * tiles > all && tiles <= all;
}
bool short_sums(const Args& args) {
  const std::int64_t all = held_clusters<2>();
  return args.k() <= short_k && args.n() <= narrow_n && pair_tiles(args, 192) >= 3 * all &&
         ceil_div(args.n(), 192) * 192 <= ceil_div(args.n(), 256) * 256;
}

template <class T>
bool only_scaled(const Epilogue<T>& e) {
  return !e.c && !e.bias && e.activation == Activation::none;
}

std::string fits(const Args& args) {
  if (const std::string why = supports(args); !why.empty()) return why;
  if (args.d.size() == 0) return "an empty d is rung 18_stream_k's";
  if (size_of(args.a.dtype) != 2 || args.d.dtype != args.a.dtype)
    return "16-bit inputs and results only";
  if (laid(args.a, 1).across) return "wants k contiguous in a";
  if (!engine_stores(stack_of_d(args))) return "stores rows of d at multiples of 16 bytes only";
  const auto e = problem_of<__half>(args).out;
  if (!only_scaled(e) && !(only_gelu(e) && short_sums(args)))
    return "has no epilogue but alpha, and GELU for a short k";
  if (!one_round(args) && !short_sums(args))
    return "one round of tiles with k up to 2048, or few columns with k up to 1024: rung "
           "18_stream_k "
           "takes the others";
  return {};
}

template <class Block, Way way>
void launch_turns(const Args& args, cudaStream_t stream) {
  using T = typename Block::T;
  const Shape shape = shape_of<Block, Block::cluster>(args, run_band / Block::cluster);
  const auto clusters = std::min<unsigned>(shape.order.tiles(), held_clusters<Block::cluster>());
  run_launch<Block>(stream)(in_turns<Block, way>, clusters, map_of_a<Block>(args),
                            map_of_b<Block>(args), map_of_d(args), shape, problem_of<T>(args).out);
}

void launch(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    if constexpr (sizeof(T) == 2 && !A) {
      if (args.activation == Activation::gelu)
        launch_turns<ShortSums<T, A, B>, Way::gelu>(args, stream);
      else if (short_sums(args))
        launch_turns<ShortSums<T, A, B>, Way::plain>(args, stream);
      else
        launch_turns<OneRound<T, A, B>, Way::plain>(args, stream);
    }
  });
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::matmul
