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
// The same bytes from the same place into the same place are one copy, however many threads begin it, as two writes of
// one value are no race.
void copy_began(void* to, const void* from, std::size_t size, const void* pc) {
  BlockState& state = state_of(current_block());
  if (from != nullptr && ++state.copies_under_way[{to, from, size}] > 1) return;
  touch(to, size, true, pc);
  if (from != nullptr) touch(from, size, false, pc);
  const auto address = reinterpret_cast<Address>(to);
  if (state.shared.holds(address)) state.shared.set(address, size, pending);
}

void copy_landed(void* to, const void* from, std::size_t size, const void* pc) {
  BlockState& state = state_of(current_block());
  const auto found = state.copies_under_way.find({to, from, size});
  if (found != state.copies_under_way.end()) {
    if (--found->second > 0) return;  // the others land with the last
    state.copies_under_way.erase(found);
  }
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
