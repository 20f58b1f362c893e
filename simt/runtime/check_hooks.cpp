#include "check_hooks.h"

namespace simt {

const CheckHooks* check_hooks = nullptr;

}  // namespace simt
