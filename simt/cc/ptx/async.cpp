// The C++ for asynchronous PTX: mbarriers, bulk copies, tensor maps, wgmma, and what goes with them
// (clusters, elect, cache hints). The functions are in simt/ptx_async.h.

#include "ptx/writer.h"

namespace simt::cc {
namespace {

class AsyncEmitter {
 public:
  explicit AsyncEmitter(PtxWriter& writer) : w_(writer), ops_(writer.s_.operands) {}

  std::string run() {
    const std::string& name = w_.words_[0];
    if (name == "mbarrier") return barrier();
    if (name == "fence") return fence();
    if (name == "cp") return copy();
    if ((name == "st" || name == "red") && word(1) == "async") return store_async();
    if (name == "wgmma") return product();
    if (name == "elect") return elect();
    if (name == "mapa" || name == "getctarank") return map_address(name);
    if (name == "prefetch" || name == "prefetchu" || name == "applypriority" || name == "discard") {
      return hint();
    }
    if (opcode() == "membar.proxy.alias") return ns + "membar()";
    if (name == "createpolicy" && !ops_.empty()) return put(0, "0ull");
    if (name == "setmaxnreg") return call("set_max_registers", value(0));
    if (name == "griddepcontrol") return ns + "programmatic_launch()";
    if (name == "bar" || name == "barrier") return block_barrier();
    if (name == "tensormap") return replace_in_map();
    return "";
  }

 private:
  bool has(std::string_view text) const { return w_.has_word(text); }
  const std::string& opcode() const { return w_.s_.opcode; }
  std::string word(std::size_t i) const { return i < w_.words_.size() ? w_.words_[i] : ""; }
  std::string value(std::size_t i) { return i < ops_.size() ? w_.source(ops_[i]) : w_.refuse(); }
  static std::string call(const std::string& function, const std::string& arguments) {
    return ns + function + "(" + arguments + ")";
  }
  std::string put(std::size_t i, const std::string& what) {
    return ns + "put(" + w_.destination(i) + ", " + what + ")";
  }
  // Shared memory of this block, of the cluster, or by a generic address: one function takes them
  // all.
  static bool is_space(std::string_view text) { return text.rfind("shared", 0) == 0; }

  std::string barrier() {
    const std::string what = word(1);
    if (what == "init") return call("mbarrier_init", value(0) + ", " + value(1));
    if (what == "inval") return call("mbarrier_inval", value(0));
    if (what == "expect_tx" || what == "complete_tx") {
      return call("mbarrier_" + what, value(0) + ", " + value(1));
    }
    if (what == "pending_count") return put(0, call("mbarrier_pending_count", value(1)));
    if (what == "test_wait" || what == "try_wait") {
      const std::string form = has("parity") ? "mbarrier_wait_parity" : "mbarrier_wait_state";
      return w_.destination(0) + " = " + call(form, value(1) + ", " + value(2));
    }
    if (what != "arrive" && what != "arrive_drop") return "";
    const bool has_state = !ops_.empty() && !ops_[0].is_address;
    const std::size_t at = has_state ? 1 : 0;
    const std::string drop = what == "arrive_drop" ? ", true" : ", false";
    std::string text;
    if (has("expect_tx")) {
      text = call("mbarrier_arrive_expect_tx", value(at) + ", " + value(at + 1) + drop);
    } else {
      const std::string count = at + 1 < ops_.size() ? value(at + 1) : "1";
      const std::string complete = has("noComplete") ? ", false" : ", true";
      text = call("mbarrier_arrive", value(at) + ", " + count + drop + complete);
    }
    return has_state ? put(0, text) : text;
  }

  // fence.acq_rel.gpu and so on: all of them order everything here.
  static bool is_scope(const std::string& text) {
    return text == "cta" || text == "cluster" || text == "gpu" || text == "sys";
  }
  std::string fence() {
    if (word(1) == "mbarrier_init") return ns + "fence_mbarrier_init()";
    if (word(1) != "proxy") {
      const bool order =
          word(1) == "sc" || word(1) == "acq_rel" || word(1) == "acquire" || word(1) == "release";
      const bool limited = word(2).rfind("sync_restrict::", 0) == 0;
      const std::size_t size = order ? (limited ? 4 : 3) : 2;
      const bool known = w_.words_.size() == size && is_scope(word(size - 1)) && ops_.empty();
      return known ? ns + "membar()" : "";
    }
    const std::string proxy = word(2);
    if (proxy == "alias") return ns + "membar()";
    if (proxy.rfind("async", 0) == 0 || proxy.rfind("tensormap", 0) == 0) {
      return ns + "fence_proxy_async()";
    }
    return "";
  }

  std::string coordinates(std::size_t i) {
    if (i >= ops_.size() || ops_[i].coordinates.empty() || ops_[i].coordinates.size() > 5) {
      return w_.refuse();
    }
    const auto& all = ops_[i].coordinates;
    if (word(dimension_word_) != std::to_string(all.size()) + "d") return w_.refuse();
    std::string text = "{" + std::to_string(all.size()) + ", {";
    for (std::size_t k = 0; k < all.size(); ++k) {
      text += (k > 0 ? ", " : "") + ns + "as<int>(" + w_.source(all[k]) + ")";
    }
    return text + "}}";
  }

  std::string copy() {
    const bool reduces = word(1) == "reduce";
    const std::size_t base = reduces ? 2 : 1;
    if (word(base) != "async") return "";
    if (!reduces && (word(2) == "ca" || word(2) == "cg")) return small_copy();
    if (!reduces && word(2) == "mbarrier" && word(3) == "arrive") {
      return call("cp_async_mbarrier_arrive", value(0) + (has("noinc") ? ", true" : ", false"));
    }
    if (word(base + 1) != "bulk") return "";
    if (word(3) == "commit_group") return ns + "bulk_commit()";
    if (word(3) == "wait_group") {
      return call("bulk_wait", value(0) + (has("read") ? ", true" : ", false"));
    }
    if (has("im2col") || has("im2col_no_offs") || has("tile::gather4")) return "";
    const bool prefetch = word(base + 2) == "prefetch";
    const std::size_t kind = base + 2 + (prefetch ? 1 : 0);
    const bool tensor = word(kind) == "tensor";
    dimension_word_ = kind + 1;
    if (prefetch)
      return tensor ? call("tensor_prefetch", value(0) + ", " + coordinates(0)) : hint();
    const std::string reduction = reduces ? reduction_of() : "none";
    if (reduction.empty()) return "";
    if (tensor) return tensor_copy(kind + 2, reduction);
    return bulk_copy(kind, reduction);
  }

  std::string reduction_of() const {
    static constexpr std::string_view known[] = {"add", "min", "max", "and",
                                                 "or",  "xor", "inc", "dec"};
    for (const std::string& each : w_.words_) {
      if (std::find(std::begin(known), std::end(known), each) != std::end(known)) {
        return each == "and"   ? "bit_and"
               : each == "or"  ? "bit_or"
               : each == "xor" ? "bit_xor"
                               : each;
      }
    }
    return "";
  }
  // Which blocks of the cluster get it: this one, unless a mask says otherwise.
  std::string blocks(std::size_t i) {
    return has("multicast::cluster") ? ns + "as<int>(" + value(i) + ")" : "-1";
  }

  std::string tensor_copy(std::size_t to, const std::string& reduction) {
    if (is_space(word(to)) && word(to + 1) == "global") {
      if (reduction != "none") return "";
      return call("tensor_load", value(0) + ", " + value(1) + ", " + coordinates(1) + ", " +
                                     value(2) + ", " + blocks(3));
    }
    if (word(to) != "global" || !is_space(word(to + 1))) return "";
    return call("tensor_store", value(0) + ", " + coordinates(0) + ", " + value(1) +
                                    ", ::simt::Reduction::" + reduction);
  }

  std::string bulk_copy(std::size_t to, const std::string& reduction) {
    std::string element = "u8";
    if (reduction != "none") {
      element = w_.words_.back();
      if (element == "b32") element = "u32";
      if (element == "b64") element = "u64";
    }
    const std::string how =
        ", {::simt::Reduction::" + reduction + ", ::simt::Element::" + element + "}";
    const std::string three = value(0) + ", " + value(1) + ", " + value(2);
    if (is_space(word(to)))
      return call("bulk_load", three + ", " + value(3) + ", " + blocks(4) + how);
    if (word(to) != "global" || !is_space(word(to + 1))) return "";
    return call("bulk_store", three + how);
  }

  // cp.async.cg.shared.global.L2::128B [to], [from], 16, given or ignore?;
  std::string small_copy() {
    const std::size_t hints = has("L2::cache_hint") ? 1 : 0;
    if (ops_.size() < 3 + hints || ops_.size() > 4 + hints) return "";
    std::string text = value(0) + ", " + value(1) + ", " + value(2);
    if (ops_.size() == 4 + hints) text += ", " + call("bytes_given", value(3));
    return call("cp_async", text);
  }

  // st.async … [to], value, [barrier]; red.async … the same.
  std::string store_async() {
    const std::string kind = w_.words_.back(), type = type_of(kind);
    const bool reduces = w_.words_[0] == "red";
    if (type.empty() || ops_.size() != 3) return "";
    std::string how = ", {::simt::Reduction::none, ::simt::Element::u8}";
    if (reduces) {
      const bool known = kind == "u32" || kind == "s32" || kind == "u64" || kind == "b32";
      const std::string by = reduction_of();
      if (!known || by.empty()) return "";
      how = ", {::simt::Reduction::" + by + ", ::simt::Element::" + (kind == "b32" ? "u32" : kind) +
            "}";
    }
    return call("store_async", value(0) + ", " + w_.words(1, type.c_str()) + ", " + value(2) + how);
  }

  std::string map_address(const std::string& name) {
    const std::string form = is_space(word(1)) ? name + "_shared" : name;
    if (name == "getctarank") return put(0, call(form, value(1)));
    return put(0, call(form, value(1) + ", " + value(2)));
  }

  std::string hint() {
    if (word(1) == "tensormap" || word(2) == "tensormap")
      return call("tensor_prefetch", value(0) + ", {}");
    return "(void)(" + value(0) + ")";
  }

  std::string elect() {
    if (ops_.size() != 2) return "";
    const PtxOperand& to = ops_[0];
    const std::string leader = w_.destination(to.parts[0]);
    if (to.second.empty()) return "";
    return "({ const int simt_ptx_leader = " + call("elect", value(1)) + "; " + ns + "put(" +
           leader + ", simt_ptx_leader); " + w_.destination(to.second) +
           " = simt_ptx_leader == static_cast<int>(::simt::lane_id()); })";
  }

  // bar.sync, barrier.cta.sync.aligned and so on; bar.warp.sync.
  std::string block_barrier() {
    if (word(1) == "warp") return call("warp_sync", value(0));
    if (word(1) == "cluster") return "";
    const std::size_t at = word(1) == "cta" ? 2 : 1;
    const std::string what = word(at);
    if (what == "red") return block_reduction(word(at + 1));
    if (what != "sync" && what != "arrive") return "";
    if (ops_.empty() || ops_.size() > 2) return "";
    std::string text = value(0);
    if (ops_.size() > 1) text += ", " + value(1);
    return call("bar_" + what, text);
  }

  // bar.red.popc.u32 d, barrier(, threads), p; barrier.cta.red.and.aligned.pred
  std::string block_reduction(const std::string& how) {
    static constexpr TypeName known[] = {{"popc", "count"}, {"and", "all"}, {"or", "any"}};
    if (w_.words_.back() != (how == "popc" ? "u32" : "pred")) return "";
    for (const TypeName& each : known) {
      if (how != each.ptx || ops_.size() < 3 || ops_.size() > 4) continue;
      const std::string threads = ops_.size() == 4 ? value(2) : "0";
      return put(0, call(std::string("bar_red<::simt::Barrier::") + each.cpp + ">",
                         value(1) + ", " + threads + ", " + value(ops_.size() - 1)));
    }
    return "";
  }

  // tensormap.replace.tile.FIELD.SPACE.b1024.TYPE [map], (number,) value
  std::string replace_in_map() {
    if (word(1) == "cp_fenceproxy") return call("tensor_map_copy", value(0) + ", " + value(1));
    if (word(1) != "replace" || word(2) != "tile" || ops_.size() < 2 || ops_.size() > 3) return "";
    static constexpr std::string_view fields[] = {
        "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
        "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};
    if (std::find(std::begin(fields), std::end(fields), word(3)) == std::end(fields)) return "";
    const std::string number = ops_.size() == 3 ? value(1) : "0";
    return call("tensor_map_replace", value(0) + ", ::simt::MapField::" + word(3) + ", " + number +
                                          ", " + ns + "as<unsigned long long>(" +
                                          value(ops_.size() - 1) + ")");
  }

  std::string product() {
    const std::string what = word(1);
    if (what == "fence") return ns + "wgmma_fence()";
    if (what == "commit_group") return ns + "wgmma_commit()";
    if (what == "wait_group") return call("wgmma_wait", value(0));
    if (what == "mma_async" && word(2) == "sync" && word(3) == "aligned") return multiply();
    return "";
  }

  // wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {d}, a, b, scale_d, imm_a, imm_b, trans_a,
  // trans_b;
  std::string multiply() {
    const std::string shape = word(4), sum = word(5), a = word(6), b = word(7);
    const std::size_t n_at = shape.find('n'), k_at = shape.find('k');
    if (shape.rfind("m64n", 0) != 0 || k_at == std::string::npos || ops_.size() < 4) return "";
    const std::string n = shape.substr(n_at + 1, k_at - n_at - 1), k = shape.substr(k_at + 1);
    if (!is_number(n) || std::stoul(n) % 8 != 0 || n == "0" || std::stoul(n) > 256) return "";
    const bool halves = (a == "f16" || a == "bf16") && a == b && k == "16";
    const bool whole = (a == "s8" || a == "u8") && (b == "s8" || b == "u8") && k == "32";
    const bool small = (a == "e4m3" || a == "e5m2") && (b == "e4m3" || b == "e5m2") && k == "32";
    const bool tf32 = a == "tf32" && b == "tf32" && k == "8";
    if (!halves && !whole && !small && !tf32) return "";
    if (whole ? sum != "s32" : sum != "f32" && (sum != "f16" || a == "bf16" || tf32)) return "";
    const auto& d = ops_[0].parts;
    if (!ops_[0].is_list || d.size() != std::stoul(n) / (sum == "f16" ? 4 : 2)) return w_.refuse();
    const bool registers = ops_[1].is_list;
    if (registers && ops_[1].parts.size() != 4) return w_.refuse();
    std::string text = "({ void* const simt_ptx_d[] = {";
    for (std::size_t i = 0; i < d.size(); ++i) {
      text += (i > 0 ? ", " : "") + ns + "place_of(" + w_.destination(d[i]) + ")";
    }
    text += "}; " + ns + "wgmma({" + n + ", ::simt::Element::" + sum + ", ::simt::Element::" + a +
            ", ::simt::Element::" + b + ", " + (has("satfinite") ? "true" : "false") +
            "}, simt_ptx_d, ";
    text += registers ? words_or(1) : ns + "as<unsigned long long>(" + value(1) + ")";
    text += ", " + ns + "as<unsigned long long>(" + value(2) + "), " + value(3);
    const std::size_t wanted = whole ? 4 : halves ? (registers ? 7 : 8) : 6;
    if (ops_.size() != wanted) return w_.refuse();
    for (std::size_t i = 4; i < wanted; ++i) {
      if (registers && i == 6) text += ", 0";  // A in registers has no other order
      text += ", " + value(i);
    }
    return text + "); })";
  }
  std::string words_or(std::size_t i) { return w_.words(i, "unsigned"); }

  PtxWriter& w_;
  const std::vector<PtxOperand>& ops_;
  std::size_t dimension_word_ = 0;
};

}  // namespace

std::string emit_async(PtxWriter& writer) {
  return AsyncEmitter(writer).run();
}

}  // namespace simt::cc
