// The host's side of the Hopper rungs: which calls they take, tensor maps, the problem.
#pragma once
#include <cmath>

#include "core/hopper/tensor_map.h"
#include "core/host/device.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/attention/attention/attention.h"
#include "ops/attention/attention/hopper_forward.cuh"

namespace warpath::attention::hopper {

inline std::string supports(const Forward& args) {
  if (args.q.dtype == DType::f32) return "multiplies 16-bit types";
  if (args.o.size() == 0 || args.k.size() == 0) return args.o.size() == 0 ? "" : "needs a key";
  if (args.q.shape[3] > 256 || args.v.shape[3] > args.q.shape[3])
    return "takes heads of at most 256, and values no wider than keys";
  if (args.v.shape[3] % 8 != 0 || !args.o.is_aligned(16))
    return "stores 16 bytes at a time: needs a value_dim that is a multiple of 8, and o aligned";
  if (!fits_head_map(args.q) || !fits_head_map(args.k) || !fits_head_map(args.v))
    return "copies boxes: needs dim contiguous, and rows at multiples of 16 bytes";
  return {};
}

inline bool is_general(const Forward& args) {
  return args.softcap != 0 || args.dropout != 0 || args.scale < 0;
}

// For the rungs on the way to the last one.
inline std::string supports_128(const Forward& args) {
  if (args.q.shape[3] > 128) return "takes heads of at most 128";
  return supports(args);
}
inline std::string supports_plain(const Forward& args) {
  if (is_general(args)) return "has no soft cap, no dropout, and wants a positive scale";
  return supports_128(args);
}

template <class Tile>
Maps maps_of(const Forward& args) {
  return {head_map(args.q, Tile::rows), head_map(args.k, Tile::keys), head_map(args.v, Tile::keys)};
}

template <class Tile>
Problem problem_of(const Forward& args) {
  const auto size = [](std::int64_t n) { return static_cast<int>(n); };
  Problem p{};
  p.batch = size(args.q.shape[0]);
  p.queries = size(args.q.shape[1]);
  p.keys = size(args.k.shape[1]);
  p.heads = size(args.q.shape[2]);
  p.group = size(args.q.shape[2] / args.k.shape[2]);
  p.sequences = args.q_offsets.data ? size(args.q_offsets.shape[0] - 1) : 0;
  p.q_offsets = args.q_offsets.as<int>();
  p.k_offsets = args.k_offsets.as<int>();
  p.causal = args.causal;
  p.window = size(args.window);
  const auto scale = static_cast<float>(
      args.scale != 0 ? args.scale : 1 / std::sqrt(static_cast<double>(args.q.shape[3])));
  const auto cap = std::abs(static_cast<float>(args.softcap));
  p.scale = cap != 0 ? cap : std::abs(scale);
  p.before_cap = cap != 0 ? scale / cap : 0;
  p.sign = scale < 0 ? -1 : 1;
  p.dropout = dropout_of(args);
  p.log2_scale = p.scale * 1.4426950408889634f;
  p.o = args.o.data;
  p.value_dim = size(args.v.shape[3]);
  p.lse = args.lse.as<float>();
  p.tiles = ceil_div(p.queries, Tile::rows) + (p.q_offsets ? p.sequences + 2 : 0);
  // Heads whose keys and values share L2 while their tiles are worked on: as many as fit into half of it.
  const double bytes = 2.0 * p.keys * double(args.k.shape[3] + args.v.shape[3]);
  p.heads_together = std::max(1, std::min(p.batch * p.heads, int(24e6 / bytes) * p.group));
  return p;
}

}  // namespace warpath::attention::hopper
