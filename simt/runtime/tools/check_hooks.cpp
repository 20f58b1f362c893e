#include "tools/check_hooks.h"

namespace simt {

const CheckHooks* check_hooks = nullptr;
bool red_zones = false;

void library_writes() {
  if (check_hooks != nullptr) check_hooks->library_wrote();
}

}  // namespace simt
