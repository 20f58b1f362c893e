// No references and no cases: the tests call these ops themselves.
#include "python/tests/ops/testing/probe/probe.h"

#include "core/host/registry.h"

namespace warpath::probe {

template <class Args>
void no_reference(const Args&, const Args&) {}
template <class Args>
std::vector<Case> no_cases() {
  return {};
}
template <class Args>
Cost no_cost(const Args&) {
  return {};
}

WARPATH_OP(Segments, .reference = no_reference<Segments>, .cases = no_cases<Segments>,
           .cost = no_cost<Segments>);
WARPATH_OP(Accumulate, .reference = no_reference<Accumulate>, .cases = no_cases<Accumulate>,
           .cost = no_cost<Accumulate>);
WARPATH_OP(Failing, .reference = no_reference<Failing>, .cases = no_cases<Failing>,
           .cost = no_cost<Failing>);
WARPATH_OP(Waiting, .reference = no_reference<Waiting>, .cases = no_cases<Waiting>,
           .cost = no_cost<Waiting>);
WARPATH_OP(Cube, .reference = no_reference<Cube>, .cases = no_cases<Cube>, .cost = no_cost<Cube>);
WARPATH_OP(Unordered, .reference = no_reference<Unordered>, .cases = no_cases<Unordered>,
           .cost = no_cost<Unordered>);

}  // namespace warpath::probe
