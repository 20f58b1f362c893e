#pragma once

// Kernels as loops over their threads. Where the translator understands a kernel's barriers
// (simt/cc/split/split.h), it gives the kernel a second body: pieces of code that end at barriers
// and at branches around them, each a loop over the threads of the block. Nothing is switched, so a
// barrier costs next to nothing. The runtime decides for each grid which of the two bodies runs.

#include <simt/self.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace simt {

// Whether the kernel that begins here runs all threads of the block by itself.
inline bool splits() {
  return front != nullptr && front->in_loops;
}

// Memory of the block until the kernel ends.
void* split_memory(std::size_t size);
void split_begins();
void split_ends();
void split_barrier();  // all threads have come to it: for the checks

// The threads that the next piece runs over.
class SplitRun {
 public:
  SplitRun() : block(*front), count(front->thread_count) { split_begins(); }
  ~SplitRun() { split_ends(); }
  SplitRun(const SplitRun&) = delete;
  SplitRun& operator=(const SplitRun&) = delete;

  bool nobody() const { return count == 0; }
  // After a sweep in which threads returned: they are no part of the next.
  void drop_gone();

  BlockFront& block;
  unsigned count;
  std::uint16_t* list = nullptr;  // their ids; null: all threads in order
  unsigned char* gone = nullptr;  // by id: has returned
  bool some_left = false;
};

// One loop over the threads.
class Sweep {
 public:
  explicit Sweep(SplitRun& run)
      : run_(run), count_(run.count), list_(run.list), size_x_(blockDim.x), size_y_(blockDim.y) {
    if (list_ != nullptr && count_ != 0) id_ = list_[0];
    index_ = list_ != nullptr ? index_of_thread(id_) : uint3{0, 0, 0};
    ::threadIdx = index_;
  }

  bool more() const { return at_ != count_; }
  uint3 enter() const {
    ::threadIdx.x = index_.x;
    run_.block.next_thread = id_ + 1;
    return index_;
  }
  void step() {
    if (++at_ == count_) return;
    if (__builtin_expect(list_ != nullptr, 0)) {
      id_ = list_[at_];
      index_ = index_of_thread(id_);
      ::threadIdx = index_;
      return;
    }
    ++id_;
    if (++index_.x == size_x_) {
      index_.x = 0;
      if (++index_.y == size_y_) {
        index_.y = 0;
        ++index_.z;
      }
      ::threadIdx = index_;
    }
  }
  // The thread returns.
  void leave() {
    if (run_.gone == nullptr) run_.drop_gone();
    run_.gone[id_] = 1;
    run_.some_left = true;
  }

  unsigned id() const { return id_; }

 private:
  SplitRun& run_;
  const unsigned count_;
  const std::uint16_t* const list_;
  const unsigned size_x_, size_y_;
  unsigned at_ = 0, id_ = 0;
  uint3 index_;
};

// The same for a checked program: one call a thread, none of which is watched. What it returns fits
// two registers: a part of the index that goes through memory would be read before its store is
// done.
struct SplitTurn {
  std::uint64_t x_and_y, z_and_id;  // the first is the lower half
  unsigned id() const { return static_cast<unsigned>(z_and_id >> 32); }  // `fresh`: it was the last
  uint3 index() const {
    return {static_cast<unsigned>(x_and_y), static_cast<unsigned>(x_and_y >> 32),
            static_cast<unsigned>(z_and_id)};
  }
};
class CheckedSweep {
 public:
  SIMT_UNWATCHED explicit CheckedSweep(const SplitRun& run)
      : block_(run.block), count_(run.block.thread_count), size_x_(::blockDim.x) {
    ::threadIdx = uint3{0, 0, 0};
  }
  SIMT_UNWATCHED SplitTurn next() {
    const unsigned id = id_;
    if (id == count_) return {0, std::uint64_t{fresh} << 32};
    unsigned x = x_, y = y_, z = z_;
    if (x == size_x_) {
      x = 0;
      if (++y == ::blockDim.y) {
        y = 0;
        ++z;
      }
      ::threadIdx.y = y_ = y;
      ::threadIdx.z = z_ = z;
    }
    ::threadIdx.x = x;
    x_ = x + 1;
    block_.next_thread = id_ = id + 1;
    return {x | std::uint64_t{y} << 32, z | std::uint64_t{id} << 32};
  }

 private:
  BlockFront& block_;
  const unsigned count_, size_x_;
  unsigned id_ = 0, x_ = 0, y_ = 0, z_ = 0;  // of the next turn, except x_ past the end of a row
};

// The same when threads may take different ways: each has the piece it comes to next. Those that
// wait at a barrier go on when all do that have not returned, as on a GPU.
class SplitSchedule : public SplitRun {
 public:
  static constexpr std::uint16_t over = 0xffff;
  static constexpr std::uint16_t barrier = 0x8000;  // before that piece there is one

  SplitSchedule();
  // The piece to run next, over the threads it has chosen; `over` when all have returned.
  unsigned next();
  void ended(unsigned id, unsigned where) {
    places_[id] = static_cast<std::uint16_t>(where);
    if (where != common_) {
      same_ = same_ && common_ == none_yet;
      common_ = where;
    }
  }

 private:
  static constexpr unsigned none_yet = ~0u;
  unsigned choose();

  std::uint16_t* places_;
  unsigned alive_;
  unsigned common_ = none_yet;
  bool same_ = true;
};

// A variable of each thread that lives from one piece to another.
template <class T>
inline constexpr bool is_split_scalar = std::is_scalar_v<T>;

// A declared type without what concerns the declared name alone.
template <class T>
struct SplitBare {
  using type = std::remove_cv_t<T>;
};
template <class T>
struct SplitBare<T* __restrict__> {
  using type = T*;
};
template <class T>
struct SplitBare<T* const __restrict__> {
  using type = T*;
};

// How a piece sees it: a copy of a plain value, so that it can be in a register; else its place.
template <class T>
using SplitView = std::conditional_t<is_split_scalar<T>, T, T&>;

template <class Declared>
class SplitVar {
 public:
  using T = typename SplitBare<Declared>::type;
  using View = SplitView<T>;
  // Small values that no longer change are copied too.
  using Seen =
      std::conditional_t<std::is_trivially_copyable_v<T> && !std::is_array_v<T> && sizeof(T) <= 64,
                         T, T&>;

  SplitVar() : values_(static_cast<T*>(split_memory(sizeof(T) * front->thread_count))) {}
  T& at(unsigned id) const { return values_[id]; }
  // Its declaration without a value, and with one.
  T& make(unsigned id) const {
    if constexpr (!std::is_trivially_default_constructible_v<T>) ::new (&values_[id]) T;
    return values_[id];
  }
  template <class From>
  T& make(unsigned id, From& from) const {
    if constexpr (std::is_array_v<T>) {
      static_assert(std::is_trivially_copyable_v<T>);
      __builtin_memcpy(&values_[id], &from, sizeof(T));
    } else {
      ::new (const_cast<std::remove_cv_t<T>*>(&values_[id])) T(from);
    }
    return values_[id];
  }

 private:
  T* values_;
};

// Writes a piece's copy back when the piece ends.
template <class T>
class SplitKeep {
 public:
  SplitKeep(T& home, SplitView<T>& copy) : home_(home), copy_(copy) {}
  ~SplitKeep() {
    if constexpr (is_split_scalar<T>) home_ = copy_;
  }
  SplitKeep(const SplitKeep&) = delete;
  SplitKeep& operator=(const SplitKeep&) = delete;

 private:
  T& home_;
  SplitView<T>& copy_;
};

template <class T>
struct SplitType {
  using type = T;
};

}  // namespace simt
