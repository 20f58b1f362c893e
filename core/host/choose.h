// Which rung answers a call: the one rule for the lab, the Python ops, ONNX Runtime and the models.
//
// The highest rung of the ladder that can take the call and is preferred for it; where none is preferred, the highest that
// can take it. A rung says both beside its registration: .supports (it cannot, and why) and .preferred (it can, but
// another should, and why).
#pragma once
#include <string>
#include <vector>

#include "core/host/registry.h"

namespace warpath {

// Empty when the rung can take the call on a device of that architecture (90: sm_90); otherwise why not.
std::string obstacle(const Rung& rung, const void* args, int arch);

// `ladder`: rungs of one op from the bottom up. Null when none can take the call.
const Rung* choose_rung(const std::vector<const Rung*>& ladder, const void* args, int arch);

// The same with all rungs that were considered, from the top down.
struct Considered {
  const Rung* rung = nullptr;
  bool chosen = false, possible = false;
  std::string reason;  // why it cannot, or why it is not preferred; empty: neither
};
std::vector<Considered> explain_choice(const std::vector<const Rung*>& ladder, const void* args,
                                       int arch);

// The rung of a ladder that a user named: by its name, or by a prefix that no other rung has.
struct NamedRung {
  const Rung* rung = nullptr;
  std::vector<const Rung*> begun;  // where several have that prefix
  const Rung* nearest = nullptr;   // otherwise: the one that was probably meant
};
NamedRung find_rung(const std::vector<const Rung*>& ladder, const std::string& wanted);

}  // namespace warpath
