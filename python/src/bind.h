// Torch's values and the args struct of an op: checked against the contract, laid out as the
// launchers want them.
#pragma once
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "python/src/ops.h"

namespace warpath::python {

using TorchTensor = torch::stable::Tensor;

// What the dispatcher handed over. Taking it empties the stack, so that nothing leaks when an
// argument is refused later.
struct Values {
  std::vector<std::optional<TorchTensor>> tensors;  // one a parameter; none for a scalar
  std::vector<StableIValue> scalars;                // bits of int, float and bool
  std::vector<std::string> strings;                 // of choices
  std::string rung;
};
Values take(const TorchOp& op, StableIValue* stack);

// The args struct of one call with all it points to.
class Bound {
 public:
  // Throws Error naming the argument that breaks the contract.
  Bound(const TorchOp& op, const Ladder& ladder, Values values);

  void* args() const { return args_.get(); }
  int device_index() const { return device_index_; }
  // Nothing to compute: every output has no elements.
  bool empty() const;
  // Memory from torch's allocator, given to the args struct.
  void add_scratch(std::int64_t bytes, bool zeroed);
  // Copies what was changed in place back where the caller's tensor was not contiguous.
  void write_back();
  const std::vector<TorchTensor>& outputs() const { return outputs_; }

 private:
  struct Size {
    const std::string* dim;
    std::vector<std::int64_t> sizes;  // several for leading axes
    const ArgSpec* from;
  };

  [[noreturn]] void refuse(const ArgSpec& a, const std::string& why) const;
  void bind_input(const ArgSpec& a, const TorchTensor& t);
  void check_device(const ArgSpec& a, const TorchTensor& t);
  DType check_dtype(const ArgSpec& a, const TorchTensor& t);
  void choose_dtype(const ArgSpec& choice, const std::string& text);
  const DType* chosen_dtype(const ArgSpec& output) const;
  DType output_dtype(const ArgSpec& output) const;
  void check_shape(const ArgSpec& a, const TorchTensor& t);
  void check_size(const ArgSpec& a, const Dim& d, std::vector<std::int64_t> sizes);
  void bind_scalar(const ArgSpec& a, StableIValue bits, const std::string& text);
  void make_output(const ArgSpec& a);
  void check_not_empty() const;
  void fill(const ArgSpec& a, const TorchTensor& t, DType dtype);
  const Size* find(const std::string& dim) const;

  const TorchOp& op_;
  std::unique_ptr<std::max_align_t[]> args_;
  std::vector<Size> sizes_;
  std::vector<std::pair<const ArgSpec*, DType>> chosen_;     // outputs whose type is told
  std::vector<TorchTensor> inputs_, outputs_;                // kept alive until the launch
  std::vector<std::pair<TorchTensor, TorchTensor>> copies_;  // caller's tensor, what was launched
  std::optional<TorchTensor> scratch_;
  const ArgSpec* first_ = nullptr;
  int device_type_ = 0, device_index_ = 0;
};

// The rung named (by its name or a beginning of it), or the highest one that takes these args.
const Rung& choose_rung(const TorchOp& op, const Ladder& ladder, const void* args,
                        const std::string& wanted, int arch);

}  // namespace warpath::python
