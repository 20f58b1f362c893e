// New keys and values into the cache that attention_decode reads, keys and queries turned by rotary position embedding on the
// way.
//
// lengths says how many tokens each sequence has with the new ones: token t of n new ones has position lengths - n + t, and that
// is its place in the cache and the angle's factor. Where it is negative the token is padding, and its key and value are not
// written. The cache is (pages, page_size, kv_heads, dim) with a block table, or (batch, capacity, kv_heads, dim) without
// (ops/attention/pages.cuh); a length is at most its capacity. What no token is written to stays as it is. The lengths are
// on the device, and the launch does not depend on them: a CUDA graph can be replayed while they grow.
//
// Keys and queries are turned as rope does it (ops/attention/rope/rope.h has the formulas); pairs "none" turns nothing. Values are
// only copied. k, v and q may have any strides: they can be parts of the rows that one product made.
#pragma once
#include "core/host/rung.h"

namespace warpath::cache_write {

enum class Pairs : int { halves, neighbours, none };

struct Args {
  static constexpr const char* op = "cache_write";
  Tensor k, v, cache_k, cache_v, lengths, block_table, q, q_out;
  Pairs pairs = Pairs::halves;
  std::int64_t rotary_dim = 0;
  double base = 10000, factor = 1, low_freq_factor = 1, high_freq_factor = 4;
  std::int64_t original_max_position = 8192;

  static Contract contract() {
    return Contract(op, "new keys, turned by their position, and values into the cache")
        .in("k", &Args::k, {"batch", "new_tokens", "kv_heads", "dim"},
            {DType::f32, DType::f16, DType::bf16})
        .strided()
        .in("v", &Args::v, {"batch", "new_tokens", "kv_heads", "dim"}, "k")
        .strided()
        .inout("cache_k", &Args::cache_k, {"pages", "page_size", "kv_heads", "dim"}, "k")
        .inout("cache_v", &Args::cache_v, {"pages", "page_size", "kv_heads", "dim"}, "k")
        .in("lengths", &Args::lengths, {"batch"}, {DType::i32})
        .index()
        .in("block_table", &Args::block_table, {"batch", "max_pages"}, {DType::i32})
        .index()
        .optional()
        .in("q", &Args::q, {"batch", "new_tokens", "heads", "dim"}, "k")
        .strided()
        .optional()
        .out("q_out", &Args::q_out, {"batch", "new_tokens", "heads", "dim"}, "k")
        .optional()
        .choice("pairs", &Args::pairs, {"halves", "neighbours", "none"})
        .integer("rotary_dim", &Args::rotary_dim, 0)
        .real("base", &Args::base, 10000)
        .real("factor", &Args::factor, 1)
        .real("low_freq_factor", &Args::low_freq_factor, 1)
        .real("high_freq_factor", &Args::high_freq_factor, 4)
        .integer("original_max_position", &Args::original_max_position, 8192)
        .after({"rope"});
  }
};

}  // namespace warpath::cache_write
