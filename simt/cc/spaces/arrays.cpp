// Arrays in a function's body: their lengths, and dynamic shared memory.

#include <set>

#include "spaces/body.h"
#include "spaces/parameters.h"

namespace simt::cc::spaces {

// A length that only the run knows.
void Body::judge_length(const LocalDeclaration& d, Index name) {
  const auto complain = [&](std::string_view length) {
    say(false, name,
        "array " + in_quotes(t.text(name)) + " has the length " + in_quotes(length) +
            ", which is not constant: device code needs a constant, " +
            (d.is_shared ? "or extern __shared__ with the size in the launch"
                         : "or memory from the host"));
  };
  for (Index open = name + 1; t.is(open, '[') && t.match(open) != none; open = t.after(open)) {
    for (Index i = open + 1; i < t.match(open); ++i) {
      if (t.is(i, "sizeof") || t.is(i, Word::decltype_)) {  // what stands there is not evaluated
        if (t.is(i + 1, '(')) i = t.match(i + 1);
        continue;
      }
      const bool alone = t.is_name(i) && !t.is(i - 1, '.') && !t.is(i - 1, Word::arrow_) &&
                         !t.is(i - 1, Word::scope_) && !t.is(i + 1, Word::scope_);
      if (!alone) continue;
      const Local* length = local(t.text(i));
      if (length == nullptr && t.is(i, "warpSize")) return complain("warpSize");
      if (length != nullptr && length->varies && length->is_basic && !length->is_pointer &&
          !t.is(i + 1, '(')) {
        return complain(length->name);
      }
    }
  }
}

namespace {

// One spelling for a basic type or a vector of CUDA's; empty for all others.
std::string element_type(const OwnTokens& t, Index begin, Index end) {
  static const std::set<std::string_view> vectors = {
      "char2",  "char4",   "uchar2",  "uchar4",    "short2", "short4", "ushort2", "ushort4",
      "int2",   "int3",    "int4",    "uint2",     "uint3",  "uint4",  "float2",  "float3",
      "float4", "double2", "double4", "longlong2", "half",   "half2",  "__half",  "__half2"};
  std::multiset<std::string_view> words;
  for (Index i = begin; i < end; ++i) {
    if (is_specifier(t, i)) continue;
    if (!t.is_name(i)) return {};
    if (end == begin + 1 && vectors.count(t.text(i)) != 0) return std::string(t.text(i));
    if (!is_type_keyword(t.text(i)) || t.is(i, "auto")) return {};
    words.insert(t.text(i));
  }
  const bool of_char = words.count("char") != 0;
  if (words.size() > 1) words.erase("int");
  if (!of_char && words.size() > 1) words.erase("signed");
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  return text == "signed" ? "int" : text == "unsigned" ? "unsigned int" : text;
}

}  // namespace

// All such declarations of one name in a namespace are one variable to nvcc.
void Body::judge_dynamic_shared(const LocalDeclaration& d, Index name) {
  const bool is_first = name == d.names.front();
  if ((is_first ? d.is_pointer : t.is(name - 1, '*')) || !t.is(name + 1, '[')) return;
  const std::string type = element_type(t, d.type_begin, d.type_end);
  if (type.empty()) return;
  const Scope* space = function_->scope;
  while (space != nullptr && space->owner != nullptr) space = space->parent;
  const auto [known, is_new] =
      report_.dynamic_shared.insert({{space, t.text(name)}, {type, std::string(function_->name)}});
  if (is_new || known->second.type == type) return;
  say(false, name,
      "shared variable " + in_quotes(t.text(name)) + " is an array of " + type + " here and of " +
          known->second.type + " in " + in_quotes(known->second.function) +
          ": to nvcc both are one variable. Give them two names");
}

}  // namespace simt::cc::spaces
