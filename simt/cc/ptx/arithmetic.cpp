// The C++ for PTX's arithmetic, logic, comparisons and choices.

#include "ptx/forms.h"
#include "ptx/writer.h"

namespace simt::cc {
namespace {

// Whether a list of words, separated by blanks, has this one.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::string flag_of(const std::string& word) {
  return ns + "flag_" + word;
}

class ArithmeticEmitter {
 public:
  explicit ArithmeticEmitter(PtxWriter& writer) : w_(writer), ops_(writer.s_.operands) {}

  std::string run() {
    const std::string& name = w_.words_[0];
    if (name == "setp" || name == "set") return compare();
    if (name == "slct") return choose_by_sign();
    if (name == "dp4a" || name == "dp2a") return dot_product();
    if (carries()) return with_carry();
    if (name == "lop3" && w_.words_.size() == 3) return logic_with_predicate();
    if (name == "prmt" && w_.words_.size() == 3) return permute();
    if (has_pair()) return "";
    if (is_small(w_.words_.back())) {
      if (const std::string text = small_float(); !text.empty()) return text;
    }
    return typed();
  }

 private:
  std::string put(const std::string& what) {
    return ns + "put(" + w_.destination(0) + ", " + what + ")";
  }
  std::string operand(std::size_t i, const std::string& type) {
    return ns + "as<" + type + ">(" + w_.source(ops_[i]) + ")";
  }
  bool has_pair() const {
    return std::any_of(ops_.begin(), ops_.end(),
                       [](const PtxOperand& each) { return !each.second.empty(); });
  }

  // The words between the first and the type: those that are options become flags, the others
  // belong to the name.
  std::string split_name(std::string_view options, std::string& flags) const {
    std::string name = w_.words_[0];
    flags.clear();
    for (std::size_t i = 1; i + 1 < w_.words_.size(); ++i) {
      if (lists(options, w_.words_[i])) {
        flags += (flags.empty() ? "" : " | ") + flag_of(w_.words_[i]);
      } else {
        name += "." + w_.words_[i];
      }
    }
    if (flags.empty()) flags = "0";
    return name;
  }

  std::string typed() {
    std::string flags;
    const std::string& type_word = w_.words_.back();
    for (const Form& form : forms) {
      if (!lists(form.types, type_word)) continue;
      const std::string_view kinds = form.operands;
      if (split_name(form.options, flags) != form.name || ops_.size() != kinds.size() + 1) continue;
      if (std::string_view(form.name).find("xorsign") != std::string_view::npos) {
        flags += " | " + flag_of("xorsign");
      }
      // u16x2 is two of u16.
      const bool halves = type_word.size() == 5 && type_word.substr(3) == "x2";
      const std::string type = type_of(halves ? type_word.substr(0, 3) : type_word);
      std::string call = ns + form.function + "<" + type + ", " + flags + ">(";
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        call += (i > 0 ? ", " : "") + operand(i + 1, operand_type(kinds[i], type));
      }
      return put(call + ")");
    }
    return "";
  }
  static std::string operand_type(char kind, const std::string& type) {
    switch (kind) {
      case 'H':
        return ns + "Halves<" + type + ">";
      case 'W':
        return ns + "Wide<" + type + ">";
      case 'u':
        return "unsigned";
      case 'i':
        return "int";
      case 'f':
        return "float";
      case 'p':
        return "bool";
      default:
        return type;
    }
  }

  std::string small_float() {
    const std::string& type = w_.words_.back();
    std::string flags;
    for (const SmallForm& form : small_forms) {
      if (!lists(form.types, type) || ops_.size() != form.operands + 1) continue;
      if (split_name(form.options, flags) != form.name) continue;
      std::string small = ns + "no_flags";
      for (const std::string& word : w_.words_) {
        if (word == "sat" || word == "relu") small += " | " + ns + "small_" + word;
        // bfloat16's approximate functions are spelled with ftz; it has no other meaning there.
        if (word == "ftz" && type[0] != 'b') small += " | " + ns + "small_ftz";
      }
      return put(ns + (type.back() == '2' ? "small_pair<" : "small_op<") + ns + form.function +
                 ", " + format_of(type) + ", " + small + ">(" + w_.sources(1) + ")");
    }
    return "";
  }

  // add.cc makes a carry, addc takes it, addc.cc does both; so do the others.
  bool carries() const {
    const std::string& name = w_.words_[0];
    return name == "addc" || name == "subc" || name == "madc" || w_.has_word("cc");
  }
  std::string with_carry() {
    std::string name = w_.words_[0];
    const bool takes = name.size() == 4;
    if (takes) name.pop_back();
    std::string rest;  // .lo or .hi
    for (std::size_t i = 1; i + 1 < w_.words_.size(); ++i) {
      if (w_.words_[i] != "cc") rest += w_.words_[i];
    }
    const std::string& kind = w_.words_.back();
    const std::string type = type_of(kind);
    if (!lists("u32 s32 u64 s64", kind)) return "";
    const std::string in = takes ? ns + "carry" : "false";
    std::string first, second;
    if ((name == "add" || name == "sub") && rest.empty() && ops_.size() == 3) {
      first = operand(1, type);
      second = operand(2, type);
    } else if (name == "mad" && (rest == "lo" || rest == "hi") && ops_.size() == 4) {
      first = ns + (rest == "lo" ? "mul<" : "mul_hi<") + type + ", 0>(" + operand(1, type) + ", " +
              operand(2, type) + ")";
      second = operand(3, type);
      name = "add";
    } else {
      return "";
    }
    const std::string writes = w_.has_word("cc") ? "true" : "false";
    return put(ns + name + "_carry<" + type + ", " + writes + ">(" + first + ", " + second + ", " +
               in + ")");
  }

  std::string logic_with_predicate() {
    const std::string& op = w_.words_[1];
    if ((op != "or" && op != "and") || w_.words_[2] != "b32" || ops_.size() != 6) return "";
    std::string text = "({ const unsigned simt_ptx_bits = " + ns + "lop3<unsigned, 0>(";
    for (std::size_t i = 1; i < 5; ++i) text += (i > 1 ? ", " : "") + operand(i, "unsigned");
    text += "); const bool simt_ptx_flag = " + operand(5, "bool") + "; ";
    text += ns + "put(" + w_.destination(ops_[0].parts[0]) + ", simt_ptx_bits); ";
    if (ops_[0].second.empty()) return "";
    return text + w_.destination(ops_[0].second) + " = simt_ptx_bits != 0 " +
           (op == "or" ? "||" : "&&") + " simt_ptx_flag; })";
  }

  std::string permute() {
    if (w_.words_[1] != "b32" || !contains(permute_modes, w_.words_[2]) || ops_.size() != 4) {
      return "";
    }
    return put(ns + "prmt_" + w_.words_[2] + "<unsigned, 0>(" + operand(1, "unsigned") + ", " +
               operand(2, "unsigned") + ", " + operand(3, "unsigned") + ")");
  }

  // dp4a.s32.u32 d, a, b, c; dp2a.lo.u32.u32
  std::string dot_product() {
    const bool four = w_.words_[0] == "dp4a";
    const std::size_t at = four ? 1 : 2;
    if (w_.words_.size() != at + 2 || ops_.size() != 4) return "";
    const std::string& half = w_.words_[1];
    if (!four && half != "lo" && half != "hi") return "";
    if (!lists("u32 s32", w_.words_[at]) || !lists("u32 s32", w_.words_[at + 1])) return "";
    return put(ns + "dot<" + type_of(w_.words_[at]) + ", " + type_of(w_.words_[at + 1]) +
               (four           ? ", 4, 0"
                : half == "lo" ? ", 2, 0"
                               : ", 2, 2") +
               ">(" + operand(1, "unsigned") + ", " + operand(2, "unsigned") + ", " +
               operand(3, "unsigned") + ")");
  }

  // slct.f32.s32 d, a, b, c; slct.ftz.u64.f32
  std::string choose_by_sign() {
    const bool flush = w_.words_.size() == 4 && w_.words_[1] == "ftz";
    if (w_.words_.size() != (flush ? 4u : 3u) || ops_.size() != 4) return "";
    const std::string& kind = w_.words_[flush ? 2 : 1];
    const std::string& by = w_.words_.back();
    if (!lists("b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", kind)) return "";
    if (by != "f32" && (by != "s32" || flush)) return "";
    const std::string type = type_of(kind);
    return put(ns + (by == "f32" ? "slct_float<" : "slct<") + type + ", " +
               (flush ? flag_of("ftz") : "0") + ">(" + operand(1, type) + ", " + operand(2, type) +
               ", " + operand(3, type_of(by)) + ")");
  }

  // setp.CMP(.BOOL)(.ftz).TYPE p|q, a, b(, c); set.CMP(.BOOL)(.ftz).TO.TYPE d, a, b(, c)
  std::string compare() {
    const bool sets_number = w_.words_[0] == "set";
    const std::size_t types = sets_number ? 2 : 1;
    if (w_.words_.size() < 2 + types) return "";
    const std::string kind = w_.words_.back();
    std::string how = w_.words_[1], combine;
    bool flush = false;
    for (std::size_t i = 2; i + types < w_.words_.size(); ++i) {
      const std::string& word = w_.words_[i];
      if (i == 2 && (word == "and" || word == "or" || word == "xor")) {
        combine = word;
      } else if (word == "ftz" && !flush && lists("f32 f16 f16x2 bf16 bf16x2", kind)) {
        flush = true;
      } else {
        return "";
      }
    }
    if (ops_.size() != (combine.empty() ? 3u : 4u) || !is_comparison(how, kind)) return "";
    const bool pair = kind.size() > 4 && kind.substr(kind.size() - 2) == "x2";
    const std::string type = number_type(pair ? kind.substr(0, kind.size() - 2) : kind);
    if (type.empty()) return "";
    const auto test = [&](int half) {
      std::string call =
          ns + "compare<" + ns + "Compare::" + how + ", " + (flush ? flag_of("ftz") : "0") + ">(";
      for (std::size_t i = 1; i <= 2; ++i) {
        call += i > 1 ? ", " : "";
        call += pair ? ns + "half_of<" + type + ", " + std::to_string(half) + ">(" +
                           operand(i, "unsigned") + ")"
                     : operand(i, type);
      }
      return call + ")";
    };
    const auto combined = [&](const std::string& truth) {
      if (combine.empty()) return truth;
      const char* const by = combine == "and" ? " & " : combine == "or" ? " | " : " ^ ";
      return "((" + truth + ")" + by + "simt_ptx_with)";
    };
    std::string text = "({ const bool simt_ptx_first = " + test(0) + ";";
    if (pair) text += " const bool simt_ptx_second = " + test(1) + ";";
    if (!combine.empty()) text += " const bool simt_ptx_with = " + operand(3, "bool") + ";";
    const std::string first = combined("simt_ptx_first");
    const std::string second = combined(pair ? "simt_ptx_second" : "!simt_ptx_first");
    if (sets_number) {
      const std::string number = set_number(kind, pair, first, second);
      return number.empty() || has_pair() ? "" : text + " " + put(number) + "; })";
    }
    if (pair && ops_[0].second.empty()) return "";
    text += " " + w_.destination(ops_[0].parts[0]) + " = " + first + ";";
    if (!ops_[0].second.empty()) {
      text += " " + w_.destination(ops_[0].second) + " = " + second + ";";
    }
    return text + " })";
  }
  // What set puts for true: one, or ones in all bits.
  std::string set_number(const std::string& kind, bool pair, const std::string& first,
                         const std::string& second) const {
    const std::string& to = w_.words_[w_.words_.size() - 2];
    const bool small = is_small(kind);
    const bool brain = kind[0] == 'b' && small;
    const std::string one = brain ? "0x3F80u" : "0x3C00u";
    if (pair) {
      const std::string bits = to == kind ? one : "0xFFFFu";
      if (to != kind && to != "u32" && to != "s32") return "";
      return "((" + first + " ? " + bits + " : 0u) | (" + second + " ? " + bits + " : 0u) << 16)";
    }
    if (to == "u32" || to == "s32") return "(" + first + " ? 0xFFFFFFFFu : 0u)";
    if (small && (to == "u16" || to == "s16")) {
      return "static_cast<unsigned short>(" + first + " ? 0xFFFFu : 0u)";
    }
    if (small && to == kind) return "static_cast<unsigned short>(" + first + " ? " + one + " : 0u)";
    return to == "f32" ? "(" + first + " ? 1.0f : 0.0f)" : "";
  }
  static bool is_comparison(std::string& how, const std::string& kind) {
    const bool number = kind[0] == 'f' || is_small(kind);
    if (lists("eq ne", how)) return true;
    if (number) return lists("lt le gt ge equ neu ltu leu gtu geu num nan", how);
    if (kind[0] == 'b') return false;
    if (kind[0] == 'u') {
      static constexpr TypeName names[] = {{"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
      for (const TypeName& name : names) {
        if (how == name.ptx) how = name.cpp;
      }
    }
    return lists("lt le gt ge", how);
  }

  PtxWriter& w_;
  const std::vector<PtxOperand>& ops_;
};

}  // namespace

std::string emit_arithmetic(PtxWriter& writer) {
  return ArithmeticEmitter(writer).run();
}

}  // namespace simt::cc
