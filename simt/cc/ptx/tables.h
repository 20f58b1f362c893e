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
    {"ex2.approx.f32", "ptx::ex2_approx", true},
    {"ex2.approx.ftz.f32", "ptx::ex2_approx_ftz", true},
    {"lg2.approx.f32", "ptx::lg2_approx", true},
    {"lg2.approx.ftz.f32", "ptx::lg2_approx_ftz", true},
    {"rcp.approx.f32", "ptx::rcp_approx", true},
    {"rcp.approx.ftz.f32", "ptx::rcp_approx_ftz", true},
    {"rsqrt.approx.f32", "ptx::rsqrt_approx", true},
    {"rsqrt.approx.ftz.f32", "ptx::rsqrt_approx_ftz", true},
    {"sqrt.approx.f32", "ptx::sqrt_approx", true},
    {"sqrt.approx.ftz.f32", "ptx::sqrt_approx_ftz", true},
    {"tanh.approx.f32", "ptx::tanh_approx", true},
    {"fma.rn.f32", "ptx::fma_rn", true},
    {"fma.rn.ftz.f32", "ptx::fma_rn_ftz", true},
    {"max.f32", "ptx::max", true},
    {"min.f32", "ptx::min", true},
    {"max.NaN.f32", "ptx::max_nan", true},
    {"min.NaN.f32", "ptx::min_nan", true},
    {"trap", "ptx::trap", false},
    {"membar.gl", "ptx::membar", false},
    {"membar.cta", "ptx::membar", false},
    {"membar.sys", "ptx::membar", false},
    {"fence.acq_rel.gpu", "ptx::membar", false},
    {"fence.acq_rel.cta", "ptx::membar", false},
    {"fence.sc.gpu", "ptx::membar", false},
    {"fence.sc.cta", "ptx::membar", false},
    {"fence.acq_rel.sys", "ptx::membar", false},
    {"fence.sc.sys", "ptx::membar", false},
    {"fence.acq_rel.cluster", "ptx::membar", false},
    {"fence.sc.cluster", "ptx::membar", false},
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
                                                    "clock64",
                                                    "globaltimer",
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

// Instructions for several types: the last part of the opcode is the first template argument.
// Between stand words that change nothing here.
struct Typed {
  const char* name;
  const char* function;
};
inline constexpr Typed typed_instructions[] = {
    {"add", "add"},       {"sub", "sub"},           {"mul", "mul"},    {"mul.lo", "mul"},
    {"mul.hi", "mul_hi"}, {"mul.wide", "mul_wide"}, {"mad.lo", "mad"}, {"mad.wide", "mad_wide"},
    {"fma", "mad_fused"}, {"and", "bit_and"},       {"or", "bit_or"},  {"xor", "bit_xor"},
    {"not", "bit_not"},   {"shl", "shl"},           {"shr", "shr"},    {"min", "min_of"},
    {"max", "max_of"},    {"abs", "abs_of"},        {"neg", "neg_of"}, {"selp", "selp"},
    {"bfind", "bfind"},   {"popc", "popc"},         {"clz", "clz"},    {"brev", "brev"},
    {"bfe", "bfe"},       {"div", "div_of"},        {"rem", "rem_of"}, {"mad.hi", "mad_hi"},
    {"sqrt", "sqrt_of"},  {"sad", "sad"},           {"bfi", "bfi"},    {"prmt", "prmt"},
    {"lop3", "lop3"},
};
inline constexpr const char* idle_words[] = {"rn", "ftz", "wrap", "volatile", "full", "uni"};

// On half and bfloat16, alone and in pairs.
inline constexpr Typed small_instructions[] = {
    {"add", "SmallAdd"},        {"sub", "SmallSub"},         {"mul", "SmallMul"},
    {"fma", "SmallFma"},        {"neg", "SmallNeg"},         {"abs", "SmallAbs"},
    {"min", "SmallMin"},        {"max", "SmallMax"},         {"min.NaN", "SmallMinNan"},
    {"max.NaN", "SmallMaxNan"}, {"ex2.approx", "SmallExp2"}, {"tanh.approx", "SmallTanh"},
};

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
                                     {"f32", "float"},
                                     {"f64", "double"}};

}  // namespace simt::cc
