// What one (op, case, dtype) needs: every tensor with its type, shape and place. Parent and child
// make the same plan from the same three things, so no layout has to be sent between them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/args.h"
#include "core/host/registry.h"

namespace warpath::harness {

struct TensorPlan {
  const ArgSpec* spec = nullptr;
  int element = -1;  // of a list; -1: a tensor on its own
  std::string name;  // "x", or "x[2]" of a list
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;
  std::int64_t size = 0;   // elements
  std::int64_t bytes = 0;  // of the memory it lies in, gaps included
  Layout layout = Layout::rows;
  std::int64_t input_at = -1;  // offset in the inputs' arena; -1: not an input
  std::int64_t output_at =
      -1;               // offset in a worker's part of the outputs' arena; -1: not an output
  int offset = 0;       // elements from an aligned address to its first one
  bool present = true;  // an optional tensor the case leaves out
  int shares = -1;      // the input, by its index in the plan, in whose memory this output lies
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

// The types a case is run in: those it names, or all types of the contract.
std::vector<DType> dtypes_of(const Op& op, const Case& test);

// The args struct of a plan: shapes, types and scalars as it says; no data yet.
class ArgsBlob : public ArgsBlock {
 public:
  explicit ArgsBlob(const Plan& plan);

  ArgsBlob(ArgsBlob&&) = default;  // the lists' tensors stay where they are

  using ArgsBlock::tensor;
  Tensor& tensor(const TensorPlan& t);

 private:
  std::map<const ArgSpec*, std::vector<Tensor>> lists_;
};

// "in columns"
std::string_view name(Layout layout);

// Throws Error where the case names an unknown dimension or scalar: a spelling mistake would
// otherwise run the default and pass.
void check_case(const Op& op, const Case& test);

// "rows 64, cols 1000, mode max"
std::string describe_case(const Op& op, const Case& test);

}  // namespace warpath::harness
