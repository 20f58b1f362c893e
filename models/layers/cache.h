// Keys and values of all tokens so far, of one layer: (pages, page_size, heads, dim) in the arena of the cache. A block table
// says which pages a sequence has.
#pragma once
#include <algorithm>

#include "models/build.h"
#include "models/call.h"
#include "ops/attention/attention/attention.h"
#include "ops/attention/attention_decode/attention_decode.h"
#include "ops/attention/cache_write/cache_write.h"
#include "ops/layout/embedding/embedding.h"

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
    if (!at_.span.data) return;
    const std::int64_t most = std::min(b.pages, b.capacity / b.page_size);
    const std::int64_t page = b.page_size * c.kv_heads * c.head_dim;
    gathered_k_ = b.activations.shared("cache.gathered_k", b.dtype(), {most, page});
    gathered_v_ = b.activations.shared("cache.gathered_v", b.dtype(), {most, page});
  }

  bool there() const { return k_.data != nullptr; }

  // Whether open() takes this pass.
  bool opens(const Ops& ops) const { return ops.pass().opens && at_.span.data; }
  const Tensor& positions() const { return at_.positions; }

  // Adds the new keys and values, then o = attention of the new queries to all of them.
  void attend(Ops& ops, const cache_write::Args& write, const Tensor& q, const Tensor& o,
              const Tensor& lse) const {
    put(ops, write);
    if (gathered_k_.data) return attend_gathered(ops, q, o, lse);
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
  // The later chunks of a text have many queries: the kernel that trains is made for them. It wants keys one behind the other,
  // so the text's pages are gathered first; layers take turns at the memory for it.
  void attend_gathered(Ops& ops, const Tensor& q, const Tensor& o, const Tensor& lse) const {
    const std::int64_t size = k_.shape[1], count = (ops.pass().length + size - 1) / size;
    gather(ops, k_, gathered_k_, count);
    gather(ops, v_, gathered_v_, count);
    attention::Forward args;
    args.q = q, args.k = in_order(gathered_k_), args.v = in_order(gathered_v_);
    args.o = o, args.lse = lse, args.causal = true;
    args.q_offsets = at_.span, args.k_offsets = at_.so_far;
    ops.call(args);
  }
  // Pages are the rows of a table, and the block table has their numbers.
  void gather(Ops& ops, const Tensor& cache, const Tensor& to, std::int64_t count) const {
    embedding::Forward args;
    args.table = reshaped(cache, {cache.shape[0], to.shape[1]});
    args.ids = columns(at_.table, 0, count);
    args.y = reshaped(rows(to, 0, count), {1, count, to.shape[1]});
    ops.call(args);
  }
  Tensor in_order(const Tensor& gathered) const {
    return reshaped(gathered, {1, gathered.shape[0] * k_.shape[1], k_.shape[2], k_.shape[3]});
  }

  void put(Ops& ops, cache_write::Args write) const {
    write.cache_k = k_, write.cache_v = v_, write.lengths = at_.lengths;
    write.block_table = at_.table;
    ops.call(write);
  }

  Tensor k_, v_;
  Tensor gathered_k_, gathered_v_;  // (pages, a page's keys), of a model that reads one text
  Places at_;
};

}  // namespace warpath::models
