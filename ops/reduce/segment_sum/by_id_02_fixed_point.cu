// Sums in fixed point: the same bits in every run, without sorting.
//
// What changed: a sum of integers does not depend on the order. The first pass finds the largest exponent of each segment,
// by atomicMax; the second adds every element as a 64-bit integer in a unit that belongs to that exponent. The unit leaves
// room for all rows, so nothing overflows; for a million rows a summand has 41 bits, where a float has 24. Sums are thus more exact
// than those of 01, too.
// Limit: x is read twice, and each element goes to a random place in L2 three times, once in 01. A load there costs as much as an
// atomic, so reading an exponent before raising it gained nothing on an H200.
#include "ops/reduce/segment_sum/by_id.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void find_tops(const T* x, Ids ids, std::int64_t size, std::int64_t cols, Parts parts,
                          Kind kind) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols), c = i % cols;
  if (s < 0) return;
  const float value = to_float(x[i]);
  if (kind == Kind::max) {
    atomicMax(&parts.tops[s * cols + c], key_of(value));
    return;
  }
  if (const unsigned special = special_of(value); special != no_special)
    atomicOr(&parts.specials[s * cols + c], special);
  else
    atomicMax(&parts.tops[s * cols + c], FixedPoint::exponent(value));
  if (c == 0 && kind == Kind::mean) atomicAdd(&parts.rows[s], 1u);
}

template <class T>
__global__ void add(const T* x, Ids ids, std::int64_t size, std::int64_t cols, Parts parts,
                    FixedPoint fixed) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols), k = s * cols + i % cols;
  if (s < 0) return;
  const float value = to_float(x[i]);
  if (value == 0 || special_of(value) != no_special) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&parts.sums[k]),
            (unsigned long long)(fixed.of(value, parts.tops[k])));
}

void launch(const ById& args, cudaStream_t stream) {
  const std::int64_t size = args.y.size(), segments = args.y.shape[0], cols = args.y.shape[1];
  if (size == 0) return;
  const Parts parts = Parts::of(args);
  const FixedPoint fixed = FixedPoint::of(args.x.shape[0]);
  const Ids ids = Ids::of(args.ids, segments);
  const std::int64_t words = Parts::bytes(args) / 4;
  clear_words<<<grid_x(words, threads), threads, 0, stream>>>(
      static_cast<unsigned*>(args.scratch.data), words);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = args.x.size();
    const T* const x = args.x.as<const T>();
    if (n > 0)
      find_tops<<<grid_x(n, threads), threads, 0, stream>>>(x, ids, n, cols, parts, args.kind);
    if (n > 0 && args.kind != Kind::max)
      add<<<grid_x(n, threads), threads, 0, stream>>>(x, ids, n, cols, parts, fixed);
    finish_parts<<<grid_x(size, threads), threads, 0, stream>>>(parts, args.y.as<T>(), size, cols,
                                                                args.kind, fixed);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(ById, launch, .scratch = Parts::bytes);

}  // namespace
}  // namespace warpath::segment_sum
