// The last block joins what the others have written, but nothing makes their writes visible before their counts: a count may
// be there while the memory does not hold the part yet.
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {
namespace {

constexpr int parts = 2;

template <class T>
__global__ void no_fence(Problem<T> p, float* partial, unsigned* done) {
  __shared__ bool is_last;
  const std::int64_t i = blockIdx.x / parts, row = i / p.n, j = i % p.n;
  const unsigned mine = blockIdx.x % parts;
  if (threadIdx.x == 0) {
    float sum = 0;
    for (std::int64_t l = mine; l < p.k; l += parts)
      sum += to_float(p.x[row * p.k + l]) * to_float(p.w[j * p.k + l]);
    partial[blockIdx.x] = sum;
    // Missing here: __threadfence();
    is_last = atomicAdd(&done[i], 1u) == parts - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x > 0) return;
  p.put(__ldcg(&partial[i * parts]) + __ldcg(&partial[i * parts + 1]), row, j);
  atomicExch(&done[i], 0u);  // for the next launch
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partial = reinterpret_cast<float*>(done + args.y.size());
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    no_fence<T>
        <<<grid_x(args.y.size() * parts, 1), 32, 0, stream>>>(problem_of<T>(args), partial, done);
  });
}

std::int64_t scratch_bytes(const Args& args) {
  return args.y.size() * (1 + parts) * 4;
}

std::int64_t counter_bytes(const Args& args) {
  return args.y.size() * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes, .race = true,
             .weak_memory = true);

}  // namespace
}  // namespace warpath::matvec
