// Keys and values of all tokens so far, of one layer: (pages, page_size, heads, dim) in the arena of the cache. A block table
// says which pages a sequence has.
#pragma once
#include "models/build.h"
#include "models/call.h"
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
    lengths_ = b.lengths, table_ = b.table;
  }

  bool there() const { return k_.data != nullptr; }

  // Adds the new keys and values, then o = attention of the new queries to all of them.
  void attend(Ops& ops, cache_write::Args write, const Tensor& q, const Tensor& o) const {
    write.cache_k = k_, write.cache_v = v_, write.lengths = lengths_;
    write.block_table = table_;
    ops.call(write);
    attention_decode::Args args;
    args.q = q, args.k = k_, args.v = v_, args.lengths = lengths_, args.o = o;
    args.block_table = table_;
    ops.call(args);
  }

 private:
  Tensor k_, v_, lengths_, table_;
};

}  // namespace warpath::models
