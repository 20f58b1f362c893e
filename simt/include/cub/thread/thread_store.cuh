#pragma once

#include <cub/util_type.cuh>

namespace cub {

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheStoreModifier Modifier, class Iterator, class T>
void ThreadStore(Iterator at, T value) {
  *at = value;
}

}  // namespace cub
