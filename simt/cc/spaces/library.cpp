// Names of the C library, of std and of CUDA in a function's body.

#include "spaces/body.h"
#include "spaces/known_names.h"

namespace simt::cc::spaces {

// A name that the user's files do not declare.
void Body::library_call(Index i) {
  const std::string_view name = t.text(i);
  const bool calls = t.is(i + 1, '(');
  if (name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim" ||
      name == "warpSize") {
    return built_in_written(i);
  }
  if (runs_on_device() && calls && is_maskless_function(name)) {
    return say(true, i,
               in_quotes(name) + " is no function of nvcc's for sm_70 and newer: use " +
                   in_quotes(std::string(name) + "_sync") +
                   ", whose first argument is the mask of the lanes, 0xffffffff for all");
  }
  if (on_host() && calls && is_device_function(name)) {
    return say(false, i,
               "device function " + in_quotes(name) + " is called from " + caller() +
                   ": only kernels and __device__ functions can call it");
  }
  if (!runs_on_device() || (space_ == space_both && (function_->is_template || o_.asks_for_arch)))
    return;
  const bool warning = space_ == space_both;
  if (calls && (is_host_c_function(name) || is_host_cuda_function(name))) {
    const bool random = name == "rand" || name == "srand" || name == "random" || name == "drand48";
    return say(warning, i,
               "host function " + in_quotes(name) + " is called from " + caller() +
                   ": device code does not have it" +
                   (random ? ". cuRAND has random numbers for kernels (curand_kernel.h)" : ""));
  }
  if (!m_.uses_std) return;
  const StdKind kind = std_kind(name);
  const bool follows = t.is(i + 1, '<') && !t.is(i + 2, '<');
  if (kind == StdKind::object && (name != "endl" || t.is(i - 1, '<'))) {
    if (name == "endl") return;
    return say(warning, i,
               "std::" + std::string(name) + " is used in " + caller() +
                   ": device code does not have it. printf works in kernels");
  }
  if (kind == StdKind::type && (follows || t.is_name(i + 1))) {
    return say(warning, i,
               "std::" + std::string(name) + " is used in " + caller() +
                   ": its functions are the host's. Use arrays and pointers");
  }
}

// `threadIdx.x = 0`
void Body::built_in_written(Index i) {
  const Index before = i - 1;
  Index behind = i + 1;
  if (t.is(behind, '.') && t.is_name(behind + 1)) behind += 2;
  static constexpr std::string_view assignments[] = {
      "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"};
  bool writes = t.is(behind, '=') || t.is(before, "++") || t.is(before, "--");
  for (const std::string_view assignment : assignments) {
    writes = writes || t.is(behind, assignment);
  }
  if (!writes) return;
  say(false, i,
      in_quotes(t.text(i)) + " is written in " + caller() +
          ": nobody may. Copy it to a variable and change that");
}

// `std::a<b>::c`. Returns the last token of it.
Index Body::std_name(Index i) {
  const Index at = i + 2;
  Index last = at;
  const Index angle = t.is(at + 1, '<') ? t.close_angle(at + 1) : none;
  if (angle != none) last = angle;
  if (!runs_on_device() || (space_ == space_both && (function_->is_template || o_.asks_for_arch))) {
    return last;
  }
  const std::string_view name = t.text(at);
  const std::string shown = "std::" + std::string(name);
  const bool warning = space_ == space_both;
  const bool calls = t.is(last + 1, '(');
  const bool relaxes = o_.relaxed_constexpr;
  const std::string used = shown + " is used in " + caller();
  if (name == "chrono") {
    for (Index i = at; t.is(i + 1, Word::scope_) && t.is_name(i + 2); i += 2) {
      if (!t.is(i + 2, "now") || !t.is(i + 3, '(')) continue;
      say(warning, i + 2,
          "host function 'now' of std::chrono is called from " + caller() +
              ": device code does not have it. clock64() counts cycles");
      return i + 2;
    }
  }
  if (name == "numeric_limits" && t.is(last + 1, Word::scope_) && t.is(last + 3, '(') && !relaxes) {
    say(warning, i,
        shown + "::" + std::string(t.text(last + 2)) +
            " is a constexpr host function, called from " + caller() + relaxed +
            "; without it use FLT_MAX, INT_MAX and the like");
    return last + 2;
  }
  switch (std_kind(name)) {
    case StdKind::object:
      if (name != "endl")
        say(warning, i, used + ": device code does not have it. printf works in kernels");
      break;
    case StdKind::type:
      // A pointer or a reference to one may be handed on.
      if (t.is(last + 1, Word::scope_) || t.is(last + 1, '*') || t.is(last + 1, '&') ||
          t.is(last + 1, '>'))
        break;
      say(warning, i, used + ": its functions are the host's. Use arrays and pointers");
      break;
    case StdKind::constexpr_type:
      if (relaxes || t.is(last + 1, Word::scope_) || t.is(last + 1, '*') || t.is(last + 1, '&') ||
          t.is(last + 1, '>')) {
        break;
      }
      say(warning, i,
          used + ": its functions are the host's. cuda::" + shown + " has them for both sides" +
              relaxed);
      break;
    case StdKind::function:
      if (calls)
        say(warning, i,
            "host function " + in_quotes(shown) + " is called from " + caller() +
                ": device code does not have it");
      break;
    case StdKind::constexpr_function_20:
    case StdKind::constexpr_function: {
      const bool can = std_kind(name) == StdKind::constexpr_function || o_.cpp20;
      if (!calls || (can && relaxes)) break;
      const bool plain = name == "min" || name == "max";
      say(warning, i,
          std::string(can ? "constexpr host function " : "host function ") + in_quotes(shown) +
              " is called from " + caller() + ": " +
              (plain ? "use " + std::string(name) + " without std::, which kernels have"
                     : "device code does not have it") +
              (can ? relaxed : ""));
      break;
    }
    default:
      break;
  }
  return last;
}

// An object of a class of std that came as a parameter, or std::array.
void Body::use_of_std_object(Index i, const Local& object) {
  if (!on_device()) return;
  const StdKind kind = std_kind(object.std_type);
  const bool of_host = kind == StdKind::type;
  const bool of_both = kind == StdKind::array || kind == StdKind::constexpr_type;
  if (!of_host && !(of_both && !o_.relaxed_constexpr)) return;
  // Through a pointer, or of the object itself.
  const bool selects = object.is_pointer ? t.is(i + 1, Word::arrow_) : t.is(i + 1, '.');
  const bool calls_member = selects && t.is_name(i + 2) && t.is(i + 3, '(');
  const bool calls = calls_member || (!object.is_pointer && (t.is(i + 1, '[') || t.is(i + 1, '(')));
  if (!calls) return;
  say(false, i,
      "a function of std::" + std::string(object.std_type) + " is called from " + caller() +
          ": device code does not have it. Pass a pointer" + (of_both ? relaxed : ""));
}

}  // namespace simt::cc::spaces
