// Attention of a few new tokens per sequence to a cache of keys and values, each head by itself:
//   s[t][j] = scale * q[t] . k[j], then softcap * tanh(s / softcap) where softcap is not 0
//   o[t]    = sum over j of softmax(s[t])[j] * v[j]
//   lse[t]  = log of the sum of exp(s[t][j])
// lengths says how many keys each sequence has, those of the new tokens included: they are in the cache already
// (cache_write). Token t of n new ones stands at position lengths - n + t and sees the keys up to there; with a window w > 0
// only the last w of them. A token that sees no key has o = 0 and lse = -inf.
//
// The cache is (pages, page_size, kv_heads, dim) with a block table, or (batch, capacity, kv_heads, dim) without
// (ops/attention/pages.cuh). Slots from a sequence's length on may hold anything, NaN too, and so may the entries of the table
// behind its last page. A length is at most the capacity, page_size * max_pages.
//
// A scale of 0 stands for 1 / sqrt(dim). Query head h reads key head h / (heads / kv_heads): grouped queries.
//
// The lengths are on the device, and the launch does not depend on them: a CUDA graph can be replayed while they grow.
#pragma once
#include "core/host/rung.h"

namespace warpath::attention_decode {

struct Args {
  static constexpr const char* op = "attention_decode";
  Tensor q, k, v, lengths, block_table, o, lse;
  Scratch scratch;
  double scale = 0, softcap = 0;
  std::int64_t window = 0;

  static Contract contract() {
    return Contract(op, "attention of new tokens to a cache of keys and values")
        .in("q", &Args::q, {"batch", "new_tokens", "heads", "dim"},
            {DType::f32, DType::f16, DType::bf16})
        .strided()
        .in("k", &Args::k, {"pages", "page_size", "kv_heads", "dim"}, "q")
        .strided()
        .in("v", &Args::v, {"pages", "page_size", "kv_heads", "dim"}, "q")
        .strided()
        .in("lengths", &Args::lengths, {"batch"}, {DType::i32})
        .index()
        .in("block_table", &Args::block_table, {"batch", "max_pages"}, {DType::i32})
        .index()
        .optional()
        .out("o", &Args::o, {"batch", "new_tokens", "heads", "dim"}, "q")
        .out("lse", &Args::lse, {"batch", "heads", "new_tokens"}, {DType::f32})
        .optional()
        .real("scale", &Args::scale, 0)
        .real("softcap", &Args::softcap, 0)
        .integer("window", &Args::window, 0)
        .scratch("scratch", &Args::scratch)
        .after({"attention", "cache_write"});
  }
};

}  // namespace warpath::attention_decode
