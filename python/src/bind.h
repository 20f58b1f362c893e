// Torch's values and the args struct of an op: checked against the contract, laid out as the
// launchers want them.
#pragma once
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/src/ops.h"

namespace warpath::python {

using TorchTensor = torch::stable::Tensor;

// What the dispatcher handed over, one a parameter. Taking it empties the stack, so that nothing leaks
// when an argument is refused later.
struct Value {
  std::optional<TorchTensor> tensor;
  StableIValue bits = 0;  // of int, float and bool
  std::string text;       // of choices
};
struct Values {
  std::vector<Value> of;
  std::string rung;
};
Values take(const TorchOp& op, StableIValue* stack);

// A shape without an allocation: torch's tensors have at most so many axes.
struct Shape {
  static constexpr std::size_t most = 64;
  std::array<std::int64_t, most> sizes;
  std::size_t rank = 0;

  void add(std::int64_t n) { sizes.at(rank++) = n; }
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
  const std::vector<TorchTensor>& outputs() const { return outputs_; }
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
  void bind_input(const ArgSpec& a, const TorchTensor& t);
  void check_device(const ArgSpec& a, const TorchTensor& t);
  DType check_dtype(const ArgSpec& a, const TorchTensor& t);
  void choose_dtype(const ArgSpec& choice, const std::string& text);
  const DType* chosen_dtype(const ArgSpec& output) const;
  DType output_dtype(const ArgSpec& output) const;
  void check_shape(const ArgSpec& a, const TorchTensor& t);
  void check_size(const ArgSpec& a, const Dim& d, const std::int64_t* sizes, std::size_t count);
  void bind_scalar(const ArgSpec& a, StableIValue bits, const std::string& text);
  void make_output(const ArgSpec& a);
  void check_not_empty() const;
  void fill(const ArgSpec& a, const TorchTensor& t, DType dtype, bool contiguous);
  const Size* find(const std::string& dim) const;

  const TorchOp& op_;
  const Values values_;  // keeps the inputs alive until the launch
  ArgsBlob args_;
  std::array<Size, 16> sizes_;  // as many names as a contract may have
  std::size_t named_ = 0;
  std::vector<std::pair<const ArgSpec*, DType>> chosen_;  // outputs whose type is told
  std::vector<TorchTensor> outputs_, contiguous_;  // the latter: inputs that had to be copied
  std::vector<std::pair<TorchTensor, TorchTensor>> copies_;  // caller's tensor, what was launched
  std::optional<TorchTensor> scratch_;
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
