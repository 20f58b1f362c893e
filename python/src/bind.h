// Torch's values and the args struct of an op: checked against the contract, laid out as the
// launchers want them.
#pragma once
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <cstddef>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/host/args.h"
#include "core/host/bindings.h"
#include "core/host/error.h"
#include "python/src/ops.h"

namespace warpath::python {

using TorchTensor = torch::stable::Tensor;

// A torch tensor that we own and must release. TorchTensor counts its owners, which costs an allocation per tensor and
// call.
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

// What the dispatcher handed over, one per parameter. Taking it empties the stack, so that nothing leaks
// when an argument is refused later.
struct Value {
  Handle tensor;  // null where it was left out
  std::vector<Handle> list;
  bool given = false;     // of a list
  StableIValue bits = 0;  // of int, float and bool
  std::string text;       // of choices
};
struct Values {
  Few<Value, 32> of;
  std::string rung;
  bool best_rung = true;  // none was named
};
Values take(const TorchOp& op, Overload overload, StableIValue* stack);

// Tensors that are released when the GIL is held again: torch takes the GIL for each one released without it.
class GivenBackLater {
 public:
  GivenBackLater() : outer_(std::exchange(innermost, this)) {}
  ~GivenBackLater() { innermost = outer_; }
  GivenBackLater(const GivenBackLater&) = delete;
  GivenBackLater& operator=(const GivenBackLater&) = delete;
  // Belongs to the innermost of our calls on this thread; null where there is none.
  static thread_local GivenBackLater* innermost;
  // When it is full the tensor stays with its owner.
  void keep(Handle& tensor) {
    if (kept_.size() < most) kept_.add(std::move(tensor));
  }

 private:
  static constexpr std::size_t most = 8;
  GivenBackLater* outer_;
  Few<Handle, most> kept_;
};

// A tensor's sizes and strides, asked of torch once.
struct Seen {
  AtenTensorHandle tensor = nullptr;
  Sizes sizes = {};
  Sizes strides = {};  // none of a tensor just made: it is contiguous

  explicit Seen(AtenTensorHandle tensor);
  Seen(AtenTensorHandle tensor, Sizes sizes) : tensor(tensor), sizes(sizes) {}
  bool contiguous() const;
};

// The args struct of one call with all it points to.
class Bound {
 public:
  // Throws Error naming the argument that breaks the contract.
  Bound(const TorchOp& op, Overload overload, Values values);

  void* args() { return args_.get(); }
  const void* args() const { return args_.get(); }
  std::size_t args_bytes() const { return args_.size(); }
  int device_index() const { return device_index_; }
  // Nothing to compute: every output has no elements.
  bool empty() const;
  // No kernel takes this call: its tensors are of float64, or an input has no elements where the result has some.
  bool needs_reference() const { return exact_ || lacks_elements_; }
  // Computes the outputs by the op's float64 reference, on this CPU. Throws Error where the result of no elements is not
  // defined, as a maximum is.
  void compute_by_reference();
  // Copies inputs whose strides the contract leaves free into tensors that lie in order, for rungs that do not take
  // those strides; false where there is none.
  bool put_in_order();
  // Memory from torch's allocator, put into the args struct; null where the rung asks for none.
  void* add_scratch(std::int64_t bytes);
  // Throws Error where indices among the inputs would lead a kernel out of its tensors. Only of inputs on the host.
  void check_indices() const {
    if (op_.op->check) op_.op->check(args());
  }
  // Throws Error where a sum of integers is larger than the result's type holds. On this CPU, where asking costs little
  // beside the kernel.
  void check_integers();
  // Copies what was changed in place back where the caller's tensor was not contiguous.
  void write_back();
  // The inputs are no longer needed.
  void give_back_inputs();
  Few<Handle, 16>& outputs() { return outputs_; }
  const std::string& wanted_rung() const { return values_.rung; }

 private:
  [[noreturn]] void refuse(const ArgSpec& a, const std::string& why) const;
  void bind_input(const ArgSpec& a, AtenTensorHandle tensor);
  void bind_list(const ArgSpec& a, const std::vector<Handle>& tensors);
  AtenTensorHandle contiguous(const ArgSpec& a, AtenTensorHandle tensor);
  void check_device(const ArgSpec& a, AtenTensorHandle tensor);
  DType check_dtype(const ArgSpec& a, AtenTensorHandle tensor);
  void choose_dtype(const ArgSpec& choice, const std::string& text);
  const DType* chosen_dtype(const ArgSpec& output) const;
  DType output_dtype(const ArgSpec& output) const;
  void bind_scalar(const ArgSpec& a, StableIValue bits, const std::string& text);
  // The arguments in float64 on this CPU, and what the op's reference makes of them.
  struct Reference;
  void make_output(const ArgSpec& a);
  void overwrite_input(const ArgSpec& a);
  bool in_float64(Overload overload) const;
  bool lacks_elements() const;
  void fill(const ArgSpec& a, const Seen& t, DType dtype, bool contiguous);

  const TorchOp& op_;
  Overload overload_;
  Values values_;  // keeps the inputs alive until the launch
  ArgsBlock args_;
  Bindings bindings_;  // points to the sizes that torch's tensors keep
  Few<std::pair<const ArgSpec*, DType>, 16> chosen_;  // outputs whose type is told
  Few<Handle, 16> outputs_;
  bool exact_ = false;                                            // all in float64
  bool lacks_elements_ = false;                                   // an input, but not the result
  bool no_elements_ = true;                                       // of all outputs
  std::vector<TorchTensor> contiguous_;                           // inputs that had to be copied
  std::vector<std::pair<AtenTensorHandle, TorchTensor>> copies_;  // the caller's, what was launched
  std::vector<std::vector<Tensor>> lists_;  // what the lists of the args struct point to
  Handle scratch_;
  const ArgSpec* first_ = nullptr;
  int device_type_ = 0, device_index_ = 0;
};

// The rung that answers a call, and its scratch memory.
struct Pick {
  const Rung* rung = nullptr;
  std::int64_t scratch = 0, zeroed = 0;  // bytes; the leading ones that must be zero
};

// The rung named (by its name or a beginning of it), or the highest one that takes these args.
const Rung& choose_rung(const TorchOp& op, const Ladder& ladder, const void* args,
                        const std::string& wanted, int arch);

// The same for a call, cached: programs call an op with the same few shapes again and again. Under
// torch.use_deterministic_algorithms a rung that is not deterministic gives way to the best that is.
Pick pick(const TorchOp& op, const Ladder& ladder, const Bound& bound, int arch);

}  // namespace warpath::python
