// What one (op, case, dtype) needs: every tensor with its type, shape and place. Made alike in the
// parent and in a child from the same three things, so that no layout has to be sent between them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"

namespace warpath::harness {

struct TensorPlan {
  const ArgSpec* spec = nullptr;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;
  std::int64_t size = 0;   // elements
  std::int64_t bytes = 0;  // of the memory it lies in, gaps included
  Layout layout = Layout::rows;
  std::int64_t input_at = -1;  // offset in the inputs' arena; -1: not an input
  std::int64_t output_at =
      -1;               // offset in a worker's part of the outputs' arena; -1: not an output
  bool present = true;  // an optional tensor the case leaves out
};

struct Plan {
  const Op* op = nullptr;
  const Case* test = nullptr;
  DType dtype = DType::f32;
  std::vector<TensorPlan> tensors;
  std::int64_t input_bytes = 0;
  std::int64_t output_bytes = 0;
};

Plan make_plan(const Op& op, const Case& test, DType dtype);

// The types a case is run in: those it names, or all of the contract.
std::vector<DType> dtypes_of(const Op& op, const Case& test);

// An args struct of which only the contract is known.
class ArgsBlob {
 public:
  // Shapes, types and scalars as the plan says; no data yet.
  explicit ArgsBlob(const Plan& plan);

  void* get() { return storage_.get(); }
  const void* get() const { return storage_.get(); }
  Tensor& tensor(const TensorPlan& t) { return tensor_at(get(), *t.spec); }

 private:
  struct Release {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Release> storage_;
};

// "in columns"
std::string_view name(Layout layout);

// Sets shape and strides of a contiguous tensor.
void set_tensor(Tensor& t, void* data, DType dtype, const std::vector<std::int64_t>& shape);

// Throws Error where the case names an unknown dimension or scalar: a spelling mistake would
// otherwise run the default and pass.
void check_case(const Op& op, const Case& test);

// "rows 64, cols 1000, mode max"
std::string describe_case(const Op& op, const Case& test);

}  // namespace warpath::harness
