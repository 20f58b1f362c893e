#pragma once

// Loads and stores with a wish about caches, which are plain ones here; and what goes with them.

#include <cub/util_type.cuh>

namespace cub {

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};

template <CacheLoadModifier Modifier, class Iterator>
auto ThreadLoad(Iterator at) {
  return detail::value_of<Iterator>(*at);
}

}  // namespace cub
