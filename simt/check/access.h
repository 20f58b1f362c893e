#pragma once

// One access to memory, before it happens.

#include <simt/self.h>

#include <cstddef>

namespace simt::check {

enum class How : unsigned char {
  read,
  write,
  atomic,
  volatile_read,
  volatile_write,
  copy,
  atomic_store
};

void kernel_access(const void* address, std::size_t size, How how, bool write, const void* pc);
void host_access(const void* address, std::size_t size, bool write, const void* pc);

inline void access(const void* address, std::size_t size, How how, bool write, const void* pc) {
  if (front != nullptr) {
    kernel_access(address, size, how, write, pc);
  } else {
    host_access(address, size, write, pc);
  }
}

// The running OS thread's last store has happened: what depended on its value is decided now.
void settle_writes();
// The same at a barrier, and for reads that may have been the first step of an atomic update.
void settle_reads();

void misaligned(const void* address, std::size_t size, bool write, const void* pc);
void bad_index(const char* type, long long index, const void* pc);

}  // namespace simt::check
