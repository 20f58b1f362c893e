// What the rungs of embedding share: index tensors, and the tensors of a forward call.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/layout/embedding/embedding.h"

namespace warpath::embedding {

// An index tensor of either type. The type is a flag, the same for all threads: a template would double the kernels.
struct Ids {
  const void* data = nullptr;
  bool wide = true;  // 64 bits

  static Ids of(const Tensor& t) { return {t.data, t.dtype == DType::i64}; }
  __device__ __forceinline__ std::int64_t operator[](std::int64_t t) const {
    return wide ? static_cast<const std::int64_t*>(data)[t]
                : std::int64_t(static_cast<const std::int32_t*>(data)[t]);
  }
  // Several at once; 0 where `there` is false. One branch for all of them: with one each, a 32-bit id would be waited for
  // before the next one is asked for.
  template <int Each>
  __device__ __forceinline__ void load(std::int64_t (&id)[Each], const std::int64_t (&t)[Each],
                                       const bool (&there)[Each]) const {
    if (wide) {
#pragma unroll
      for (int k = 0; k < Each; ++k)
        id[k] = there[k] ? static_cast<const std::int64_t*>(data)[t[k]] : 0;
    } else {
      int narrow[Each];
#pragma unroll
      for (int k = 0; k < Each; ++k)
        narrow[k] = there[k] ? static_cast<const std::int32_t*>(data)[t[k]] : 0;
#pragma unroll
      for (int k = 0; k < Each; ++k) id[k] = narrow[k];
    }
  }
};

// The tensors of a forward call.
template <class T>
struct Call {
  const T *table, *position_table;  // the latter null where it is left out
  Ids ids, positions;
  T* y;
  std::int64_t tokens, seq, width;

  static Call of(const Forward& args) {
    return {args.table.as<T>(), args.position_table.as<T>(),
            Ids::of(args.ids),  Ids::of(args.positions),
            args.y.as<T>(),     args.ids.size(),
            args.ids.shape[1],  args.table.shape[1]};
  }
  __device__ __forceinline__ std::int64_t position(std::int64_t t) const {
    return positions.data ? positions[t] : t % seq;
  }
};

}  // namespace warpath::embedding
