#include "check_hooks.h"

namespace simt {

const CheckHooks* check_hooks = nullptr;
bool red_zones = false;

}  // namespace simt
