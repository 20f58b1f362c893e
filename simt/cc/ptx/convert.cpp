// The C++ for PTX's conversions: cvt of numbers, cvta and isspacep of addresses. The functions are
// in simt/ptx_convert.h.

#include "ptx/writer.h"

namespace simt::cc {
namespace {

class ConvertEmitter {
 public:
  explicit ConvertEmitter(PtxWriter& writer) : w_(writer), ops_(writer.s_.operands) {}

  std::string run() {
    if (ops_.size() < 2) return "";
    if (w_.words_.size() > 1 && w_.words_[1] == "pack") return pack();
    if (!read_words()) return "";
    if (const std::string text = narrow(); !text.empty()) return text;
    return number();
  }

 private:
  // The types stand last, or, as the manual's examples have it, before the rounding.
  bool read_words() {
    std::vector<std::string> types;
    for (std::size_t i = 1; i < w_.words_.size(); ++i) {
      const std::string& word = w_.words_[i];
      if (word == "rn" || word == "rz" || word == "rm" || word == "rp" || word == "rna") {
        if (!rounding_.empty()) return false;
        rounding_ = word;
      } else if (word == "rni" || word == "rzi" || word == "rmi" || word == "rpi") {
        if (!rounding_.empty()) return false;
        rounding_ = word.substr(0, 2);
        integral_ = true;
      } else if (word == "ftz" || word == "sat" || word == "relu") {
        flags_ += " | " + ns + "flag_" + word;
        relu_ = relu_ || word == "relu";
      } else if (word == "satfinite") {
        finite_ = true;
      } else {
        types.push_back(word);
      }
    }
    if (types.size() != 2) return false;
    to_ = types[0];
    from_ = types[1];
    flags_ = ns + "flag_" + (rounding_.empty() || rounding_ == "rna" ? "rn" : rounding_) + flags_;
    return true;
  }
  std::string put(const std::string& what) {
    return ns + "put(" + w_.destination(0) + ", " + what + ")";
  }
  std::string operand(std::size_t i, const std::string& type) {
    return ns + "as<" + type + ">(" + w_.source(ops_[i]) + ")";
  }

  // From float or halves to formats below 32 bits, with two operands for a pair.
  std::string narrow() {
    const std::string finite = finite_ ? "true" : "false";
    const bool plain = rounding_ == "rn" || rounding_ == "rz";
    if (to_ == "tf32" && from_ == "f32" && ops_.size() == 2) {
      if (rounding_ == "rna")
        return put(ns + "tf32_away<" + finite + ">(" + operand(1, "float") + ")");
      return plain ? put(ns + "tf32<" + flags_ + ", " + finite + ">(" + operand(1, "float") + ")")
                   : "";
    }
    const bool bytes = to_ == "e4m3x2" || to_ == "e5m2x2";
    const std::string byte_format = format_of_bytes(bytes ? to_ : from_);
    if (bytes && rounding_ == "rn" && finite_) {
      const std::string form = "<" + byte_format + ", " + flags_ + ", true>(";
      if (from_ == "f32" && ops_.size() == 3) {
        return put(ns + "narrow_pair" + form + operand(1, "float") + ", " + operand(2, "float") +
                   ")");
      }
      if (from_ == "f16x2" && ops_.size() == 2) {
        return put(ns + "narrow_halves" + form + operand(1, "unsigned") + ")");
      }
    }
    if (to_ == "f16x2" && (from_ == "e4m3x2" || from_ == "e5m2x2") && rounding_ == "rn" &&
        ops_.size() == 2) {
      return put(ns + "widen_bytes<" + byte_format + ", " + flags_ + ">(" +
                 operand(1, "unsigned short") + ")");
    }
    if ((to_ == "f16x2" || to_ == "bf16x2") && from_ == "f32" && plain && ops_.size() == 3) {
      return put(ns + "narrow_pair<" + format_of(to_) + ", " + flags_ + ", " + finite + ">(" +
                 operand(1, "float") + ", " + operand(2, "float") + ")");
    }
    if ((to_ == "f16" || to_ == "bf16") && from_ == "f32" && plain && (relu_ || finite_)) {
      return put("static_cast<unsigned short>(" + ns + "narrow<" + format_of(to_) + ", " + flags_ +
                 ", " + finite + ">(" + operand(1, "float") + "))");
    }
    return "";
  }
  static std::string format_of_bytes(const std::string& type) {
    return type[1] == '4' ? "::simt::E4M3Format" : "::simt::E5M2Format";
  }

  std::string number() {
    const std::string to = number_type(to_), from = number_type(from_);
    if (to.empty() || from.empty() || to == "bool" || from == "bool" || ops_.size() != 2) return "";
    if (to_[0] == 'b' && to_ != "bf16") return "";
    if (from_[0] == 'b' && from_ != "bf16") return "";
    if (relu_ || finite_ || rounding_ == "rna") return "";
    const bool to_float = to_[0] == 'f' || to_ == "bf16";
    const bool from_float = from_[0] == 'f' || from_ == "bf16";
    const std::string whole = integral_ && to_float ? "true" : "false";
    if (integral_ && !from_float) return "";
    // Without a word a float becomes an integer towards zero only where it says so.
    if (!to_float && from_float && !integral_) return "";
    return put(ns + "convert<" + to + ", " + from + ", " + flags_ + ", " + whole + ">(" +
               operand(1, from) + ")");
  }

  // cvt.pack.sat.u16.s32 d, a, b; cvt.pack.sat.s8.s32.b32 d, a, b, c
  std::string pack() {
    const auto& words = w_.words_;
    if (words.size() < 5 || words[2] != "sat" || words[4] != "s32") return "";
    static constexpr struct {
      const char *type, *width, *cpp;
    } known[] = {{"u16", "16", "unsigned"}, {"s16", "16", "int"},    {"u8", "8", "unsigned"},
                 {"s8", "8", "int"},        {"u4", "4", "unsigned"}, {"s4", "4", "int"},
                 {"u2", "2", "unsigned"},   {"s2", "2", "int"}};
    const bool more = words.size() == 6 && words[5] == "b32";
    if (words.size() != (more ? 6u : 5u) || ops_.size() != (more ? 4u : 3u)) return "";
    for (const auto& each : known) {
      if (words[3] != each.type || (std::string_view(each.width) == "16") == more) continue;
      return put(ns + "pack_integers<" + each.cpp + ", " + each.width + ">(" + operand(1, "int") +
                 ", " + operand(2, "int") + ", " + (more ? operand(3, "unsigned") : "0u") + ")");
    }
    return "";
  }

  PtxWriter& w_;
  const std::vector<PtxOperand>& ops_;
  std::string to_, from_, rounding_, flags_;
  bool integral_ = false, relu_ = false, finite_ = false;
};

}  // namespace

std::string emit_convert(PtxWriter& writer) {
  return ConvertEmitter(writer).run();
}

// cvta.to.shared.u64, cvta.shared.u64 and the same for the other spaces.
std::string emit_convert_address(PtxWriter& w) {
  const auto& ops = w.s_.operands;
  const bool to = w.words_.size() > 1 && w.words_[1] == "to";
  const std::size_t at = to ? 2 : 1;
  const std::string& size = w.words_.back();
  if (ops.size() != 2 || w.words_.size() != at + 2 || (size != "u64" && size != "u32")) return "";
  const std::string& space = w.words_[at];
  std::string call = w.source(ops[1]);
  if (is_shared_space(space)) {
    call = ns + (to ? "to_shared(" : "from_shared(") + call + ")";
  } else if (!is_generic_space(space)) {
    return "";
  }
  return ns + "put(" + w.destination(0) + ", " + call + ")";
}

// isspacep.shared p, a
std::string emit_is_space(PtxWriter& w) {
  const auto& ops = w.s_.operands;
  if (ops.size() != 2 || w.words_.size() != 2) return "";
  static constexpr TypeName known[] = {{"global", "__isGlobal"},
                                       {"shared", "__isShared"},
                                       {"shared::cta", "__isShared"},
                                       {"local", "__isLocal"},
                                       {"const", "__isConstant"},
                                       {"param", "__isGridConstant"},
                                       {"param::entry", "__isGridConstant"},
                                       {"shared::cluster", "::simt::is_cluster_shared"}};
  for (const TypeName& each : known) {
    if (w.words_[1] != each.ptx) continue;
    return w.destination(0) + " = " + each.cpp + "(" + ns + "global_at(" + w.source(ops[1]) +
           ")) != 0";
  }
  return "";
}

}  // namespace simt::cc
