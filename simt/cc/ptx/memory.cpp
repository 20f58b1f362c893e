// The C++ for PTX's loads, stores and atomics. The functions are in simt/ptx_memory.h.

#include "ptx/writer.h"

namespace simt::cc {
namespace {

const std::string ns = "::simt::ptx::";

class MemoryEmitter {
 public:
  explicit MemoryEmitter(PtxWriter& writer) : w_(writer), ops_(writer.s_.operands) {}

  // ld.global.nc.v4.f32, st.shared.b32 and so on; words about caches change nothing.
  std::string move() {
    const std::string type = type_of(w_.words_.back());
    const bool load = w_.words_[0] == "ld";
    if (type.empty() || ops_.size() < 2 || !has_known_words()) return "";
    const PtxOperand& value = ops_[load ? 0 : 1];
    if (!ops_[load ? 1 : 0].is_address) return "";
    const std::string at = address(load ? 1 : 0);
    const std::string order = this->order();
    if (!order.empty() && value.parts.size() == 1) {
      if (load) return w_.spread(ns + "load_strong<" + type + ", " + order + ">(" + at + ")");
      return ns + "store_strong<" + order + ">(" + at + ", " + w_.words(1, type.c_str()) + ")";
    }
    const std::string count = std::to_string(value.parts.size());
    if (load) return w_.spread(ns + "load<" + type + ", " + count + ">(" + at + ")");
    return ns + "store(" + at + ", " + w_.words(1, type.c_str()) + ")";
  }

  // atom.add.release.gpu.global.u32 d, [a], b; red.global.add.v4.f32 [a], {…};
  std::string change() {
    const bool result = w_.words_[0] == "atom";
    const std::size_t at = result ? 1 : 0;
    const std::string kind = w_.words_.back(), op = operation();
    if (op.empty() || ops_.size() < at + 2 || !ops_[at].is_address) return "";
    const std::string place = address(at), type = type_of(kind);
    const bool small = kind == "f16" || kind == "bf16" || kind == "f16x2" || kind == "bf16x2";
    if (!small && type.empty()) return "";
    const std::string bits = kind.size() > 4 ? "unsigned" : "unsigned short";
    const std::string pair = std::string(ns) + "Pair::" + (kind[0] == 'b' ? "bf16" : "f16");
    const std::string fence =
        w_.has_word("release") || w_.has_word("acq_rel") ? "__threadfence(), " : "";
    if (ops_[at + 1].is_list) {
      if (result) return "";
      const std::string values = w_.words(at + 1, small ? bits.c_str() : type.c_str());
      return small ? ns + "red_all_small<" + bits + ", " + pair + ", " + op + ">(" + place + ", " +
                         values + ")"
                   : ns + "red_all<" + type + ", " + op + ">(" + place + ", " + values + ")";
    }
    std::string call;
    if (op == ns + "Atom::cas") {
      if (ops_.size() < at + 3) return "";
      call = ns + "atom_cas<" + type + ">(" + place + ", " + w_.source(ops_[at + 1]) + ", " +
             w_.source(ops_[at + 2]) + ")";
    } else if (small) {
      call = ns + "atom_small<" + bits + ", " + pair + ", " + op + ">(" + place + ", " +
             w_.source(ops_[at + 1]) + ")";
    } else {
      call = ns + "atom<" + type + ", " + op + ">(" + place + ", " + w_.source(ops_[at + 1]) + ")";
    }
    if (!result) return "(" + fence + "(void)" + call + ")";
    return "(" + fence + ns + "put(" + w_.destination(0) + ", " + call + "))";
  }

 private:
  bool is_shared() const {
    return std::any_of(w_.words_.begin(), w_.words_.end(),
                       [](const std::string& word) { return word.rfind("shared", 0) == 0; });
  }
  std::string address(std::size_t i) {
    return ns + (is_shared() ? "shared_at(" : "global_at(") + w_.source(ops_[i]) + ")";
  }
  bool has_known_words() const {
    if (w_.words_.size() <= 2 || is_shared()) return true;
    static constexpr std::string_view first[] = {"global",  "volatile", "relaxed",
                                                 "acquire", "release",  "weak"};
    return std::find(std::begin(first), std::end(first), w_.words_[1]) != std::end(first);
  }
  std::string order() const {
    if (w_.has_word("acquire")) return "std::memory_order_acquire";
    if (w_.has_word("release")) return "std::memory_order_release";
    if (w_.has_word("relaxed")) return "std::memory_order_relaxed";
    if (w_.has_word("volatile") && !is_shared()) return "std::memory_order_relaxed";
    return "";
  }
  std::string operation() const {
    static constexpr TypeName known[] = {
        {"add", "add"},     {"min", "min"}, {"max", "max"}, {"and", "bit_and"}, {"or", "bit_or"},
        {"xor", "bit_xor"}, {"inc", "inc"}, {"dec", "dec"}, {"exch", "exch"},   {"cas", "cas"}};
    for (const TypeName& each : known) {
      if (w_.has_word(each.ptx)) return ns + "Atom::" + each.cpp;
    }
    return "";
  }

  PtxWriter& w_;
  const std::vector<PtxOperand>& ops_;
};

}  // namespace

std::string emit_memory(PtxWriter& writer) {
  return MemoryEmitter(writer).move();
}

std::string emit_atomic(PtxWriter& writer) {
  return MemoryEmitter(writer).change();
}

// cvt of the small floats: cvt.rn.f16x2.f32 d, high, low; cvt.rna.tf32.f32; cvt.f32.bf16; e4m3x2
// and e5m2x2.
std::string emit_small_convert(PtxWriter& w) {
  std::vector<std::string> rest;
  bool relu = false;
  for (const std::string& word : w.words_) {
    if (word == "relu") relu = true;
    if (word != "rn" && word != "rna" && word != "ftz" && word != "satfinite" && word != "relu")
      rest.push_back(word);
  }
  if (rest.size() != 3 || w.s_.operands.size() < 2) return "";
  const std::string to = rest[1], from = rest[2];
  const auto source = [&](std::size_t i) {
    return ns + "as<float>(" + w.source(w.s_.operands[i]) + ")";
  };
  const auto put = [&](const std::string& what) {
    return ns + "put(" + w.destination(0) + ", " + what + ")";
  };
  const std::string pair = ns + "Pair::" + (to[0] == 'b' || from[0] == 'b' ? "bf16" : "f16");
  if (to == "tf32" && from == "f32") {
    return put(w.has_word("rna") ? ns + "round_tf32(" + source(1) + ")" : source(1));
  }
  if ((to == "f16x2" || to == "bf16x2") && from == "f32" && w.s_.operands.size() == 3) {
    return put(ns + "narrow_pair<" + pair + ">(" + source(1) + ", " + source(2) +
               (relu ? ", true)" : ", false)"));
  }
  if ((to == "e4m3x2" || to == "e5m2x2") && from == "f32" && w.s_.operands.size() == 3) {
    return put(ns + "narrow_bytes(" + source(1) + ", " + source(2) +
               (to[1] == '4' ? ", true)" : ", false)"));
  }
  if ((to == "f16" || to == "bf16") && from == "f32")
    return put(ns + "narrow_half<" + pair + ">(" + source(1) + ")");
  if (to == "f32" && (from == "f16" || from == "bf16")) {
    return put(ns + "widen_half<" + pair + ">(" + ns + "as<unsigned short>(" +
               w.source(w.s_.operands[1]) + "))");
  }
  return "";
}

}  // namespace simt::cc
