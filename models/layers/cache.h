// Keys and values of all tokens so far, of one layer: (pages, page_size, heads, dim) in the arena of the cache. A block table
// says which pages a sequence has.
#pragma once
#include "models/build.h"
#include "models/call.h"
#include "ops/attention/attention/attention.h"
#include "ops/attention/attention_decode/attention_decode.h"
#include "ops/attention/cache_write/cache_write.h"

namespace warpath::models {

class Cache {
 public:
  Cache(const Build& b, const std::string& name) {
    if (b.capacity == 0) return;
    const Config& c = b.config;
    k_ = b.cache.add(b.prefix + name + ".cache_k", b.dtype(),
                     {b.pages, b.page_size, c.kv_heads, c.head_dim});
    v_ = b.cache.add(b.prefix + name + ".cache_v", b.dtype(),
                     {b.pages, b.page_size, c.kv_heads, c.head_dim});
    at_ = b.places;
  }

  bool there() const { return k_.data != nullptr; }

  // Whether open() takes this pass.
  bool opens(const Ops& ops) const { return ops.pass().opens && at_.span.data; }
  const Tensor& positions() const { return at_.positions; }

  // Adds the new keys and values, then o = attention of the new queries to all of them.
  void attend(Ops& ops, const cache_write::Args& write, const Tensor& q, const Tensor& o) const {
    put(ops, write);
    attention_decode::Args args;
    args.q = q, args.k = k_, args.v = v_, args.lengths = at_.lengths, args.o = o;
    args.block_table = at_.table;
    ops.call(args);
  }

  // The same for a text's first tokens: they see each other alone, so the kernel that trains attends to them where they
  // lie. Padding is outside of the span.
  void open(Ops& ops, const cache_write::Args& write, const Tensor& q, const Tensor& o,
            const Tensor& lse) const {
    put(ops, write);
    attention::Forward args;
    args.q = q, args.k = write.k, args.v = write.v, args.o = o, args.lse = lse;
    args.q_offsets = args.k_offsets = at_.span, args.causal = true;
    ops.call(args);
  }

 private:
  void put(Ops& ops, cache_write::Args write) const {
    write.cache_k = k_, write.cache_v = v_, write.lengths = at_.lengths;
    write.block_table = at_.table;
    ops.call(write);
  }

  Tensor k_, v_;
  Places at_;
};

}  // namespace warpath::models
