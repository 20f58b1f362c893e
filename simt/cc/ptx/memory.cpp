// The C++ for PTX's loads, stores and atomics. The functions are in simt/ptx_memory.h.

#include "ptx/writer.h"

namespace simt::cc {
namespace {

class MemoryEmitter {
 public:
  explicit MemoryEmitter(PtxWriter& writer) : w_(writer), ops_(writer.s_.operands) {}

  // ld.global.nc.v4.f32, st.shared.b32 and so on; words about caches change nothing.
  std::string move() {
    const std::string type = type_of(w_.words_.back());
    const bool load = w_.words_[0] != "st";
    if (type.empty() || type == "bool" || ops_.size() < 2 || !has_known_words()) return "";
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
    const bool small = is_small(kind);
    if ((!small && type.empty()) || !takes(kind)) return "";
    const std::string bits = kind.size() > 4 ? "unsigned" : "unsigned short";
    const std::string pair = std::string(ns) + "Pair::" + (kind[0] == 'b' ? "bf16" : "f16");
    const std::string fence =
        w_.has_word("release") || w_.has_word("acq_rel") ? "__threadfence(), " : "";
    if (ops_[at + 1].is_list) {
      const std::string values = w_.words(at + 1, small ? bits.c_str() : type.c_str());
      const std::string all =
          small ? ns + "atom_all_small<" + bits + ", " + pair + ", " + op + ">(" + place + ", " +
                      values + ")"
                : ns + "atom_all<" + type + ", " + op + ">(" + place + ", " + values + ")";
      return "(" + fence + (result ? w_.spread(all) : all) + ")";
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
  // Words about caches, scopes and the number of elements change nothing here.
  static bool is_idle(std::string_view word) {
    static constexpr std::string_view known[] = {
        "weak", "volatile", "relaxed",  "acquire", "release", "acq_rel", "mmio",
        "cta",  "cluster",  "gpu",      "sys",     "ca",      "cg",      "cs",
        "lu",   "cv",       "wb",       "wt",      "nc",      "v2",      "v4",
        "v8",   "L2::64B",  "L2::128B", "L2::256B"};
    return std::find(std::begin(known), std::end(known), word) != std::end(known) ||
           is_shared_space(word) || is_generic_space(word) || word == "L2::cache_hint" ||
           word.rfind("L1::evict", 0) == 0 || word.rfind("L2::evict", 0) == 0 ||
           word == "L1::no_allocate";
  }
  bool has_known_words() const {
    return std::all_of(w_.words_.begin() + 1, w_.words_.end() - 1, is_idle);
  }
  std::string order() const {
    if (w_.has_word("acquire")) return "std::memory_order_acquire";
    if (w_.has_word("release")) return "std::memory_order_release";
    if (w_.has_word("relaxed")) return "std::memory_order_relaxed";
    if (w_.has_word("volatile") && !is_shared()) return "std::memory_order_relaxed";
    return "";
  }
  // The types that each operation has, and no word but those of atomics.
  bool takes(const std::string& kind) const {
    static constexpr TypeName known[] = {{"add", "u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2"},
                                         {"min", "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2"},
                                         {"max", "u32 s32 u64 s64 f16 f16x2 bf16 bf16x2"},
                                         {"and", "b32 b64"},
                                         {"or", "b32 b64"},
                                         {"xor", "b32 b64"},
                                         {"inc", "u32"},
                                         {"dec", "u32"},
                                         {"exch", "b32 b64 u32 u64 s32 f32"},
                                         {"cas", "b16 b32 b64 u32 u64"}};
    unsigned operations = 0;
    for (std::size_t i = 1; i + 1 < w_.words_.size(); ++i) {
      const std::string& word = w_.words_[i];
      const auto op = std::find_if(std::begin(known), std::end(known),
                                   [&](const TypeName& each) { return word == each.ptx; });
      if (op != std::end(known)) {
        ++operations;
        if ((" " + std::string(op->cpp) + " ").find(" " + kind + " ") == std::string::npos) {
          return false;
        }
      } else if (!is_idle(word) && word != "noftz") {
        return false;
      }
    }
    return operations == 1;
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

}  // namespace simt::cc
