#include "ops/attention/attention/attention.h"

#include "core/host/indices.h"
#include "ops/attention/attention/reference.h"

namespace warpath::attention {

// Pairs of a query and a key that it sees, over all heads.
template <class Args>
static double pairs(const Args& args) {
  std::vector<std::int64_t> q, k;
  if (args.q_offsets.rank > 0) {
    q = make_offsets(args.q_offsets.shape[0] - 1, args.q.shape[1]);
    k = make_offsets(args.k_offsets.shape[0] - 1, args.k.shape[1]);
  }
  double count = 0;
  for (const Sequence& s : sequences_of(args, q.data(), k.data())) {
    const Visible visible = visible_of(args, s);
    for (int i = 0; i < s.queries; ++i) {
      const Keys keys = visible.of(i);
      count += keys.last - keys.first;
    }
  }
  return count * static_cast<double>(args.q.shape[2]);
}

template <class Args>
static double flops(const Args& args) {
  return pairs(args) * 2 * static_cast<double>(args.q.shape[3] + args.v.shape[3]);
}

static double bytes(std::initializer_list<Tensor> tensors) {
  double sum = 0;
  for (const Tensor& t : tensors)
    if (t.rank > 0) sum += static_cast<double>(t.bytes());
  return sum;
}

// Two products per pair; the backward pass has five: the scores again, the gradient of p, dv, dk and dq.
static Cost cost(const Forward& a) {
  return {.flops = flops(a), .bytes = bytes({a.q, a.k, a.v, a.q_offsets, a.k_offsets, a.o, a.lse})};
}
static Cost cost(const Backward& a) {
  return {.flops = 2.5 * flops(a),
          .bytes = bytes(
              {a.d_o, a.q, a.k, a.v, a.o, a.lse, a.q_offsets, a.k_offsets, a.dq, a.dk, a.dv})};
}

// The reference puts all into the scale, in units of 2^-23.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 1};
}

template <class Args>
static void check(const Args& args) {
  check_offsets("q_offsets", args.q_offsets, args.q.shape[1]);
  check_offsets("k_offsets", args.k_offsets, args.k.shape[1]);
}

WARPATH_OP(Forward, .reference = forward_reference, .sampled = forward_sampled,
           .cases = forward_cases, .cost = cost, .tolerance = tolerance, .prepare = prepare_forward,
           .check = check<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .sampled = backward_sampled,
           .cases = backward_cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare_backward, .check = check<Backward>);

}  // namespace warpath::attention
