// What the op libraries beside the extension offer: each op once, with a ladder for every backend.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"

namespace warpath::python {

// runtime.cu of one backend.
struct Runtime {
  int (*arch)(int device) = nullptr;
  int (*devices)() = nullptr;
  const char* (*finish)() = nullptr;
  const char* (*zero)(void* data, std::int64_t bytes, void* stream) = nullptr;
  // Of simt, null for a GPU: people's own checked kernels may be in the process too, and what torch
  // has is not device memory to their checks.
  bool (*pause_checks)() = nullptr;
  void (*resume_checks)() = nullptr;
};

struct Ladder {
  const Op* op = nullptr;  // null: this backend has no library of the op
  std::vector<const Rung*> rungs;
  Runtime runtime;
};

enum Backend { simt, cuda };
inline const char* const backend_names[] = {"simt", "cuda"};

struct TorchOp {
  std::string name;
  std::string folder, library;  // of ops/, and the file it came from
  const Contract* contract = nullptr;
  Ladder ladders[2];
  // In the order of the schema: tensors, tensors that may be left out, scalars (by name only), the
  // types of outputs that leave it free. The rung follows them.
  std::vector<const ArgSpec*> parameters;
  // "d_dtype" for an output d of several types: a choice of its types' names; "" or none at all for
  // what the inputs say. `same_as` names the output; the args struct has no such member.
  std::vector<std::unique_ptr<ArgSpec>> dtype_choices;
  const ArgSpec* scratch = nullptr;
  std::vector<const ArgSpec*> outputs;  // new tensors, in the order of the contract
};

// Whether a call changes nothing but its results.
inline bool functional(const TorchOp& op) {
  for (const ArgSpec* a : op.parameters)
    if (a->role == Role::inout) return false;
  return true;
}

// Whether a parameter has no default.
inline bool must_be_given(const ArgSpec& a) {
  return a.is_tensor() && !a.optional;
}

// Whether a parameter tells the type of an output.
inline bool is_dtype_choice(const ArgSpec& a) {
  return a.role == Role::scalar && !a.same_as.empty();
}

// Ops of every library in the folder, sorted by name; `package` holds runtime_BACKEND.so.
// `problems` gets a line for each library that could not be used.
std::vector<TorchOp> find_ops(const std::filesystem::path& package,
                              const std::filesystem::path& folder,
                              std::vector<std::string>& problems);

// Each op that changes nothing is there three times. Calls that need no gradient take one of the last two, which Python
// lets past the Autograd key: "plain" with the tensors that must be given alone, for torch looks for every other
// argument by its name, "named" with all.
enum class Overload { itself, plain, named };
inline const char* const overload_names[] = {"", ".plain", ".named"};

// "softmax(Tensor x, *, str? rung=None) -> (Tensor y)"
std::string schema(const TorchOp& op, Overload overload = Overload::itself);

// All that Python needs to know of the ops, as JSON.
std::string describe(const std::vector<TorchOp>& ops, const std::vector<std::string>& problems);

}  // namespace warpath::python
