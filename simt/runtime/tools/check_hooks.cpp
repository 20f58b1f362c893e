#include "tools/check_hooks.h"

namespace simt {

const CheckHooks* check_hooks = nullptr;
bool red_zones = false;

void library_writes() {
  if (check_hooks != nullptr) check_hooks->library_wrote();
}

void ptx::tell_matrix_row(const void* row) {
  if (check_hooks == nullptr || check_hooks->matrix_row == nullptr) return;
  check_hooks->matrix_row(row, __builtin_return_address(0));
}

}  // namespace simt
