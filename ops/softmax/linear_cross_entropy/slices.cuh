// The words in slices: the losses from a first pass over all of them, the gradients from a second one.
//
// A slice of words has all rows, so its part of dweight is complete when its product ends: nothing is added up in memory but
// dhidden, which is small. The price is that the logits are made twice, except those of the last slice, with which the second
// pass begins: they are still there. If it has all words, nothing is made twice or added up.
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

// Where everything lies in the scratch memory, and how many words a slice has: as many as fit into a share of what the caller
// holds anyway, both inputs and both gradients, but always some.
struct SlicePlan {
  std::int64_t slice;  // words, and the pitch of a row of logits
  std::int64_t slices;
  int parts;  // of a slice, in the product for dhidden where it has few tiles
  std::int64_t states_at, sums_at, logits_at, bytes;

  // The first slice has what the others leave: the last one, whose logits are kept, is full.
  std::int64_t first(std::int64_t s, std::int64_t words) const {
    return s == 0 ? 0 : words - (slices - s) * slice;
  }
  // All words in one slice and one part: dhidden needs no sums.
  bool whole() const { return slices <= 1 && parts == 1; }

  SlicePlan(const Args& args, double share, int parts_of_slice)
      : parts(args.has_dhidden() ? parts_of_slice : 1) {
    const std::int64_t rows = std::max<std::int64_t>(args.rows(), 1), width = args.width();
    const auto up = [](std::int64_t n, std::int64_t to) { return ceil_div(n, to) * to; };
    const std::int64_t words = std::max<std::int64_t>(args.words(), 1), all = up(words, 8);
    const auto room = static_cast<std::int64_t>(
        share * 2 * static_cast<double>(args.hidden.bytes() + args.weight.bytes()));
    states_at = up(sizeof(TokenScratch), 256);
    sums_at = up(states_at + rows * std::int64_t(sizeof(RowState)), 256);
    const auto place = [&](bool sums) {
      logits_at = up(sums_at + (sums ? parts * rows * width * 4 : 0), 256);
      return std::max<std::int64_t>(room - logits_at, 0) / (2 * rows);  // words that fit
    };
    slice = all;
    if (place(parts > 1) < all) {
      slice = std::max<std::int64_t>(place(true) / 256 * 256, least_slice);
      slice = std::min(slice, all);
    }
    slices = ceil_div(args.words(), slice);
    place(!whole());
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
void launch_slices(const Args& args, const SlicePlan& plan, cudaStream_t stream,
                   Multiply multiply) {
  const std::int64_t rows = args.rows(), words = args.words(), width = args.width();
  WARPATH_CHECK(words < std::int64_t(1) << 31, "linear_cross_entropy: takes fewer than 2^31 words");
  auto* const at = static_cast<char*>(args.scratch.data);
  auto* const scratch = reinterpret_cast<TokenScratch*>(at);
  auto* const states = reinterpret_cast<RowState*>(at + plan.states_at);
  auto* const sums = reinterpret_cast<float*>(at + plan.sums_at);
  T* const logits = reinterpret_cast<T*>(at + plan.logits_at);
  const T *hidden = args.hidden.as<T>(), *weight = args.weight.as<T>();

  const Tokens tokens = tokens_of(args, scratch, stream);
  const std::int64_t slices = rows > 0 ? plan.slices : 0;
  const auto first_of = [&](std::int64_t s) { return plan.first(s, words); };
  const auto size_of_slice = [&](std::int64_t s) { return first_of(s + 1) - first_of(s); };
  const auto make_logits = [&](std::int64_t s) {
    multiply(Product<T>{hidden, weight + first_of(s) * width, width, 1, 1, width, logits,
                        plan.slice, false, false, rows, size_of_slice(s), width});
  };
  const bool gradients = args.has_dhidden() || args.has_dweight();
  for (std::int64_t s = 0; s < slices; ++s) {
    make_logits(s);
    if (slices == 1 && gradients) break;  // the losses and the gradient at once, below
    see_slice<T><<<grid_x(rows, 1), row_threads, 0, stream>>>(
        logits, plan.slice, int(first_of(s)), int(size_of_slice(s)), tokens, states);
  }
  const std::int64_t elements = plan.parts * rows * width;
  int added = plan.parts;
  if (slices > 1 && args.has_dhidden())
    CUDA_CHECK(cudaMemsetAsync(sums, 0, static_cast<std::size_t>(elements) * 4, stream));
  for (std::int64_t s = slices - 1; s >= 0 && gradients; --s) {
    const std::int64_t first = first_of(s), count = size_of_slice(s);
    if (s < slices - 1) make_logits(s);
    if (slices == 1)
      token_rows<T><<<grid_x(rows, 1), row_threads, 0, stream>>>(logits, plan.slice, tokens);
    else
      slopes_of_slice<T><<<grid_x(rows, 1), row_threads, 0, stream>>>(
          logits, plan.slice, int(first), int(count), tokens, states);
    if (args.has_dweight())
      multiply(Product<T>{logits, hidden, 1, plan.slice, width, 1,
                          args.dweight.as<T>() + first * width, width, false, false, count, width,
                          rows});
    if (!args.has_dhidden()) continue;
    void* const to = plan.whole() ? args.dhidden.data : static_cast<void*>(sums);
    Product<T> back{logits, weight + first * width, plan.slice, 1,    width, 1,    to,
                    width,  !plan.whole(),          slices > 1, rows, width, count};
    back.part = ceil_div(ceil_div(plan.slice, 64), plan.parts) * 64;
    back.parts = static_cast<int>(ceil_div(count, back.part));
    if (slices == 1) added = back.parts;  // the others are not even zero
    multiply(back);
  }
  if (slices > 0 && args.has_dhidden() && !plan.whole())
    add_parts<T><<<grid_x(rows * width, 256), 256, 0, stream>>>(sums, added, rows * width,
                                                                args.dhidden.as<T>());
  if (slices == 0) clear_dweight(args, stream);
  launch_total(tokens, scratch, args.total.as<float>(), stream);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpath::linear_cross_entropy
