#pragma once

// The forms of Sort and StableSort that a warp's and a block's merge sort share.

#include <cstddef>

namespace cub::detail {

// Sorter has get_linear_tid() and sort(keys, values or nullptr, less, valid).
template <class Sorter, class Key, int Items, class Value, int Count>
class MergeSortForms {
 public:
#define SIMT_CUB_SORT(NAME)                                                                     \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Less less) {                                                     \
    self().sort(keys, nullptr, less, Count);                                                    \
  }                                                                                             \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Value(&values)[Items], Less less) {                              \
    self().sort(keys, values, less, Count);                                                     \
  }                                                                                             \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Less less, int valid, Key past_the_end) {                        \
    fill(keys, valid, past_the_end);                                                            \
    self().sort(keys, nullptr, less, valid);                                                    \
  }                                                                                             \
  template <class Less>                                                                         \
  void NAME(Key(&keys)[Items], Value(&values)[Items], Less less, int valid, Key past_the_end) { \
    fill(keys, valid, past_the_end);                                                            \
    self().sort(keys, values, less, valid);                                                     \
  }
  SIMT_CUB_SORT(Sort)
  SIMT_CUB_SORT(StableSort)
#undef SIMT_CUB_SORT

 private:
  Sorter& self() {
    return static_cast<Sorter&>(*this);
  }
  void fill(Key (&keys)[Items], int valid, const Key& with) {
    const int first = static_cast<int>(self().get_linear_tid()) * Items;
    for (int i = 0; i < Items; ++i) {
      if (first + i >= valid) keys[i] = with;
    }
  }
};

}  // namespace cub::detail
