// What the backward rungs share: the weights of a row from the gradients that come in.
#pragma once
#include "ops/softmax/cross_entropy/call.cuh"

namespace warpath::cross_entropy {

struct Gradients {
  Tokens tokens;
  const float *dtotal, *dloss, *dlse;  // each may be null

  // lse stands for a maximum whose sum of exponentials is 1; that of a row of nothing but -inf is 0.
  __device__ __forceinline__ Slope slope(std::int64_t row) const {
    // All that is read per row before the division, which is a branch: one wait for the memory, not two.
    const Target::Label label{tokens.label(row)};
    const float lse = tokens.lse[row], weight_lse = dlse ? dlse[row] : 0.0f;
    float weight = dloss ? dloss[row] : 0.0f;
    if (dtotal) weight += tokens.counted ? *dtotal / float(*tokens.counted) : *dtotal;
    const Stat whole{lse, lse == -INFINITY ? 0.0f : 1.0f};
    return Slope(tokens, Target(tokens, label), whole, weight, weight_lse);
  }
};

// elements(gradients, tag of the type of the logits) launches the rung's own kernel.
template <class F>
void launch_backward(const Backward& args, cudaStream_t stream, F elements) {
  auto* scratch = static_cast<TokenScratch*>(args.scratch.data);
  Gradients g{tokens_of(args), args.dtotal.as<float>(), args.dloss.as<float>(),
              args.dlse.as<float>()};
  if (args.logits.size() == 0) return;
  if (args.reduction == Reduction::mean && args.dtotal.data) {
    launch_count(g.tokens, scratch, stream);
    g.tokens.counted = &scratch->counted;
  }
  dispatch_float(args.logits.dtype, [&](auto tag) { elements(g, tag); });
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpath::cross_entropy
