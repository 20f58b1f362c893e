#include <simt/shared.h>
#include <simt/sync.h>

#include "tools/check_hooks.h"

namespace simt {

void proxy_fence(bool init) {
  fence();
  if (check_hooks != nullptr && in_kernel()) check_hooks->proxy_fence(init);
}

}  // namespace simt
