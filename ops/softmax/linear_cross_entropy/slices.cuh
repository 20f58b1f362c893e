// The words in slices: the losses from a first pass over all of them, the gradients from a second one.
//
// A slice of words has all rows, so its part of dweight is complete when its product ends: nothing is added up in memory but
// dhidden, which is small. The price is that the logits are made twice; those of the last slice, with which the second pass
// begins, are still there.
#pragma once
#include "ops/softmax/linear_cross_entropy/chunks.cuh"

namespace warpath::linear_cross_entropy {

inline constexpr std::int64_t least_slice = 4096;

// What the first pass knows of a row after some slices.
struct RowState {
  Stat seen;
  float logit;  // of the label, once its slice has been seen
  float sum;    // of all logits, for label smoothing
};

// Where everything lies in the scratch memory: less than a fifth of what the caller holds anyway, both inputs and both
// gradients, but always room for slices of some size.
struct SlicePlan {
  std::int64_t slice;  // words, and the pitch of a row of logits
  int parts;           // of a slice, in the product for dhidden where it has few tiles
  std::int64_t states_at, sums_at, logits_at, bytes;

  explicit SlicePlan(const Args& args) {
    const std::int64_t rows = std::max<std::int64_t>(args.rows(), 1), width = args.width();
    const auto up = [](std::int64_t n, std::int64_t to) { return ceil_div(n, to) * to; };
    const std::int64_t tiles =
        ceil_div(rows, 128) * std::max<std::int64_t>(ceil_div(width, 256), 1);
    parts = static_cast<int>(std::clamp<std::int64_t>(128 / tiles, 1, 4));
    states_at = up(sizeof(TokenScratch), 256);
    sums_at = up(states_at + rows * std::int64_t(sizeof(RowState)), 256);
    logits_at = up(sums_at + parts * rows * width * 4, 256);
    const std::int64_t fifth = 2 * (args.hidden.bytes() + args.weight.bytes()) / 5;
    const std::int64_t fit = std::max<std::int64_t>(fifth - logits_at, 0) / (2 * rows);
    slice = std::max<std::int64_t>(fit / 256 * 256, least_slice);
    slice = std::min(slice, up(std::max<std::int64_t>(args.words(), 1), 8));
    bytes = logits_at + rows * slice * 2;
  }
};

// One block per row: `words` logits, of which the first is word `first`, are joined to what was seen.
template <class T>
static __global__ void __launch_bounds__(row_threads)
    see_slice(const T* logits, std::int64_t pitch, int first, int words, Tokens tokens,
              RowState* states) {
  __shared__ Stat slots[row_threads / 32];
  __shared__ float sums[row_threads / 32];
  const std::int64_t row = blockIdx.x;
  const T* const x = logits + row * pitch;
  Stat seen = nothing();
  float sum = 0;
  for_each_of_row(x, words, [&](const auto& v, int) {
    seen = include(seen, v);
    if (tokens.smoothing != 0) sum += sum_of(v);
  });
  seen = block_join<row_threads>(seen, slots);
  if (tokens.smoothing != 0) sum = block_reduce<row_threads>(sum, Sum{}, sums);
  if (threadIdx.x != 0) return;
  RowState state = first == 0 ? RowState{nothing(), 0, 0} : states[row];
  const Target target(tokens, row);
  if (unsigned(target.word - first) < unsigned(words))
    state.logit = to_float(x[target.word - first]);
  state.seen = join(state.seen, seen);
  state.sum += sum;
  states[row] = state;
  if (first + words == tokens.words)
    write_token(tokens, row, target, state.seen, state.logit, state.sum);
}

// One block per row: the gradient over the logits.
template <class T>
static __global__ void __launch_bounds__(row_threads)
    slopes_of_slice(T* logits, std::int64_t pitch, int first, int words, Tokens tokens,
                    const RowState* states) {
  const std::int64_t row = blockIdx.x;
  T* const x = logits + row * pitch;
  const Slope slope(tokens, Target(tokens, row), states[row].seen, gradient_scale(tokens));
  for_each_of_row(x, words, [&]<int M>(const Vector<T, M>& v, int c) {
    store<M>(x + c, slope.of(v, first + c));
  });
}

// multiply(product) launches d = a b for the rung, with k in parts where it is asked to.
template <class T, class Multiply>
void launch_slices(const Args& args, cudaStream_t stream, Multiply multiply) {
  const SlicePlan plan(args);
  const std::int64_t rows = args.rows(), words = args.words(), width = args.width();
  WARPATH_CHECK(words < std::int64_t(1) << 31, "linear_cross_entropy: takes fewer than 2^31 words");
  auto* const at = static_cast<char*>(args.scratch.data);
  auto* const scratch = reinterpret_cast<TokenScratch*>(at);
  auto* const states = reinterpret_cast<RowState*>(at + plan.states_at);
  auto* const sums = reinterpret_cast<float*>(at + plan.sums_at);
  T* const logits = reinterpret_cast<T*>(at + plan.logits_at);
  const T *hidden = args.hidden.as<T>(), *weight = args.weight.as<T>();

  const Tokens tokens = tokens_of(args, scratch, stream);
  const std::int64_t slices = rows > 0 ? ceil_div(words, plan.slice) : 0;
  const auto first_of = [&](std::int64_t s) { return s * plan.slice; };
  const auto size_of_slice = [&](std::int64_t s) {
    return std::min(plan.slice, words - first_of(s));
  };
  const auto make_logits = [&](std::int64_t s) {
    multiply(Product<T>{hidden, weight + first_of(s) * width, width, 1, 1, width, logits,
                        plan.slice, false, false, rows, size_of_slice(s), width});
  };
  for (std::int64_t s = 0; s < slices; ++s) {
    make_logits(s);
    see_slice<T><<<grid_x(rows, 1), row_threads, 0, stream>>>(
        logits, plan.slice, int(first_of(s)), int(size_of_slice(s)), tokens, states);
  }
  const std::int64_t elements = plan.parts * rows * width;
  CUDA_CHECK(cudaMemsetAsync(sums, 0, static_cast<std::size_t>(elements) * 4, stream));
  for (std::int64_t s = slices - 1; s >= 0; --s) {
    const std::int64_t first = first_of(s), count = size_of_slice(s);
    if (s < slices - 1) make_logits(s);
    slopes_of_slice<T><<<grid_x(rows, 1), row_threads, 0, stream>>>(logits, plan.slice, int(first),
                                                                    int(count), tokens, states);
    multiply(Product<T>{logits, hidden, 1, plan.slice, width, 1,
                        args.dweight.as<T>() + first * width, width, false, false, count, width,
                        rows});
    Product<T> back{logits,     weight + first * width,
                    plan.slice, 1,
                    width,      1,
                    sums,       width,
                    true,       true,
                    rows,       width,
                    count};
    back.part = ceil_div(ceil_div(plan.slice, 64), plan.parts) * 64;
    back.parts = static_cast<int>(ceil_div(count, back.part));
    multiply(back);
  }
  if (slices > 0)
    add_parts<T><<<grid_x(rows * width, 256), 256, 0, stream>>>(sums, plan.parts, rows * width,
                                                                args.dhidden.as<T>());
  else
    CUDA_CHECK(cudaMemsetAsync(args.dweight.data, 0, static_cast<std::size_t>(args.dweight.bytes()),
                               stream));
  launch_total(tokens, scratch, args.total.as<float>(), stream);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpath::linear_cross_entropy
