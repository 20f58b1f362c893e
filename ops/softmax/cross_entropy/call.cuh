// What all rungs do before and after the rows: the labels are counted, and the losses are added up.
#pragma once
#include "core/host/dispatch.cuh"
#include "ops/softmax/cross_entropy/cross_entropy.h"
#include "ops/softmax/cut.cuh"
#include "ops/softmax/token_sums.cuh"

namespace warpath::cross_entropy {

using namespace softmax;  // of the family: Stat, Tokens, Cut

template <class Args>
Tokens tokens_of(const Args& args) {
  const std::int64_t words = args.logits.shape[1];
  WARPATH_CHECK(words < std::int64_t(1) << 31, "cross_entropy: takes fewer than 2^31 words");
  Tokens t{};
  t.labels = args.labels.data;
  t.wide = args.labels.dtype == DType::i64;
  t.ignore_index = args.ignore_index;
  t.rows = args.logits.shape[0];
  t.words = static_cast<int>(words);
  t.smoothing = static_cast<float>(args.label_smoothing);
  t.lse = args.lse.template as<float>();
  return t;
}

template <class Args>
std::int64_t scratch_bytes(const Args&) {
  return sizeof(TokenScratch);
}

template <class T, class Args>
T* dlogits_of(const Args& args) {
  if constexpr (std::is_same_v<Args, Forward>)
    return nullptr;
  else
    return args.dlogits.template as<T>();
}

// Empty, or why a rung that stores vectors where it loaded them cannot take the call.
template <class Args>
std::string cut_supported(const Args& args) {
  const void *from = args.logits.data, *to = dlogits_of<void>(args);
  return cut_alike(from, to ? to : from)
             ? ""
             : "wants logits and dlogits at the same distance from a 16-byte boundary";
}

// rows(tokens, tag of the type of the logits) launches the rung's own kernel.
template <class Args, class F>
void launch_forward(const Args& args, cudaStream_t stream, F rows) {
  auto* scratch = static_cast<TokenScratch*>(args.scratch.data);
  Tokens tokens = tokens_of(args);
  tokens.loss = args.loss.template as<float>();
  if constexpr (std::is_same_v<Args, Gradient>)
    tokens.grad_scale = static_cast<float>(args.grad_scale);
  if (args.reduction == Reduction::mean) {
    launch_count(tokens, scratch, stream);
    tokens.counted = &scratch->counted;
  }
  if (tokens.rows > 0) dispatch_float(args.logits.dtype, [&](auto tag) { rows(tokens, tag); });
  launch_total(tokens, scratch, args.total.template as<float>(), stream);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpath::cross_entropy
