// What an op library holds: ops (of a host library) and rungs (of a backend's), and how an op
// registers itself.
//
//   WARPATH_OP(Forward, .reference = reference, .cases = cases, .cost = cost);      in softmax.cpp
//
// Each library hands its registry out by warpath_library().
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/host/case.h"
#include "core/host/contract.h"
#include "core/host/rung.h"

namespace warpath {

struct Rung {
  std::string op, name, file;
  bool peer = false;
  bool deterministic = true, race = false, weak_memory = false;
  int min_arch = 0;  // 90 for files ending in _sm90
  std::string note;
  // As RungOptions has them; none is empty.
  std::function<std::string(const void*args)> supports, preferred;
  std::function<std::int64_t(const void*args)> scratch, zeroed;
  std::function<void(const void* args, cudaStream_t)> launch;
};

struct Op {
  Contract contract;
  std::size_t args_size = 0;
  std::function<void(void* args)> construct;      // placement of a default args struct
  std::function<void(const void* args)> prepare;  // may be empty
  std::function<void(const void* args)> check;    // as OpOptions has it; may be empty
  std::function<void(const void* args, const void* scale)> reference;
  std::function<void(const void* args, const void* scale, std::uint64_t key)>
      sampled;  // may be empty
  std::function<Cost(const void* args)> cost;
  std::function<Tolerance(const void* args)> tolerance;
  std::vector<Case> cases;
};

// Checks the args by the contract, then launches.
void call(const Op& op, const Rung& rung, const void* args, cudaStream_t stream);

struct Library {
  std::vector<Op> ops;
  std::vector<Rung> rungs;
};

Library& library();  // of this shared library

template <class Args>
struct OpOptions {
  // Fills the outputs from the inputs, all tensors in float64 on the host (index tensors in i64).
  // The outputs of `scale` may be set to what an error in each element is measured against; left
  // alone it is |result|. They are in float64 too, but their dtype is the one that the kernel works in.
  void (*reference)(const Args& args, const Args& scale) = nullptr;
  // For timed cases, in place of the reference: the same for a part of the elements. The others get the scale not_judged.
  // `key` differs from case to case and from seed to seed: which elements are judged follows from it, and no kernel can
  // know them. Every output has some.
  void (*sampled)(const Args& args, const Args& scale, std::uint64_t key) = nullptr;
  std::vector<Case> (*cases)() = nullptr;
  Cost (*cost)(const Args&) = nullptr;
  Tolerance (*tolerance)(const Args&) = nullptr;
  void (*prepare)(const Args&) =
      nullptr;  // makes random inputs valid (float64, before rounding to the dtype)
  // Throws Error where indices, offsets or lengths among the inputs would lead a kernel out of its tensors. Asked before a
  // launch where the inputs lie on the host; those on a GPU are not read back.
  void (*check)(const Args&) = nullptr;
};

std::string rung_name(const std::string& file);
int rung_arch(const std::string& file);

namespace detail {

template <class Args>
struct OpRegistrar {
  explicit OpRegistrar(OpOptions<Args> o) {
    Op op;
    op.contract = Args::contract();
    op.args_size = sizeof(Args);
    op.construct = [](void* a) { new (a) Args(); };
    op.reference = [f = o.reference](const void* a, const void* s) {
      f(*static_cast<const Args*>(a), *static_cast<const Args*>(s));
    };
    if (o.sampled)
      op.sampled = [f = o.sampled](const void* a, const void* s, std::uint64_t key) {
        f(*static_cast<const Args*>(a), *static_cast<const Args*>(s), key);
      };
    op.cost = [f = o.cost](const void* a) { return f(*static_cast<const Args*>(a)); };
    op.tolerance = [f = o.tolerance](const void* a) {
      return f ? f(*static_cast<const Args*>(a)) : Tolerance{};
    };
    if (o.prepare) op.prepare = [f = o.prepare](const void* a) { f(*static_cast<const Args*>(a)); };
    if (o.check) op.check = [f = o.check](const void* a) { f(*static_cast<const Args*>(a)); };
    op.cases = o.cases();
    library().ops.push_back(std::move(op));
  }
};

}  // namespace detail
}  // namespace warpath

#define WARPATH_OP(Args, ...)                                     \
  static const ::warpath::detail::OpRegistrar<Args> WARPATH_JOIN( \
      warpath_op_, __LINE__)(::warpath::OpOptions<Args>{__VA_ARGS__})
