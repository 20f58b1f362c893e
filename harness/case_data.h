// The data of one (op, case, dtype): inputs drawn and rounded, and the float64 reference computed
// from the rounded inputs. Of a timed case whose op has a sampled reference, a part of the elements has one.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/compare.h"
#include "harness/memory.h"
#include "harness/plan.h"

namespace warpath::harness {

class CaseData {
 public:
  // Writes the inputs into `inputs`, as the plan places them. The reference stays in this process.
  CaseData(const Plan& plan, std::uint64_t seed, const SharedArena& inputs);

  // Judges the outputs a worker left at `outputs`; returns the worst verdict of all outputs, with the
  // elements of all of them.
  Verdict judge(const char* outputs) const;

  const Plan& plan() const { return plan_; }
  const Cost& cost() const { return cost_; }

 private:
  struct Output {
    const TensorPlan* tensor;
    PrivateBuffer reference;  // float64; int64 for positions
    PrivateBuffer scale;
  };

  void check_judged(bool sampled) const;

  const Plan& plan_;
  Tolerance tolerance_;
  Cost cost_;
  std::vector<Output> outputs_;
};

}  // namespace warpath::harness
