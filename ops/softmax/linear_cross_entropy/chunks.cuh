// The chunks of rows, and what happens to each: three products and the losses in between. A rung
// brings the product.
#pragma once
#include <cstdint>

#include "core/host/dispatch.cuh"
#include "ops/softmax/cut.cuh"
#include "ops/softmax/linear_cross_entropy/linear_cross_entropy.h"
#include "ops/softmax/token_sums.cuh"

namespace warpath::linear_cross_entropy {

using namespace softmax;  // of the family: Stat, Tokens, Cut

// d (m x n) = a b, or d += a b. An operand has one axis of stride 1; d is in rows.
template <class T>
struct Product {
  const T *a, *b;
  std::int64_t a_row, a_k, b_k, b_col;  // strides
  void* d;
  std::int64_t d_row;
  bool to_float, add;  // d is f32 whatever T is; it is added to
  std::int64_t m, n, k;
  // k may be cut into parts, each with a sum of its own in d, one matrix behind the other.
  std::int64_t part = k;  // of k, a multiple of 64 where there are several
  int parts = 1;

  __device__ __forceinline__ std::int64_t part_end(std::int64_t number) const {
    return min(k, (number + 1) * part);
  }
};

// Where everything lies in the scratch memory: less than 1.2 times what the caller holds anyway, both
// inputs and both gradients. The sums of dweight in float are as large as 16-bit weights and their
// gradient; a chunk gets the rest.
struct Plan {
  std::int64_t chunk;  // rows
  std::int64_t pitch;  // of a row of logits, in elements: every row starts at a 16-byte boundary
  int parts = 1;       // of the words, in the product for dhidden: it has few tiles and a long k
  std::int64_t logits_at, parts_at, sums_at, bytes;

  explicit Plan(const Args& args) {
    const auto size = static_cast<std::int64_t>(size_of(args.hidden.dtype));
    const std::int64_t rows = std::max<std::int64_t>(args.rows(), 1), width = args.width();
    const auto up = [](std::int64_t n, std::int64_t to) { return ceil_div(n, to) * to; };
    pitch = up(std::max<std::int64_t>(args.words(), 1), 16 / size);
    const std::int64_t held = 2 * (args.hidden.bytes() + args.weight.bytes());
    const std::int64_t sums = size == 2 && args.has_dweight() ? args.words() * width * 4 : 0;
    const std::int64_t left = std::max(held / 5, size == 2 ? held * 6 / 5 - sums : 0);
    const auto part_bytes = [&] { return parts > 1 ? parts * width * 4 : 0; };  // of a row
    const auto fit = [&] {
      chunk = std::clamp<std::int64_t>(left / (pitch * size + part_bytes()), 1, rows);
      for (const std::int64_t tile : {128, 16})
        if (chunk < rows && chunk >= tile) {
          chunk = chunk / tile * tile;
          break;
        }
    };
    fit();
    const std::int64_t tiles =
        ceil_div(chunk, 128) * std::max<std::int64_t>(ceil_div(width, 256), 1);
    if (size == 2) parts = static_cast<int>(std::clamp<std::int64_t>(128 / tiles, 1, 16));
    fit();
    logits_at = up(sizeof(TokenScratch), 256);
    parts_at = up(logits_at + chunk * pitch * size, 256);
    sums_at = up(parts_at + chunk * part_bytes(), 256);
    bytes = sums_at + sums;
  }
};

inline std::int64_t scratch_bytes(const Args& args) {
  return Plan(args).bytes;
}

inline constexpr int row_threads = 512;

// f(vector, its column) for the elements of a row that begins at a 16-byte boundary.
template <class T, class F>
__device__ __forceinline__ void for_each_of_row(T* x, int words, F f) {
  constexpr int N = lanes_of_16<T>;
  const Cut<N> cut(x, words);
#pragma unroll 4
  for (int v = threadIdx.x; v < cut.vectors; v += row_threads)
    f(load<N>(x + cut.column(v)), cut.column(v));
  if (const int e = cut.edge(threadIdx.x); e >= 0) f(Vector<T, 1>{x[e]}, e);
}

// The losses of a chunk, and the gradient over the logits; zeros behind the row's end, for the
// products read whole vectors. One block per row, as 03 of cross_entropy.
template <class T>
static __global__ void __launch_bounds__(row_threads)
    token_rows(T* logits, std::int64_t pitch, Tokens tokens) {
  __shared__ Stat slots[row_threads / 32];
  __shared__ float sums[row_threads / 32];
  const std::int64_t row = blockIdx.x;
  T* x = logits + row * pitch;
  const Target target(tokens, row);
  const float logit = target.logit(x);
  Stat seen = nothing();
  float sum = 0;
  for_each_of_row(x, tokens.words, [&](const auto& v, int) {
    seen = include(seen, v);
    if (tokens.smoothing != 0) sum += sum_of(v);
  });
  seen = block_join<row_threads>(seen, slots);
  if (tokens.smoothing != 0) sum = block_reduce<row_threads>(sum, Sum{}, sums);
  if (threadIdx.x == 0) write_token(tokens, row, target, seen, logit, sum);
  const Slope slope(tokens, target, seen, gradient_scale(tokens));
  for_each_of_row(x, tokens.words,
                  [&]<int M>(const Vector<T, M>& v, int c) { store<M>(x + c, slope.of(v, c)); });
  if (const int c = tokens.words + int(threadIdx.x); c < pitch) x[c] = from_float<T>(0);
}

template <class T>
static __global__ void __launch_bounds__(256) round_sums(const float* sums, T* to, std::int64_t n) {
  const std::int64_t i = (std::int64_t(blockIdx.x) * 256 + threadIdx.x) * 4;
  if (i + 4 <= n && reinterpret_cast<std::uintptr_t>(to) % (4 * sizeof(T)) == 0) {
    const Vector<float, 4> in = load<4>(sums + i);
    Vector<T, 4> out;
#pragma unroll
    for (int k = 0; k < 4; ++k) out.at[k] = from_float<T>(in.at[k]);
    store<4>(to + i, out);
  } else {
    for (std::int64_t k = i; k < n && k < i + 4; ++k) to[k] = from_float<T>(sums[k]);
  }
}

template <class T>
static __global__ void __launch_bounds__(256)
    add_parts(const float* sums, int parts, std::int64_t n, T* to) {
  const std::int64_t i = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int p = 0; p < parts; ++p) sum += sums[p * n + i];
  to[i] = from_float<T>(sum);
}

// What the kernels need of a call, and for "mean" the labels counted.
inline Tokens tokens_of(const Args& args, TokenScratch* scratch, cudaStream_t stream) {
  Tokens tokens{.labels = args.labels.data,
                .wide = args.labels.dtype == DType::i64,
                .ignore_index = args.ignore_index,
                .rows = args.rows(),
                .words = static_cast<int>(args.words()),
                .smoothing = static_cast<float>(args.label_smoothing),
                .grad_scale = static_cast<float>(args.grad_scale),
                .counted = nullptr,
                .loss = args.loss.as<float>(),
                .lse = nullptr};
  if (args.reduction == Reduction::mean) {
    launch_count(tokens, scratch, stream);
    tokens.counted = &scratch->counted;
  }
  return tokens;
}

// What no row adds to.
inline void clear_dweight(const Args& args, cudaStream_t stream) {
  if (args.has_dweight())
    CUDA_CHECK(cudaMemsetAsync(args.dweight.data, 0, static_cast<std::size_t>(args.dweight.bytes()),
                               stream));
}

// multiply(product) launches d = a b for the rung. CutsK: it takes k in parts.
template <class T, bool CutsK, class Multiply>
void launch_chunks(const Args& args, cudaStream_t stream, Multiply multiply) {
  const Plan plan(args);
  const std::int64_t rows = args.rows(), words = args.words(), width = args.width();
  WARPATH_CHECK(words < std::int64_t(1) << 31, "linear_cross_entropy: takes fewer than 2^31 words");
  auto* const at = static_cast<char*>(args.scratch.data);
  auto* const scratch = reinterpret_cast<TokenScratch*>(at);
  T* const logits = reinterpret_cast<T*>(at + plan.logits_at);
  constexpr bool rounded = sizeof(T) == 2;  // the sums of dweight are not dweight itself
  void* const sums = rounded ? static_cast<void*>(at + plan.sums_at) : args.dweight.data;
  const T *hidden = args.hidden.as<T>(), *weight = args.weight.as<T>();

  const Tokens tokens = tokens_of(args, scratch, stream);
  for (std::int64_t first = 0; first < rows && words > 0; first += plan.chunk) {
    const std::int64_t m = std::min(plan.chunk, rows - first);
    const T* const h = hidden + first * width;
    T* const dhidden = args.dhidden.as<T>() + first * width;
    Tokens chunk = tokens;
    chunk.labels = static_cast<const char*>(tokens.labels) + first * (tokens.wide ? 8 : 4);
    chunk.loss += first;
    chunk.rows = m;
    multiply(Product<T>{h, weight, width, 1, 1, width, logits, plan.pitch, !rounded, false, m,
                        words, width});
    token_rows<T><<<grid_x(m, 1), row_threads, 0, stream>>>(logits, plan.pitch, chunk);
    if (args.has_dhidden()) {
      Product<T> back{logits, weight,   plan.pitch, 1, width, 1,    dhidden,
                      width,  !rounded, false,      m, width, words};
      if (CutsK && plan.parts > 1) {
        back.part = ceil_div(ceil_div(words, 64), plan.parts) * 64;
        back.parts = static_cast<int>(ceil_div(words, back.part));
      }
      if (back.parts > 1) {
        back.d = at + plan.parts_at;
        back.to_float = true;
      }
      multiply(back);
      if (back.parts > 1)
        add_parts<T><<<grid_x(m * width, 256), 256, 0, stream>>>(static_cast<const float*>(back.d),
                                                                 back.parts, m * width, dhidden);
    }
    if (args.has_dweight())
      multiply(Product<T>{logits, h, 1, plan.pitch, width, 1, sums, width, true, first > 0, words,
                          width, m});
  }
  if (rows == 0)
    clear_dweight(args, stream);
  else if (rounded && args.has_dweight() && words * width > 0)
    round_sums<T><<<grid_x(words * width, 4 * 256), 256, 0, stream>>>(
        static_cast<const float*>(sums), args.dweight.as<T>(), words * width);
  launch_total(tokens, scratch, args.total.as<float>(), stream);
  CUDA_CHECK(cudaGetLastError());
}

// f(whether k is the contiguous axis of a, of b): the three forms that a chunk needs.
template <class T, class F>
void with_form(const Product<T>& p, F f) {
  const std::true_type along{};
  const std::false_type across{};
  if (p.a_k != 1)
    f(across, across);
  else if (p.b_k != 1)
    f(along, across);
  else
    f(along, along);
}

// Two neighbours of a row of d, or of the sums of a part of k; width and pitch are even, and so is `column`.
template <class T>
__device__ __forceinline__ void store_pair(const Product<T>& p, std::int64_t row,
                                           std::int64_t column, int part, float first,
                                           float second) {
  if (row >= p.m || column >= p.n) return;
  const std::int64_t at = (part * p.m + row) * p.d_row + column;
  if (!p.to_float) {
    T* const d = static_cast<T*>(p.d) + at;
    if (column + 1 < p.n)
      store<2>(d, Vector<T, 2>{from_float<T>(first), from_float<T>(second)});
    else
      *d = from_float<T>(first);
  } else {  // n is the width
    float* const d = static_cast<float*>(p.d) + at;
    const Vector<float, 2> before = p.add ? load<2>(d) : Vector<float, 2>{};
    store<2>(d, Vector<float, 2>{before.at[0] + first, before.at[1] + second});
  }
}

// Of the rungs on tensor cores.
inline std::string tensor_cores_need(const Args& args) {
  if (args.hidden.dtype == DType::f32) return "multiplies f16 and bf16 only";
  if (args.width() == 0 || args.width() % 8 != 0) return "wants a width that is a multiple of 8";
  for (const Tensor* t : {&args.hidden, &args.weight, &args.dhidden, &args.dweight})
    if (!t->is_aligned(16)) return "wants all matrices at 16-byte boundaries";
  return {};
}

}  // namespace warpath::linear_cross_entropy
