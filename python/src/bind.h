// Torch's values and the args struct of an op: checked against the contract, laid out as the
// launchers want them.
#pragma once
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "python/src/ops.h"

namespace warpath::python {

using TorchTensor = torch::stable::Tensor;

// A tensor of torch's that is ours to give back. TorchTensor counts its owners, which costs an allocation for each
// tensor of each call.
class Handle {
 public:
  Handle() = default;
  explicit Handle(AtenTensorHandle tensor) : tensor_(tensor) {}
  Handle(Handle&& other) noexcept : tensor_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(tensor_, other.tensor_);
    return *this;
  }
  ~Handle() {
    if (tensor_) aoti_torch_delete_tensor_object(tensor_);
  }
  AtenTensorHandle get() const { return tensor_; }
  AtenTensorHandle release() { return std::exchange(tensor_, nullptr); }
  explicit operator bool() const { return tensor_; }

 private:
  AtenTensorHandle tensor_ = nullptr;
};

// A list without an allocation.
template <class T, std::size_t most>
class Few {
 public:
  Few() = default;
  Few(Few&& other) noexcept : size_(std::exchange(other.size_, 0)) {
    for (std::size_t i = 0; i < size_; ++i) {
      new (at(i)) T(std::move(*other.at(i)));
      other.at(i)->~T();
    }
  }
  Few& operator=(Few&&) = delete;
  ~Few() {
    for (T& item : *this) item.~T();
  }
  T& add(T item) {
    if (size_ == most) throw Error("an op has more than " + std::to_string(most) + " of a kind");
    return *new (at(size_++)) T(std::move(item));
  }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return *at(i); }
  const T& operator[](std::size_t i) const { return *at(i); }
  T* begin() { return at(0); }
  T* end() { return at(size_); }
  const T* begin() const { return at(0); }
  const T* end() const { return at(size_); }

 private:
  T* at(std::size_t i) const { return reinterpret_cast<T*>(room_) + i; }

  std::size_t size_ = 0;
  alignas(T) mutable std::byte room_[most * sizeof(T)];
};

// What the dispatcher handed over, one a parameter. Taking it empties the stack, so that nothing leaks
// when an argument is refused later.
struct Value {
  Handle tensor;          // null where it was left out
  StableIValue bits = 0;  // of int, float and bool
  std::string text;       // of choices
};
struct Values {
  Few<Value, 32> of;
  std::string rung;
};
Values take(const TorchOp& op, Overload overload, StableIValue* stack);

// Tensors that are given back when Python's lock is held again: torch takes the lock for each one given back without
// it.
class GivenBackLater {
 public:
  GivenBackLater() : outer_(std::exchange(innermost, this)) {}
  ~GivenBackLater() { innermost = outer_; }
  GivenBackLater(const GivenBackLater&) = delete;
  GivenBackLater& operator=(const GivenBackLater&) = delete;
  // Of the innermost call of ours that waits for its result on this thread; null where none does.
  static thread_local GivenBackLater* innermost;
  // Where there is no more room the tensor stays with its owner.
  void keep(Handle& tensor) {
    if (kept_.size() < most) kept_.add(std::move(tensor));
  }

 private:
  static constexpr std::size_t most = 8;
  GivenBackLater* outer_;
  Few<Handle, most> kept_;
};

// A shape without an allocation: torch's tensors have at most so many axes.
struct Shape {
  static constexpr std::size_t most = 64;
  std::array<std::int64_t, most> sizes;
  std::size_t rank = 0;

  void add(std::int64_t n) { sizes.at(rank++) = n; }
};

// What a tensor says of itself, asked once.
struct Seen {
  AtenTensorHandle tensor = nullptr;
  std::size_t rank = 0;
  const std::int64_t* sizes = nullptr;
  const std::int64_t* strides = nullptr;

  explicit Seen(AtenTensorHandle tensor);
  // One just made, contiguous and of this shape: its strides are not asked for.
  Seen(AtenTensorHandle tensor, const Shape& shape)
      : tensor(tensor), rank(shape.rank), sizes(shape.sizes.data()) {}
  bool contiguous() const;
  // Leading axes as one: its stride, or -1 where no single stride leads through all of them.
  std::int64_t merged_stride(std::size_t lead) const;
};

// Room for an args struct; zeros where the struct has gaps, so that two of them can be compared.
class ArgsBlob {
 public:
  explicit ArgsBlob(const Op& op) : bytes_(op.args_size) {
    if (bytes_ > sizeof here_)
      elsewhere_ = std::make_unique<std::max_align_t[]>(bytes_ / sizeof(std::max_align_t) + 1);
    std::memset(data(), 0, bytes_);
    op.construct(data());
  }
  void* data() const { return elsewhere_ ? elsewhere_.get() : here_; }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  mutable std::max_align_t here_[64];  // 1 KiB: every op so far
  std::unique_ptr<std::max_align_t[]> elsewhere_;
};

// The args struct of one call with all it points to.
class Bound {
 public:
  // Throws Error naming the argument that breaks the contract.
  Bound(const TorchOp& op, const Ladder& ladder, Values values);

  void* args() const { return args_.data(); }
  std::size_t args_bytes() const { return args_.size(); }
  int device_index() const { return device_index_; }
  // Nothing to compute: every output has no elements.
  bool empty() const;
  // Memory from torch's allocator, given to the args struct; null where none is wanted.
  void* add_scratch(std::int64_t bytes);
  // Copies what was changed in place back where the caller's tensor was not contiguous.
  void write_back();
  // Nothing of the inputs is needed any more.
  void give_back_inputs();
  Few<Handle, 16>& outputs() { return outputs_; }
  const std::string& wanted_rung() const { return values_.rung; }

 private:
  // Of a dimension: one number, or several for leading axes, where the tensor itself keeps them.
  struct Size {
    const std::string* dim;
    const std::int64_t* sizes;
    std::size_t count;
    std::int64_t plus;  // what the axis has more than the dimension
    const ArgSpec* from;

    std::int64_t at(std::size_t i) const { return sizes[i] - plus; }
    bool operator==(const Size& other) const;
    std::string text() const;
  };

  [[noreturn]] void refuse(const ArgSpec& a, const std::string& why) const;
  void bind_input(const ArgSpec& a, AtenTensorHandle tensor);
  void check_device(const ArgSpec& a, AtenTensorHandle tensor);
  DType check_dtype(const ArgSpec& a, AtenTensorHandle tensor);
  void choose_dtype(const ArgSpec& choice, const std::string& text);
  const DType* chosen_dtype(const ArgSpec& output) const;
  DType output_dtype(const ArgSpec& output) const;
  void check_shape(const ArgSpec& a, const Seen& t);
  void check_size(const ArgSpec& a, const Dim& d, const std::int64_t* sizes, std::size_t count);
  void bind_scalar(const ArgSpec& a, StableIValue bits, const std::string& text);
  void make_output(const ArgSpec& a);
  void check_not_empty() const;
  void fill(const ArgSpec& a, const Seen& t, DType dtype, bool contiguous);
  const Size* find(const std::string& dim) const;

  const TorchOp& op_;
  Values values_;  // keeps the inputs alive until the launch
  ArgsBlob args_;
  std::array<Size, 16> sizes_;  // as many names as a contract may have
  std::size_t named_ = 0;
  Few<std::pair<const ArgSpec*, DType>, 16> chosen_;  // outputs whose type is told
  Few<Handle, 16> outputs_;
  bool no_elements_ = true;                                       // of all outputs
  std::vector<TorchTensor> contiguous_;                           // inputs that had to be copied
  std::vector<std::pair<AtenTensorHandle, TorchTensor>> copies_;  // the caller's, what was launched
  Handle scratch_;
  const ArgSpec* first_ = nullptr;
  int device_type_ = 0, device_index_ = 0;
};

// What answers a call, and with how much scratch memory.
struct Pick {
  const Rung* rung = nullptr;
  std::int64_t scratch = 0, zeroed = 0;  // bytes; the leading ones that must be zero
};

// The rung named (by its name or a beginning of it), or the highest one that takes these args.
const Rung& choose_rung(const TorchOp& op, const Ladder& ladder, const void* args,
                        const std::string& wanted, int arch);

// The same for a call, remembered: a program calls an op with the same few shapes again and again.
Pick pick(const TorchOp& op, const Ladder& ladder, const Bound& bound, int arch);

}  // namespace warpath::python
