// Ops for the tests of the Python package alone: what a contract can say and no op of ops/ says yet.
#include "core/error.h"
#include "core/registry.h"
#include "core/tensor.h"

namespace warpath::probe {

template <class Args>
void no_reference(const Args&, const Args&) {}
template <class Args>
std::vector<Case> no_cases() {
  return {};
}
template <class Args>
Cost no_cost(const Args&) {
  return {};
}

// Several outputs, an optional tensor, an index tensor of another type, "batch+1", a fixed axis,
// every kind of scalar: segment sums of x * scale (+ bias), and what each call was given.
struct Segments {
  Tensor x, offsets, bias, sums, given;
  std::int64_t seed = 0;
  double scale = 1;
  bool negate = false;

  static Contract contract() {
    return Contract("probe_segments", "sums of segments of x")
        .in("x", &Segments::x, {"n", "2"}, {DType::f32})
        .in("offsets", &Segments::offsets, {"batch+1"}, {DType::i64})
        .index()
        .in("bias", &Segments::bias, {"batch"}, "x")
        .optional()
        .out("sums", &Segments::sums, {"batch", "2"}, "x")
        .out("given", &Segments::given, {"3"}, {DType::i64})
        .integer("seed", &Segments::seed, -1)
        .real("scale", &Segments::scale, 1.5)
        .boolean("negate", &Segments::negate, false);
  }
};

__global__ void segments(Segments a) {
  const int b = threadIdx.x / 2, half = threadIdx.x % 2;
  const float sign = a.negate ? -1.0f : 1.0f;
  const std::int64_t* offsets = a.offsets.as<std::int64_t>();
  float sum = a.bias.data ? a.bias.as<float>()[b] : 0.0f;
  for (std::int64_t i = offsets[b]; i < offsets[b + 1]; ++i)
    sum += sign * static_cast<float>(a.scale) * a.x.as<float>()[2 * i + half];
  a.sums.as<float>()[threadIdx.x] = sum;
  if (threadIdx.x > 0) return;
  a.given.as<std::int64_t>()[0] = a.seed;
  a.given.as<std::int64_t>()[1] = a.bias.data != nullptr;
  a.given.as<std::int64_t>()[2] = a.negate;
}

void launch_segments(const Segments& a, cudaStream_t stream) {
  segments<<<1, 2 * a.sums.shape[0], 0, stream>>>(a);
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_OP(Segments, .reference = no_reference<Segments>, .cases = no_cases<Segments>,
           .cost = no_cost<Segments>);
WARPATH_RUNG(Segments, launch_segments);

// In place, any strides, scratch that must be zero: total += x, through scratch.
struct Accumulate {
  Tensor x, total;
  Scratch scratch;

  static Contract contract() {
    return Contract("probe_accumulate", "total += x, and 1000 where scratch was not zero")
        .in("x", &Accumulate::x, {"rows", "cols"}, {DType::f32})
        .strided()
        .inout("total", &Accumulate::total, {"rows", "cols"}, "x")
        .scratch("scratch", &Accumulate::scratch);
  }
};

__global__ void accumulate(Accumulate a) {
  const std::int64_t row = blockIdx.x, col = threadIdx.x;
  float* seen = static_cast<float*>(a.scratch.data) + row * blockDim.x + col;
  const float x = a.x.as<float>()[row * a.x.stride[0] + col * a.x.stride[1]];
  a.total.as<float>()[row * blockDim.x + col] += x + (*seen == 0.0f ? 0.0f : 1000.0f);
  *seen = 1.0f;
}

std::int64_t accumulate_scratch(const Accumulate& a) {
  return a.x.size() * 4;
}

void launch_accumulate(const Accumulate& a, cudaStream_t stream) {
  accumulate<<<a.x.shape[0], a.x.shape[1], 0, stream>>>(a);
  CUDA_CHECK(cudaGetLastError());
}

std::string refuses_long_rows(const Accumulate& a) {
  return a.x.shape[1] <= 8 ? "" : "rows of more than 8";
}

WARPATH_OP(Accumulate, .reference = no_reference<Accumulate>, .cases = no_cases<Accumulate>,
           .cost = no_cost<Accumulate>);
WARPATH_RUNG(Accumulate, launch_accumulate, .supports = refuses_long_rows,
             .scratch = accumulate_scratch, .zeroed = accumulate_scratch);

// Its launch fails as a wrong kernel's does.
struct Failing {
  Tensor x, y;

  static Contract contract() {
    return Contract("probe_failing", "nothing: its launch has too many threads")
        .in("x", &Failing::x, {"n..."}, {DType::f32})
        .out("y", &Failing::y, {"n..."}, "x");
  }
};

__global__ void touch(float* y) {
  y[0] = 1;
}

void launch_failing(const Failing& a, cudaStream_t stream) {
  touch<<<1, 2000, 0, stream>>>(a.y.as<float>());
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_OP(Failing, .reference = no_reference<Failing>, .cases = no_cases<Failing>,
           .cost = no_cost<Failing>);
WARPATH_RUNG(Failing, launch_failing);

}  // namespace warpath::probe
