#pragma once

// Prefix sums over a block, in the order of the threads' ranks. `total` is the block's aggregate; a
// callback gets it in the first warp and returns the prefix before the block.

#include <cub/thread/thread_reduce.cuh>
#include <cub/util_ptx.cuh>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int DimX, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int DimY = 1,
          int DimZ = 1, int LegacyArch = 0>
class BlockScan {
  static constexpr int threads = DimX * DimY * DimZ;

  template <class Callback>
  using if_callback = std::enable_if_t<std::is_invocable_v<Callback&, T>>;

  struct Slots {
    T inclusive[threads];
    T prefix;
  };

 public:
  struct TempStorage : Uninitialized<Slots> {};

  BlockScan() : BlockScan(own_storage()) {}
  explicit BlockScan(TempStorage& storage)
      : slots_(storage.Alias()), rank_(static_cast<int>(simt::thread_rank())) {}

#define SIMT_CUB_SUM(NAME)                                                  \
  void NAME##Sum(T input, T& output) {                                      \
    sum_##NAME(wrap(input), wrap(output));                                  \
  }                                                                         \
  void NAME##Sum(T input, T& output, T& total) {                            \
    total = sum_##NAME(wrap(input), wrap(output));                          \
  }                                                                         \
  template <class Callback>                                                 \
  void NAME##Sum(T input, T& output, Callback& callback) {                  \
    NAME##Scan(input, output, cub::Sum(), callback);                        \
  }                                                                         \
  template <int Items>                                                      \
  void NAME##Sum(T(&input)[Items], T(&output)[Items]) {                     \
    sum_##NAME(input, output);                                              \
  }                                                                         \
  template <int Items>                                                      \
  void NAME##Sum(T(&input)[Items], T(&output)[Items], T& total) {           \
    total = sum_##NAME(input, output);                                      \
  }                                                                         \
  template <int Items, class Callback>                                      \
  void NAME##Sum(T(&input)[Items], T(&output)[Items], Callback& callback) { \
    NAME##Scan(input, output, cub::Sum(), callback);                        \
  }
  SIMT_CUB_SUM(Inclusive)
  SIMT_CUB_SUM(Exclusive)
#undef SIMT_CUB_SUM

#define SIMT_CUB_SCAN(NAME)                                                         \
  template <class Op>                                                               \
  void NAME##Scan(T input, T& output, Op op) {                                      \
    scan_##NAME(wrap(input), wrap(output), op, nullptr);                            \
  }                                                                                 \
  template <class Op>                                                               \
  void NAME##Scan(T input, T& output, Op op, T& total) {                            \
    total = scan_##NAME(wrap(input), wrap(output), op, nullptr);                    \
  }                                                                                 \
  template <class Op>                                                               \
  void NAME##Scan(T input, T& output, T init, Op op) {                              \
    scan_##NAME(wrap(input), wrap(output), op, &init);                              \
  }                                                                                 \
  template <class Op>                                                               \
  void NAME##Scan(T input, T& output, T init, Op op, T& total) {                    \
    total = scan_##NAME(wrap(input), wrap(output), op, &init);                      \
  }                                                                                 \
  template <class Op, class Callback, class = if_callback<Callback>>                \
  void NAME##Scan(T input, T& output, Op op, Callback& callback) {                  \
    callback_##NAME(wrap(input), wrap(output), op, callback);                       \
  }                                                                                 \
  template <int Items, class Op>                                                    \
  void NAME##Scan(T(&input)[Items], T(&output)[Items], Op op) {                     \
    scan_##NAME(input, output, op, nullptr);                                        \
  }                                                                                 \
  template <int Items, class Op>                                                    \
  void NAME##Scan(T(&input)[Items], T(&output)[Items], Op op, T& total) {           \
    total = scan_##NAME(input, output, op, nullptr);                                \
  }                                                                                 \
  template <int Items, class Op>                                                    \
  void NAME##Scan(T(&input)[Items], T(&output)[Items], T init, Op op) {             \
    scan_##NAME(input, output, op, &init);                                          \
  }                                                                                 \
  template <int Items, class Op>                                                    \
  void NAME##Scan(T(&input)[Items], T(&output)[Items], T init, Op op, T& total) {   \
    total = scan_##NAME(input, output, op, &init);                                  \
  }                                                                                 \
  template <int Items, class Op, class Callback, class = if_callback<Callback>>     \
  void NAME##Scan(T(&input)[Items], T(&output)[Items], Op op, Callback& callback) { \
    callback_##NAME(input, output, op, callback);                                   \
  }
  SIMT_CUB_SCAN(Inclusive)
  SIMT_CUB_SCAN(Exclusive)
#undef SIMT_CUB_SCAN

 private:
  // One item is an array of one.
  using One = T[1];
  static One& wrap(T& item) {
    return reinterpret_cast<One&>(item);
  }

  // All threads' values are in the slots, scanned, when this returns; the total is the last one.
  template <class Op>
  T scan_slots(const T& mine, Op& op) {
    slots_.inclusive[rank_] = mine;
    CTA_SYNC();
    if (rank_ == 0) {
      for (int i = 1; i < threads; ++i) {
        slots_.inclusive[i] = simt::call_op(op, slots_.inclusive[i - 1], slots_.inclusive[i]);
      }
    }
    CTA_SYNC();
    return slots_.inclusive[threads - 1];
  }

  // The value before this thread's items: null if there is none.
  template <class Op>
  const T* before(Op& op, const T* init, T& place) const {
    if (rank_ == 0) return init;
    place = slots_.inclusive[rank_ - 1];
    if (init != nullptr) place = simt::call_op(op, *init, place);
    return &place;
  }

  template <int Items, class Op>
  static void inclusive_items(const T (&input)[Items], T (&output)[Items], Op& op,
                              const T* prefix) {
    T running = prefix != nullptr ? simt::call_op(op, *prefix, input[0]) : input[0];
    output[0] = running;
    for (int i = 1; i < Items; ++i) {
      running = simt::call_op(op, running, input[i]);
      output[i] = running;
    }
  }
  // Without a prefix the first output stays as it is.
  template <int Items, class Op>
  static void exclusive_items(const T (&input)[Items], T (&output)[Items], Op& op,
                              const T* prefix) {
    T running = input[0];
    if (prefix != nullptr) {
      running = simt::call_op(op, *prefix, input[0]);
      output[0] = *prefix;
    }
    for (int i = 1; i < Items; ++i) {
      const T item = input[i];
      output[i] = running;
      running = simt::call_op(op, running, item);
    }
  }

#define SIMT_CUB_PARTS(NAME, ITEMS)                                                        \
  template <int Items, class Op>                                                           \
  T scan_##NAME(const T(&input)[Items], T(&output)[Items], Op op, const T* init) {         \
    T place;                                                                               \
    const T total = scan_slots(ThreadReduce(input, op), op);                               \
    ITEMS(input, output, op, before(op, init, place));                                     \
    return total;                                                                          \
  }                                                                                        \
  template <int Items, class Op, class Callback>                                           \
  void callback_##NAME(const T(&input)[Items], T(&output)[Items], Op op, Callback& call) { \
    const T total = scan_slots(ThreadReduce(input, op), op);                               \
    if (rank_ < 32) {                                                                      \
      const T prefix = call(total);                                                        \
      if (rank_ == 0) slots_.prefix = prefix;                                              \
    }                                                                                      \
    CTA_SYNC();                                                                            \
    T place;                                                                               \
    const T prefix = slots_.prefix;                                                        \
    ITEMS(input, output, op, before(op, &prefix, place));                                  \
  }
  SIMT_CUB_PARTS(Inclusive, inclusive_items)
  SIMT_CUB_PARTS(Exclusive, exclusive_items)
#undef SIMT_CUB_PARTS

  template <int Items>
  T sum_Inclusive(const T (&input)[Items], T (&output)[Items]) {
    return scan_Inclusive(input, output, cub::Sum(), nullptr);
  }
  template <int Items>
  T sum_Exclusive(const T (&input)[Items], T (&output)[Items]) {
    const T zero{};
    return scan_Exclusive(input, output, cub::Sum(), &zero);
  }

  static TempStorage& own_storage() {
    __shared__ TempStorage storage;
    return storage;
  }

  Slots& slots_;
  int rank_;
};

}  // namespace cub
