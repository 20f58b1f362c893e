// One (op, case, dtype) made real: inputs drawn and rounded, the float64 reference computed from
// the rounded ones.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/compare.h"
#include "harness/memory.h"
#include "harness/plan.h"

namespace warpath::harness {

class Problem {
 public:
  // Writes the inputs into `inputs`, as the plan places them. The reference stays in this process.
  Problem(const Plan& plan, std::uint64_t seed, const SharedArena& inputs);

  // Judges what a worker left at `outputs`; the worst of all outputs.
  Verdict judge(const char* outputs) const;

  const Plan& plan() const { return plan_; }
  const Cost& cost() const { return cost_; }

 private:
  struct Output {
    const TensorPlan* tensor;
    PrivateBuffer reference;  // float64; int64 for positions
    PrivateBuffer scale;
  };

  const Plan& plan_;
  Tolerance tolerance_;
  Cost cost_;
  std::vector<Output> outputs_;
};

}  // namespace warpath::harness
