#pragma once

// The instructions, registers and types of inline PTX that are known.

namespace simt::cc {

// To add an instruction: a line here, and its function in simt/ptx.h unless there is one. The
// function gets the operands in order, without the destination where there is a result.
struct Instruction {
  const char* opcode;
  const char* function;
  bool has_result;
};

inline constexpr Instruction instructions[] = {
    {"trap", "ptx::trap", false},
    {"membar.gl", "ptx::membar", false},
    {"membar.cta", "ptx::membar", false},
    {"membar.sys", "ptx::membar", false},
    {"barrier.cluster.arrive", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.aligned", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.release", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.release.aligned", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.relaxed", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.relaxed.aligned", "ptx::cluster_arrive", false},
    {"barrier.cluster.wait", "ptx::cluster_wait", false},
    {"barrier.cluster.wait.aligned", "ptx::cluster_wait", false},
    {"barrier.cluster.wait.acquire", "ptx::cluster_wait", false},
    {"barrier.cluster.wait.acquire.aligned", "ptx::cluster_wait", false},
    {"cp.async.commit_group", "async_commit", false},
    {"cp.async.wait_group", "async_wait", false},
    {"cp.async.wait_all", "async_wait_all", false},
    {"activemask.b32", "ptx::activemask", true},
    {"nanosleep.u32", "ptx::nanosleep", false},
    {"pmevent", "ptx::performance_event", false},
    {"pmevent.mask", "ptx::performance_event", false},
    {"brkpt", "ptx::breakpoint", false},
};

// Read by `mov.TYPE %0, %%NAME;`. The functions in simt/special.h have '_' for the dots.
inline constexpr const char* special_registers[] = {"laneid",
                                                    "warpid",
                                                    "nwarpid",
                                                    "smid",
                                                    "nsmid",
                                                    "gridid",
                                                    "lanemask_eq",
                                                    "lanemask_lt",
                                                    "lanemask_le",
                                                    "lanemask_gt",
                                                    "lanemask_ge",
                                                    "clock",
                                                    "clock_hi",
                                                    "clock64",
                                                    "globaltimer",
                                                    "globaltimer_lo",
                                                    "globaltimer_hi",
                                                    "tid.x",
                                                    "tid.y",
                                                    "tid.z",
                                                    "ntid.x",
                                                    "ntid.y",
                                                    "ntid.z",
                                                    "ctaid.x",
                                                    "ctaid.y",
                                                    "ctaid.z",
                                                    "nctaid.x",
                                                    "nctaid.y",
                                                    "nctaid.z",
                                                    "clusterid.x",
                                                    "clusterid.y",
                                                    "clusterid.z",
                                                    "nclusterid.x",
                                                    "nclusterid.y",
                                                    "nclusterid.z",
                                                    "cluster_ctaid.x",
                                                    "cluster_ctaid.y",
                                                    "cluster_ctaid.z",
                                                    "cluster_nctaid.x",
                                                    "cluster_nctaid.y",
                                                    "cluster_nctaid.z",
                                                    "cluster_ctarank",
                                                    "cluster_nctarank",
                                                    "is_explicit_cluster",
                                                    "dynamic_smem_size"};

struct TypeName {
  const char* ptx;
  const char* cpp;
};
inline constexpr TypeName types[] = {{"pred", "bool"},
                                     {"b8", "unsigned char"},
                                     {"u8", "unsigned char"},
                                     {"s8", "signed char"},
                                     {"b16", "unsigned short"},
                                     {"u16", "unsigned short"},
                                     {"s16", "short"},
                                     {"f16", "unsigned short"},
                                     {"b32", "unsigned"},
                                     {"u32", "unsigned"},
                                     {"s32", "int"},
                                     {"f16x2", "unsigned"},
                                     {"b64", "unsigned long long"},
                                     {"u64", "unsigned long long"},
                                     {"s64", "long long"},
                                     {"b128", "unsigned __int128"},
                                     {"f32", "float"},
                                     {"f64", "double"}};

}  // namespace simt::cc
