// Sixteen bytes per thread and access.
//
// What changed: the loop of pointwise.cuh with the same formulas. erff selects one of two polynomials, evaluates it and
// an exponential; tanhf is about as long. With all the rest a bf16 element takes 33 instructions by erf, 29 by tanh.
// Limit: in f32 the memory. In 16 bits the memory leaves time for 28 instructions per element on an H200, so the
// arithmetic is the limit.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/gelu/textbook.cuh"
#include "ops/elementwise/pointwise.cuh"

namespace warpath::gelu {
namespace {

template <class Form>
struct Gelu {
  __device__ float operator()(float x) const { return Form::forward(x); }
};

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_form(args.approximate, [&](auto form) {
      pointwise::launch(Gelu<decltype(form)>{}, args.y.as<T>(), args.x.size(), stream,
                        args.x.as<const T>());
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::gelu
