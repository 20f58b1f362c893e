// How an op and its rungs make themselves known: one line beside the thing registered.
//
//   WARPATH_OP(Forward, .reference = reference, .cases = cases, .cost = cost);      in softmax.cpp
//   WARPATH_RUNG(Forward, launch);                                                 in 03_warp.cu
//   WARPATH_RUNG(Forward, launch, .supports = fits, .scratch = scratch_bytes, .zeroed = flag_bytes);
//   WARPATH_PEER(Forward, "cuDNN", launch);                                        in peers.cu
//
// A rung is named by its file: backward_03_warp.cu is rung "03_warp", wrong/tail.cu is
// "wrong/tail", and a file without a number keeps its own name. Each op library hands its registry
// out by warpath_library().
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/contract.h"

// As CUDA declares it, so that host-only code needs no CUDA header.
typedef struct CUstream_st* cudaStream_t;

namespace warpath {

struct Rung {
  std::string op, name, file;
  bool peer = false;
  bool deterministic = true;  // same bits from run to run
  bool race = false;  // of a wrong kernel: it errs only when threads run in an unlucky order
  int min_arch = 0;   // 90 for files ending in _sm90
  std::string note;
  std::function<std::string(const void* args)>
      supports;  // empty string: yes; otherwise the reason why not
  std::function<std::int64_t(const void* args)> scratch;  // bytes wanted
  // How many of them, from the first on, must be zero before the first launch; every launch leaves them
  // zero again.
  std::function<std::int64_t(const void* args)> zeroed;
  std::function<void(const void* args, cudaStream_t)> launch;  // checks the args first
};

struct Op {
  Contract contract;
  std::size_t args_size = 0;
  std::function<void(void* args)> construct;      // placement of a default args struct
  std::function<void(const void* args)> prepare;  // may be empty
  std::function<void(const void* args, const void* scale)> reference;
  std::function<Cost(const void* args)> cost;
  std::function<Tolerance(const void* args)> tolerance;
  std::vector<Case> cases;
};

struct Library {
  std::vector<Op> ops;
  std::vector<Rung> rungs;
};

Library& library();  // of this shared library

// What may be said of a rung beside its launcher; every field has a default.
template <class Args>
struct RungOptions {
  std::string (*supports)(const Args&) = nullptr;
  std::int64_t (*scratch)(const Args&) = nullptr;
  std::int64_t (*zeroed)(const Args&) = nullptr;
  bool deterministic = true;
  bool race = false;
  const char* note = "";
};

template <class Args>
struct OpOptions {
  // Fills the outputs from the inputs, all tensors in float64 on the host (index tensors in i64).
  // The outputs of `scale` may be set to what an error in each element is measured against; left
  // alone it is |result|.
  void (*reference)(const Args& args, const Args& scale) = nullptr;
  std::vector<Case> (*cases)() = nullptr;
  Cost (*cost)(const Args&) = nullptr;
  Tolerance (*tolerance)(const Args&) = nullptr;
  void (*prepare)(const Args&) =
      nullptr;  // makes random inputs valid (float64, before rounding to the dtype)
};

std::string rung_name(const std::string& file);
int rung_arch(const std::string& file);

namespace detail {

template <class Args>
Rung make_rung(const char* file, void (*launch)(const Args&, cudaStream_t),
               const RungOptions<Args>& o) {
  static const Contract contract = Args::contract();
  Rung r;
  r.op = contract.name();
  r.name = rung_name(file);
  r.file = file;
  r.deterministic = o.deterministic;
  r.race = o.race;
  r.min_arch = rung_arch(file);
  r.note = o.note;
  r.supports = [f = o.supports](const void* a) {
    return f ? f(*static_cast<const Args*>(a)) : std::string();
  };
  r.scratch = [f = o.scratch](const void* a) { return f ? f(*static_cast<const Args*>(a)) : 0; };
  r.zeroed = [f = o.zeroed](const void* a) { return f ? f(*static_cast<const Args*>(a)) : 0; };
  r.launch = [launch](const void* a, cudaStream_t s) {
    check_args(contract, a);
    launch(*static_cast<const Args*>(a), s);
  };
  return r;
}

template <class Args>
struct RungRegistrar {
  RungRegistrar(const char* file, void (*launch)(const Args&, cudaStream_t), RungOptions<Args> o) {
    library().rungs.push_back(make_rung<Args>(file, launch, o));
  }
  RungRegistrar(const char* file, const char* peer, void (*launch)(const Args&, cudaStream_t),
                RungOptions<Args> o) {
    Rung r = make_rung<Args>(file, launch, o);
    r.name = peer;
    r.peer = true;
    library().rungs.push_back(std::move(r));
  }
};

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
    op.cost = [f = o.cost](const void* a) { return f(*static_cast<const Args*>(a)); };
    op.tolerance = [f = o.tolerance](const void* a) {
      return f ? f(*static_cast<const Args*>(a)) : Tolerance{};
    };
    if (o.prepare) op.prepare = [f = o.prepare](const void* a) { f(*static_cast<const Args*>(a)); };
    op.cases = o.cases();
    library().ops.push_back(std::move(op));
  }
};

}  // namespace detail
}  // namespace warpath

#define WARPATH_JOIN_(a, b) a##b
#define WARPATH_JOIN(a, b) WARPATH_JOIN_(a, b)

#define WARPATH_RUNG(Args, launcher, ...)                                                    \
  static const ::warpath::detail::RungRegistrar<Args> WARPATH_JOIN(warpath_rung_, __LINE__)( \
      __FILE__, launcher, ::warpath::RungOptions<Args>{__VA_ARGS__})

#define WARPATH_PEER(Args, peer, launcher, ...)                                              \
  static const ::warpath::detail::RungRegistrar<Args> WARPATH_JOIN(warpath_rung_, __LINE__)( \
      __FILE__, peer, launcher, ::warpath::RungOptions<Args>{__VA_ARGS__})

#define WARPATH_OP(Args, ...)                                     \
  static const ::warpath::detail::OpRegistrar<Args> WARPATH_JOIN( \
      warpath_op_, __LINE__)(::warpath::OpOptions<Args>{__VA_ARGS__})
