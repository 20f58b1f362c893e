// The parts of the host side that have files of their own.
#pragma once
#include <algorithm>
#include <vector>

#include "core/host/registry.h"
#include "ops/attention/attention/attention.h"
#include "ops/attention/visible.h"

namespace warpath::attention {

void forward_reference(const Forward& args, const Forward& scale);
void backward_reference(const Backward& args, const Backward& scale);
// Of some blocks; for timed cases.
void forward_sampled(const Forward& args, const Forward& scale, std::uint64_t key);
void backward_sampled(const Backward& args, const Backward& scale, std::uint64_t key);

// Offsets that are in order, and NaN in the rows outside of all sequences; for the backward pass also o and lse as the
// forward pass leaves them.
void prepare_forward(const Forward& args);
void prepare_backward(const Backward& args);

std::vector<Case> forward_cases();
std::vector<Case> backward_cases();

// One of the sequences of a call: where its tokens lie in its batch.
struct Sequence {
  std::int64_t batch, first_query, queries, first_key, keys;
};

// The offsets that the cases use, as a function of their sizes: the cost of a call is known before its data. Long
// sequences differ in length by a factor of 80. Among short ones some are empty, some have one token, and there are
// tokens before the first and after the last sequence.
std::vector<std::int64_t> make_offsets(std::int64_t sequences, std::int64_t tokens);

template <class Args>
std::vector<Sequence> sequences_of(const Args& args, const std::int64_t* q_offsets,
                                   const std::int64_t* k_offsets) {
  std::vector<Sequence> all;
  if (args.q_offsets.rank == 0) {
    for (std::int64_t b = 0; b < args.q.shape[0]; ++b)
      all.push_back({b, 0, args.q.shape[1], 0, args.k.shape[1]});
    return all;
  }
  for (std::int64_t b = 0; b + 1 < args.q_offsets.shape[0]; ++b)
    all.push_back({0, q_offsets[b], q_offsets[b + 1] - q_offsets[b], k_offsets[b],
                   k_offsets[b + 1] - k_offsets[b]});
  return all;
}

template <class Args>
Visible visible_of(const Args& args, const Sequence& s) {
  return {static_cast<int>(s.queries), static_cast<int>(s.keys), args.causal,
          static_cast<int>(args.window)};
}

}  // namespace warpath::attention
