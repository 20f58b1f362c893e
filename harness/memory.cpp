#include "harness/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/host/error.h"

namespace warpath::harness {
namespace {

std::size_t whole_pages(std::int64_t bytes) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return static_cast<std::size_t>(bytes > 0 ? round_up(bytes, page) : page);
}

// Gigabytes are touched once, so both kinds ask for huge pages: page faults would take longer than
// the work.
void* map(std::size_t bytes, int flags) {
  void* p =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (p == MAP_FAILED)
    throw Error("cannot map " + std::to_string(bytes >> 20) + " MiB: " + std::strerror(errno));
  return p;
}

}  // namespace

SharedArena::SharedArena(std::int64_t bytes) : size_(whole_pages(bytes)) {
  base_ = map(size_, MAP_SHARED);
  madvise(base_, size_, MADV_HUGEPAGE);
}

SharedArena::~SharedArena() {
  munmap(base_, size_);
}

void SharedArena::make_read_only() const {
  mprotect(base_, size_, PROT_READ);
}

void SharedArena::drop() const {
  madvise(base_, size_, MADV_REMOVE);
}

PrivateBuffer::PrivateBuffer(std::int64_t bytes) : size_(whole_pages(bytes)) {
  base_ = map(size_, MAP_PRIVATE);
  madvise(base_, size_, MADV_DONTFORK);
  madvise(base_, size_, MADV_HUGEPAGE);
}

PrivateBuffer::~PrivateBuffer() {
  if (base_) munmap(base_, size_);
}

PrivateBuffer::PrivateBuffer(PrivateBuffer&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PrivateBuffer& PrivateBuffer::operator=(PrivateBuffer&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace warpath::harness
