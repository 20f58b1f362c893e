#pragma once

// What bulk copies and wgmma report to the checks.

#include "tools/check_hooks.h"

namespace simt {

inline void tell_async(AsyncEvent event, const void* at, std::size_t size, const void* pc,
                       std::uint64_t since = 0) {
  if (check_hooks != nullptr) check_hooks->async_access(event, at, size, pc, since);
}
inline std::uint64_t async_time() {
  return check_hooks != nullptr ? check_hooks->async_time() : 0;
}
inline void tell_engine_uses(const void* barrier, const void* pc) {
  if (check_hooks != nullptr) check_hooks->barrier_used(barrier, true, pc);
}
inline void tell_load_begins(const void* to, std::size_t size, const void* pc) {
  tell_async(AsyncEvent::write_begins, to, size, pc);
}
inline void tell_load_lands(const void* to, std::size_t size, const void* pc) {
  tell_async(AsyncEvent::write_lands, to, size, pc);
}
inline void tell_read_begins(const void* from, std::size_t size, const void* pc) {
  tell_async(AsyncEvent::read_begins, from, size, pc);
}
inline void tell_read_ends(const void* from, std::size_t size, const void* pc,
                           std::uint64_t since) {
  tell_async(AsyncEvent::read_ends, from, size, pc, since);
}
inline void tell_global(const void* at, std::size_t size, bool write, const void* pc) {
  tell_async(write ? AsyncEvent::global_write : AsyncEvent::global_read, at, size, pc);
}
inline void tell_multicast(const void* at, std::size_t size, const void* pc) {
  tell_async(AsyncEvent::multicast_read, at, size, pc);
}
inline void tell_global_update(const void* at, std::size_t size, const void* pc) {
  tell_async(AsyncEvent::global_update, at, size, pc);
}
inline void tell_misuse(FindingKind kind, const char* what, unsigned thread, const void* pc) {
  if (check_hooks != nullptr) check_hooks->async_misuse(kind, what, thread, pc);
}

}  // namespace simt
