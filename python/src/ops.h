// The ops of the host libraries beside the extension: each once, with a ladder per backend that is opened at the first
// call there.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/host/registry.h"
#include "python/src/ladder.h"

namespace warpath::python {

struct TorchOp {
  std::string name;
  std::string folder;             // its name
  std::filesystem::path path;     // ops/FAMILY/FOLDER; empty where the installation has none
  std::filesystem::path library;  // the host library it came from
  const Op* op = nullptr;
  const Contract* contract = nullptr;
  std::unique_ptr<LazyLadder> ladders[2];  // by Backend
  // In the order of the schema: required tensors, optional tensors, scalars (by name only), the types of
  // outputs that may have several. The rung follows them.
  std::vector<const ArgSpec*> parameters;
  // "d_dtype" for an output d of several types: a choice of its types' names; "" or none at all for
  // what the inputs say. `same_as` names the output; the args struct has no such member.
  std::vector<std::unique_ptr<ArgSpec>> dtype_choices;
  const ArgSpec* scratch = nullptr;
  std::vector<const ArgSpec*> outputs;  // new tensors, in the order of the contract
};

// Whether a call changes none of its inputs.
inline bool functional(const TorchOp& op) {
  for (const ArgSpec* a : op.parameters)
    if (a->role == Role::inout) return false;
  return true;
}

inline bool takes_lists(const TorchOp& op) {
  for (const ArgSpec* a : op.parameters)
    if (a->is_list()) return true;
  return false;
}

// Whether a parameter has no default.
inline bool must_be_given(const ArgSpec& a) {
  return a.has_data() && !a.optional;
}

// Whether a parameter tells the type of an output.
inline bool is_dtype_choice(const ArgSpec& a) {
  return a.role == Role::scalar && !a.same_as.empty();
}

// Ops of every host library, sorted by name. `failures` gets a line for each library that could not be used.
std::vector<TorchOp> find_ops(const Installation& at, std::vector<std::string>& failures);

// Whether NAME_ exists beside the op NAME: its first input may be overwritten by an output.
inline bool has_in_place(const TorchOp& op) {
  for (const ArgSpec* a : op.outputs)
    if (!op.parameters.empty() && a->in_place == op.parameters[0]->name) return true;
  return false;
}

// A functional op without lists has three overloads. Calls that need no gradient take one of the last two, which skip the Autograd
// key: "plain" takes the required tensors alone, because torch looks every other argument up by name; "named" takes all.
// "relu_" is an op of its own, not an overload: it writes its outputs into the inputs that they may overwrite.
enum class Overload { itself, plain, named, in_place };
inline const char* const overload_names[] = {"", ".plain", ".named", "_"};

// Whether a call overwrites this input.
inline bool overwrites(const TorchOp& op, Overload overload, const ArgSpec& input) {
  if (input.role == Role::inout) return true;
  if (overload == Overload::in_place)
    for (const ArgSpec* a : op.outputs)
      if (a->in_place == input.name) return true;
  return false;
}

// "softmax(Tensor x, *, str? rung=None) -> (Tensor y)"
std::string schema(const TorchOp& op, Overload overload = Overload::itself);

// All that Python needs to know of the ops, as JSON; no kernel library is opened for it.
std::string describe(const std::vector<TorchOp>& ops, const std::vector<std::string>& failures);
// The rungs of a ladder, as JSON.
std::string describe(const Ladder& ladder);

}  // namespace warpath::python
