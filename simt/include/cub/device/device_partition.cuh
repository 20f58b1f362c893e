#pragma once

// Chosen items first, in their order; the others from the end backwards.

#include <cub/util_device.cuh>

#include <cstdint>

namespace cub {

struct DevicePartition {
  template <class In, class Flags, class Out, class NumChosen>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, In in, Flags flags, Out out,
                             NumChosen chosen, std::int64_t count, cudaStream_t stream = nullptr) {
    return partition("cub::DevicePartition::Flagged", storage, bytes, in, out, chosen, count,
                     stream, [flags](const auto&, std::int64_t i) {
                       const detail::value_of<Flags> flag = flags[i];
                       return static_cast<bool>(flag);
                     });
  }
  template <class In, class Out, class NumChosen, class Op>
  static cudaError_t If(void* storage, std::size_t& bytes, In in, Out out, NumChosen chosen,
                        std::int64_t count, Op op, cudaStream_t stream = nullptr) {
    return partition(
        "cub::DevicePartition::If", storage, bytes, in, out, chosen, count, stream,
        [op](const auto& item, std::int64_t) mutable { return bool(simt::call_op(op, item)); });
  }
  // Three parts, each in order; `chosen` gets the sizes of the first two.
  template <class In, class First, class Second, class Rest, class NumChosen, class Op1, class Op2>
  static cudaError_t If(void* storage, std::size_t& bytes, In in, First first, Second second,
                        Rest rest, NumChosen chosen, std::int64_t count, Op1 is_first,
                        Op2 is_second, cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DevicePartition::If", storage, bytes, 0, stream,
                               [=]() mutable {
                                 std::int64_t firsts = 0, seconds = 0, others = 0;
                                 for (std::int64_t i = 0; i < count; ++i) {
                                   const detail::value_of<In> item = in[i];
                                   if (is_first(item)) {
                                     first[firsts++] = item;
                                   } else if (is_second(item)) {
                                     second[seconds++] = item;
                                   } else {
                                     rest[others++] = item;
                                   }
                                 }
                                 chosen[0] = firsts;
                                 chosen[1] = seconds;
                               });
  }

 private:
  template <class In, class Out, class NumChosen, class Choose>
  static cudaError_t partition(const char* name, void* storage, std::size_t& bytes, In in, Out out,
                               NumChosen chosen, std::int64_t count, cudaStream_t stream,
                               Choose choose) {
    return detail::device_wide(name, storage, bytes, 0, stream, [=]() mutable {
      std::int64_t front = 0, back = count;
      for (std::int64_t i = 0; i < count; ++i) {
        const detail::value_of<In> item = in[i];
        out[choose(item, i) ? front++ : --back] = item;
      }
      *chosen = front;
    });
  }
};

}  // namespace cub
