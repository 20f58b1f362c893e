#pragma once

// Arithmetic, logic and choices in PTX: which opcodes there are, with which types, and the function
// that each becomes. The functions are in simt/ptx_integer.h and simt/ptx_float.h.

namespace simt::cc {

// An opcode is the name, then any of the options, then one of the types. Operands: T is the type, H
// two of it in a register, W one twice as wide, u unsigned, i int, f float, p a predicate. The
// result has whatever type the function gives.
struct Form {
  const char *name, *options, *types, *function, *operands;
};

#define SIMT_INTEGERS "u16 u32 u64 s16 s32 s64"
#define SIMT_ROUNDINGS "rn rz rm rp"

inline constexpr Form forms[] = {
    // integers
    {"add", "", SIMT_INTEGERS, "add", "TT"},
    {"add", "sat", "s32", "add", "TT"},
    {"add", "", "u16x2 s16x2", "add_halves", "HH"},
    {"sub", "", SIMT_INTEGERS, "sub", "TT"},
    {"sub", "sat", "s32", "sub", "TT"},
    {"mul.lo", "", SIMT_INTEGERS, "mul", "TT"},
    {"mul.hi", "", SIMT_INTEGERS, "mul_hi", "TT"},
    {"mul.wide", "", "u16 u32 s16 s32", "mul_wide", "TT"},
    {"mad.lo", "", SIMT_INTEGERS, "mad", "TTT"},
    {"mad.hi", "", SIMT_INTEGERS, "mad_hi", "TTT"},
    {"mad.hi", "sat", "s32", "mad_hi", "TTT"},
    {"mad.wide", "", "u16 u32 s16 s32", "mad_wide", "TTW"},
    {"mul24.lo", "", "u32 s32", "mul24", "TT"},
    {"mul24.hi", "", "u32 s32", "mul24_hi", "TT"},
    {"mad24.lo", "", "u32 s32", "mad24", "TTT"},
    {"mad24.hi", "", "u32 s32", "mad24_hi", "TTT"},
    {"mad24.hi", "sat", "s32", "mad24_hi", "TTT"},
    {"sad", "", SIMT_INTEGERS, "sad", "TTT"},
    {"div", "", SIMT_INTEGERS, "div", "TT"},
    {"rem", "", SIMT_INTEGERS, "rem", "TT"},
    {"abs", "", "s16 s32 s64", "abs_of", "T"},
    {"neg", "", "s16 s32 s64", "neg", "T"},
    {"min", "", SIMT_INTEGERS, "min", "TT"},
    {"min", "relu", "s32", "min", "TT"},
    {"min", "", "u16x2", "min_halves", "HH"},
    {"min", "relu", "s16x2", "min_halves", "HH"},
    {"max", "", SIMT_INTEGERS, "max", "TT"},
    {"max", "relu", "s32", "max", "TT"},
    {"max", "", "u16x2", "max_halves", "HH"},
    {"max", "relu", "s16x2", "max_halves", "HH"},
    {"popc", "", "b32 b64", "popc", "T"},
    {"clz", "", "b32 b64", "clz", "T"},
    {"brev", "", "b32 b64", "brev", "T"},
    {"bfind", "", "u32 u64 s32 s64", "bfind", "T"},
    {"bfind.shiftamt", "", "u32 u64 s32 s64", "bfind_shift", "T"},
    {"fns", "", "b32", "fns", "Tui"},
    {"bfe", "", "u32 u64 s32 s64", "bfe", "Tuu"},
    {"bfi", "", "b32 b64", "bfi", "TTuu"},
    {"szext.clamp", "", "u32 s32", "szext_clamp", "Tu"},
    {"szext.wrap", "", "u32 s32", "szext_wrap", "Tu"},
    {"bmsk.clamp", "", "b32", "bmsk_clamp", "TT"},
    {"bmsk.wrap", "", "b32", "bmsk_wrap", "TT"},
    // bits
    {"and", "", "pred b16 b32 b64", "bit_and", "TT"},
    {"or", "", "pred b16 b32 b64", "bit_or", "TT"},
    {"xor", "", "pred b16 b32 b64", "bit_xor", "TT"},
    {"not", "", "pred b16 b32 b64", "bit_not", "T"},
    {"cnot", "", "b16 b32 b64", "cnot", "T"},
    {"lop3", "", "b32", "lop3", "TTTu"},
    {"shl", "", "b16 b32 b64", "shl", "Tu"},
    {"shr", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "shr", "Tu"},
    {"shf.l.wrap", "", "b32", "shf_l_wrap", "TTu"},
    {"shf.l.clamp", "", "b32", "shf_l_clamp", "TTu"},
    {"shf.r.wrap", "", "b32", "shf_r_wrap", "TTu"},
    {"shf.r.clamp", "", "b32", "shf_r_clamp", "TTu"},
    // choices
    {"selp", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "selp", "TTp"},
    // floats
    {"add", SIMT_ROUNDINGS " ftz sat", "f32", "fadd", "TT"},
    {"add", SIMT_ROUNDINGS, "f64", "fadd", "TT"},
    {"sub", SIMT_ROUNDINGS " ftz sat", "f32", "fsub", "TT"},
    {"sub", SIMT_ROUNDINGS, "f64", "fsub", "TT"},
    {"mul", SIMT_ROUNDINGS " ftz sat", "f32", "fmul", "TT"},
    {"mul", SIMT_ROUNDINGS, "f64", "fmul", "TT"},
    {"fma", SIMT_ROUNDINGS " ftz sat", "f32", "ffma", "TTT"},
    {"fma", SIMT_ROUNDINGS, "f64", "ffma", "TTT"},
    {"mad", SIMT_ROUNDINGS " ftz sat", "f32", "ffma", "TTT"},
    {"mad", SIMT_ROUNDINGS, "f64", "ffma", "TTT"},
    {"div", SIMT_ROUNDINGS " ftz", "f32", "fdiv", "TT"},
    {"div", SIMT_ROUNDINGS, "f64", "fdiv", "TT"},
    {"div.full", "ftz", "f32", "fdiv", "TT"},
    {"div.approx", "ftz", "f32", "fdiv_approx", "TT"},
    {"rcp", SIMT_ROUNDINGS " ftz", "f32", "frcp", "T"},
    {"rcp", SIMT_ROUNDINGS, "f64", "frcp", "T"},
    {"rcp.approx", "ftz", "f32", "frcp", "T"},
    {"rcp.approx.ftz", "", "f64", "frcp_coarse", "T"},
    {"sqrt", SIMT_ROUNDINGS " ftz", "f32", "fsqrt", "T"},
    {"sqrt", SIMT_ROUNDINGS, "f64", "fsqrt", "T"},
    {"sqrt.approx", "ftz", "f32", "fsqrt", "T"},
    {"rsqrt.approx", "ftz", "f32", "frsqrt", "T"},
    {"rsqrt.approx", "", "f64", "frsqrt", "T"},
    {"rsqrt.approx.ftz", "", "f64", "frsqrt_coarse", "T"},
    {"sin.approx", "ftz", "f32", "fsin", "T"},
    {"cos.approx", "ftz", "f32", "fcos", "T"},
    {"lg2.approx", "ftz", "f32", "flg2", "T"},
    {"ex2.approx", "ftz", "f32", "fex2", "T"},
    {"tanh.approx", "", "f32", "ftanh", "T"},
    {"abs", "ftz", "f32", "fabs_of", "T"},
    {"abs", "", "f64", "fabs_of", "T"},
    {"neg", "ftz", "f32", "fneg", "T"},
    {"neg", "", "f64", "fneg", "T"},
    {"min", "ftz NaN", "f32", "fmin_of", "TT"},
    {"min.xorsign.abs", "ftz NaN", "f32", "fmin_of", "TT"},
    {"min", "", "f64", "fmin_of", "TT"},
    {"max", "ftz NaN", "f32", "fmax_of", "TT"},
    {"max.xorsign.abs", "ftz NaN", "f32", "fmax_of", "TT"},
    {"max", "", "f64", "fmax_of", "TT"},
    {"copysign", "", "f32 f64", "fcopysign", "TT"},
    {"testp.finite", "", "f32 f64", "is_finite", "T"},
    {"testp.infinite", "", "f32 f64", "is_infinite", "T"},
    {"testp.number", "", "f32 f64", "is_a_number", "T"},
    {"testp.notanumber", "", "f32 f64", "is_not_a_number", "T"},
    {"testp.normal", "", "f32 f64", "is_normal", "T"},
    {"testp.subnormal", "", "f32 f64", "is_subnormal", "T"},
    // bytes of two registers
    {"prmt", "", "b32", "prmt", "TTT"},
};
inline constexpr const char* permute_modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};

// On half and bfloat16, alone and in pairs: fma.rn.relu.bf16x2. The functions are in
// simt/ptx_small.h.
struct SmallForm {
  const char *name, *options, *types, *function;
  unsigned operands;
};
#define SIMT_HALVES "f16 f16x2"
#define SIMT_BRAINS "bf16 bf16x2"
inline constexpr SmallForm small_forms[] = {
    {"add", "rn ftz sat", SIMT_HALVES, "SmallAdd", 2},
    {"add", "rn", SIMT_BRAINS, "SmallAdd", 2},
    {"sub", "rn ftz sat", SIMT_HALVES, "SmallSub", 2},
    {"sub", "rn", SIMT_BRAINS, "SmallSub", 2},
    {"mul", "rn ftz sat", SIMT_HALVES, "SmallMul", 2},
    {"mul", "rn", SIMT_BRAINS, "SmallMul", 2},
    {"fma", "rn ftz sat relu", SIMT_HALVES, "SmallFma", 3},
    {"fma", "rn relu", SIMT_BRAINS, "SmallFma", 3},
    {"neg", "ftz", SIMT_HALVES, "SmallNeg", 1},
    {"neg", "", SIMT_BRAINS, "SmallNeg", 1},
    {"abs", "ftz", SIMT_HALVES, "SmallAbs", 1},
    {"abs", "", SIMT_BRAINS, "SmallAbs", 1},
    {"min", "ftz", SIMT_HALVES, "SmallMin", 2},
    {"min", "", SIMT_BRAINS, "SmallMin", 2},
    {"min.NaN", "ftz", SIMT_HALVES, "SmallMinNan", 2},
    {"min.NaN", "", SIMT_BRAINS, "SmallMinNan", 2},
    {"min.xorsign.abs", "ftz", SIMT_HALVES, "SmallMinXor", 2},
    {"min.xorsign.abs", "", SIMT_BRAINS, "SmallMinXor", 2},
    {"min.NaN.xorsign.abs", "ftz", SIMT_HALVES, "SmallMinNanXor", 2},
    {"min.NaN.xorsign.abs", "", SIMT_BRAINS, "SmallMinNanXor", 2},
    {"max", "ftz", SIMT_HALVES, "SmallMax", 2},
    {"max", "", SIMT_BRAINS, "SmallMax", 2},
    {"max.NaN", "ftz", SIMT_HALVES, "SmallMaxNan", 2},
    {"max.NaN", "", SIMT_BRAINS, "SmallMaxNan", 2},
    {"max.xorsign.abs", "ftz", SIMT_HALVES, "SmallMaxXor", 2},
    {"max.xorsign.abs", "", SIMT_BRAINS, "SmallMaxXor", 2},
    {"max.NaN.xorsign.abs", "ftz", SIMT_HALVES, "SmallMaxNanXor", 2},
    {"max.NaN.xorsign.abs", "", SIMT_BRAINS, "SmallMaxNanXor", 2},
    {"tanh.approx", "", SIMT_HALVES " " SIMT_BRAINS, "SmallTanh", 1},
    {"ex2.approx", "ftz", SIMT_HALVES " " SIMT_BRAINS, "SmallExp2", 1},
};

}  // namespace simt::cc
