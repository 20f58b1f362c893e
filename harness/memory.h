// Two kinds of memory around a child process: memory that it shares with its parent, and memory
// that it must never see.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpath::harness {

// Pages shared with every child forked later. They are reserved, not committed: a page costs memory
// only when it is touched.
class SharedArena {
 public:
  explicit SharedArena(std::int64_t bytes);
  ~SharedArena();
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;

  char* at(std::int64_t offset) const { return static_cast<char*>(base_) + offset; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  void make_read_only() const;  // in this process
  void drop() const;            // gives the pages back; they read as zero again

 private:
  void* base_ = nullptr;
  std::size_t size_ = 0;
};

// Memory that a forked child does not have mapped: a kernel cannot copy a reference it cannot
// reach.
class PrivateBuffer {
 public:
  PrivateBuffer() = default;
  explicit PrivateBuffer(std::int64_t bytes);
  ~PrivateBuffer();
  PrivateBuffer(PrivateBuffer&& other) noexcept;
  PrivateBuffer& operator=(PrivateBuffer&& other) noexcept;

  template <class T>
  T* as() const {
    return static_cast<T*>(base_);
  }
  explicit operator bool() const { return base_ != nullptr; }

 private:
  void* base_ = nullptr;
  std::size_t size_ = 0;
};

constexpr std::int64_t round_up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

}  // namespace warpath::harness
