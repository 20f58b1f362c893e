// One atomic addition for every element.
//
// Right, and as slow as it gets: every addition to a row's result waits for the one before it,
// because they all go to the same address. The hardware decides the order, so a float sum differs
// from run to run. A maximum of floats has no atomic of its own: the bits are mapped to an unsigned
// integer that sorts the same way.
// Limit: one addition at a time per address in L2. Rows over 2^24 elements are refused: a float
// that counts ones stops growing there.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

// Unsigned integers in the order of the floats; NaN above all.
__device__ __forceinline__ unsigned ordered(float x) {
  if (x != x) return 0xffffffffu;
  const unsigned bits = __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ __forceinline__ float from_ordered(unsigned key) {
  return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

// How a partial result is kept in scratch memory while atomics work on it.
template <class A, class Op>
struct Cell {
  using type = A;
  static __device__ A start() { return Op::template identity<A>(); }
  static __device__ void add(A* cell, A x) {
    if constexpr (std::is_same_v<Op, Sum>)
      atomicAdd(cell, x);
    else
      atomicMax(cell, x);
  }
  static __device__ A finish(A cell) { return cell; }
};
template <>
struct Cell<float, Max> {
  using type = unsigned;
  static __device__ unsigned start() { return ordered(-INFINITY); }
  static __device__ void add(unsigned* cell, float x) { atomicMax(cell, ordered(x)); }
  static __device__ float finish(unsigned cell) { return from_ordered(cell); }
};

template <class C>
__global__ void start(typename C::type* cells, std::int64_t rows) {
  const std::int64_t r = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r < rows) cells[r] = C::start();
}

template <class C, class T>
__global__ void add_all(const T* x, typename C::type* cells, std::int64_t n, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) C::add(&cells[i / cols], widen(x[i]));
}

template <class C, class T>
__global__ void finish(const typename C::type* cells, T* y, std::int64_t rows) {
  const std::int64_t r = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r < rows) y[r] = narrow<T>(C::finish(cells[r]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    using C = Cell<Accumulator<T>, decltype(op)>;
    auto* cells = static_cast<typename C::type*>(args.scratch.data);
    constexpr int threads = 256;
    start<C><<<grid_x(rows, threads), threads, 0, stream>>>(cells, rows);
    add_all<C, T><<<grid_x(rows * cols, threads), threads, 0, stream>>>(args.x.as<T>(), cells,
                                                                        rows * cols, cols);
    finish<C, T><<<grid_x(rows, threads), threads, 0, stream>>>(cells, args.y.as<T>(), rows);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return args.x.shape[0] * 4;
}

std::string supports(const Args& args) {
  return args.x.shape[1] <= (1 << 24)
             ? ""
             : "takes rows of at most 2^24 elements: a float sum loses count there";
}

WARPATH_RUNG(Args, launch, .supports = supports, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::reduce
