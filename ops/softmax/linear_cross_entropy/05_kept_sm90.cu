// As many logits as fit are kept between the passes, and products store their results while they multiply.
//
// What changed: 04 makes nearly all logits twice, for a fifth of the memory that 03 takes. With as much as 03 has, 1.2 times
// inputs and gradients, the logits of rows up to 2.4 times the width all fit: one slice, three products, nothing made
// twice and nothing added up. Beyond that, only the words that do not fit are made twice. And the products are those of
// matmul's rung 17: pairs of blocks share b, and a tile leaves by TMA while the next one is multiplied.
// In 03 and 04 the tensor cores wait while the threads store a tile, in pieces of 16 bytes.
// Limit: the logits' way through memory, between the products.
#include "ops/softmax/linear_cross_entropy/slices.cuh"
#include "ops/softmax/linear_cross_entropy/staged_product.cuh"

namespace warpath::linear_cross_entropy {
namespace {

// Into how many parts the words are cut for dhidden, so that its tiles, in waves of the 66 pairs of blocks that an H200
// holds, leave few of them idle. A part has 1024 words or more.
int parts_of(const Args& args) {
  constexpr std::int64_t held = 66, most = 16, least_words = 1024;
  const std::int64_t tiles = ceil_div(std::max<std::int64_t>(args.rows(), 1), 256) *
                             std::max<std::int64_t>(ceil_div(args.width(), 256), 1);
  std::int64_t best = 1;
  double busy = 0;
  for (std::int64_t parts = 1; parts <= std::min(most, args.words() / least_words); ++parts) {
    const std::int64_t waves = ceil_div(tiles * parts, held);
    const double share = static_cast<double>(tiles * parts) / static_cast<double>(waves * held);
    if (share <= busy) continue;
    best = parts;
    busy = share;
    if (busy >= 0.9) break;  // more parts are more sums to add up
  }
  return static_cast<int>(best);
}

SlicePlan plan_of(const Args& args) {
  return {args, 1.2, parts_of(args)};
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch<__half, __nv_bfloat16>(args.hidden.dtype, [&]<class T>(Tag<T>) {
    launch_slices<T>(args, plan_of(args), stream,
                     [&](const Product<T>& p) { multiply_staged(p, stream); });
  });
}

std::int64_t scratch_of_slices(const Args& args) {
  return plan_of(args).bytes;
}

std::string many_tokens(const Args& args) {
  return args.hidden.shape[0] >= 1024 ? "" : "no GPU has timed it with fewer than 1024 tokens: 04";
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores_need, .preferred = many_tokens,
             .scratch = scratch_of_slices);

}  // namespace
}  // namespace warpath::linear_cross_entropy
