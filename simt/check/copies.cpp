// Copies of many bytes in kernels: memcpy and its relatives, and asynchronous ones.

#include <cstring>

#include "access.h"
#include "hooks.h"

namespace simt::check {
namespace {

void touch(const void* at, std::size_t size, bool write, const void* pc) {
  if (size != 0) {
    general_access({reinterpret_cast<Address>(at), size, How::copy, write, pc});
  }
}

}  // namespace

// The destination must not be touched before the copy has landed; that it may be written at all,
// and the source read, is known now.
void copy_began(void* to, const void* from, std::size_t size, const void* pc) {
  const BlockState& state = state_of(current_block());
  touch(to, size, true, pc);
  if (from != nullptr) touch(from, size, false, pc);
  const auto address = reinterpret_cast<Address>(to);
  if (state.shared.holds(address)) state.shared.set(address, size, pending);
}

void copy_landed(void* to, const void* from, std::size_t size, const void* pc) {
  const BlockState& state = state_of(current_block());
  const auto address = reinterpret_cast<Address>(to);
  if (state.shared.holds(address)) state.shared.set(address, size, good);
  touch(to, size, true, pc);
  if (from != nullptr) touch(from, size, false, pc);
}

}  // namespace simt::check

// What memcpy and the like become in checked device code.
extern "C" {

void* simt_check_memcpy(void* to, const void* from, std::size_t size) {
  simt::check::touch(from, size, false, __builtin_return_address(0));
  simt::check::touch(to, size, true, __builtin_return_address(0));
  return std::memcpy(to, from, size);
}

void* simt_check_memmove(void* to, const void* from, std::size_t size) {
  simt::check::touch(from, size, false, __builtin_return_address(0));
  simt::check::touch(to, size, true, __builtin_return_address(0));
  return std::memmove(to, from, size);
}

void* simt_check_memset(void* to, int value, std::size_t size) {
  simt::check::touch(to, size, true, __builtin_return_address(0));
  return std::memset(to, value, size);
}

}  // extern "C"
