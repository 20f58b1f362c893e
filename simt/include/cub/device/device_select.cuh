#pragma once

// Items that are chosen, in their order; `chosen` gets their number.

#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#include <cstdint>

namespace cub {

struct DeviceSelect {
  template <class In, class Out, class NumChosen, class Op>
  static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, NumChosen chosen,
                        std::int64_t count, Op op, cudaStream_t stream = nullptr) {
    return select("cub::DeviceSelect::If", storage, bytes, in, out, chosen, count, stream,
                  [op](const auto& item, std::int64_t) mutable { return simt::call_op(op, item); });
  }
  template <class Data, class NumChosen, class Op>
  static cudaError_t If(void* storage, std::size_t& bytes, Data data, NumChosen chosen,
                        std::int64_t count, Op op, cudaStream_t stream = nullptr) {
    return If(storage, bytes, data, data, chosen, count, op, stream);
  }
  template <class In, class Flags, class Out, class NumChosen>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                             NumChosen chosen, std::int64_t count, cudaStream_t stream = nullptr) {
    return select("cub::DeviceSelect::Flagged", storage, bytes, in, out, chosen, count, stream,
                  [flags](const auto&, std::int64_t i) {
                    const detail::value_of<Flags> flag = flags[i];
                    return static_cast<bool>(flag);
                  });
  }
  template <class Data, class Flags, class NumChosen>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, Data data, Flags flags,
                             NumChosen chosen, std::int64_t count, cudaStream_t stream = nullptr) {
    return Flagged(storage, bytes, data, flags, data, chosen, count, stream);
  }
  template <class In, class Flags, class Out, class NumChosen, class Op>
  static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                               NumChosen chosen, std::int64_t count, Op op,
                               cudaStream_t stream = nullptr) {
    return select("cub::DeviceSelect::FlaggedIf", storage, bytes, in, out, chosen, count, stream,
                  [flags, op](const auto&, std::int64_t i) mutable {
                    const detail::value_of<Flags> flag = flags[i];
                    return static_cast<bool>(simt::call_op(op, flag));
                  });
  }
  template <class Data, class Flags, class NumChosen, class Op>
  static cudaError_t FlaggedIf(void* storage, std::size_t& bytes, Data data, Flags flags,
                               NumChosen chosen, std::int64_t count, Op op,
                               cudaStream_t stream = nullptr) {
    return FlaggedIf(storage, bytes, data, flags, data, chosen, count, op, stream);
  }
  template <class In, class Out, class NumChosen>
  static cudaError_t Unique(void* storage, std::size_t& bytes, In in, Out out, NumChosen chosen,
                            std::int64_t count, cudaStream_t stream = nullptr) {
    using T = detail::value_of<In>;
    return select("cub::DeviceSelect::Unique", storage, bytes, in, out, chosen, count, stream,
                  [before = T{}](const T& item, std::int64_t i) mutable {
                    const bool first = i == 0 || !(before == item);
                    before = item;
                    return first;
                  });
  }
  template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class NumChosen, class N,
            class Same = Equality>
  static detail::if_count<N> UniqueByKey(void* storage, std::size_t& bytes, KeysIn keys_in,
                                         ValuesIn values_in, KeysOut keys_out, ValuesOut values_out,
                                         NumChosen chosen, N count, Same same,
                                         cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceSelect::UniqueByKey", storage, bytes, 0, stream,
                               [=]() mutable {
                                 N to = 0;
                                 detail::value_of<KeysIn> before{};
                                 for (N i = 0; i < count; ++i) {
                                   const detail::value_of<KeysIn> key = keys_in[i];
                                   if (i == 0 || !simt::call_op(same, before, key)) {
                                     const detail::value_of<ValuesIn> value = values_in[i];
                                     keys_out[to] = key;
                                     values_out[to++] = value;
                                   }
                                   before = key;
                                 }
                                 *chosen = to;
                               });
  }
  template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class NumChosen, class N>
  static detail::if_count<N> UniqueByKey(void* storage, std::size_t& bytes, KeysIn keys_in,
                                         ValuesIn values_in, KeysOut keys_out, ValuesOut values_out,
                                         NumChosen chosen, N count, cudaStream_t stream = nullptr) {
    return UniqueByKey(storage, bytes, keys_in, values_in, keys_out, values_out, chosen, count,
                       Equality(), stream);
  }

 private:
  template <class In, class Out, class NumChosen, class Choose>
  static cudaError_t select(const char* name, void* storage, std::size_t& bytes, In in, Out out,
                            NumChosen chosen, std::int64_t count, cudaStream_t stream,
                            Choose choose) {
    return detail::device_wide(name, storage, bytes, 0, stream, [=]() mutable {
      std::int64_t to = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const detail::value_of<In> item = in[i];
        if (choose(item, i)) out[to++] = item;
      }
      *chosen = static_cast<detail::output_value<NumChosen, std::int64_t>>(to);
    });
  }
};

}  // namespace cub
