// The C++ for PTX statements. Those in the tables become calls; anything else is refused by name,
// because a program that silently computes something else is worse than one that does not build.

#include <algorithm>
#include <set>
#include <string_view>

#include "ptx/writer.h"

namespace simt::cc {
namespace {

class Emitter : PtxWriter {
 public:
  using PtxWriter::PtxWriter;

  std::string run() {
    if (s_.kind == PtxStatement::Kind::open) return "{";
    if (s_.kind == PtxStatement::Kind::close) return "}";
    if (s_.kind == PtxStatement::Kind::declaration) return declaration();
    if (s_.kind == PtxStatement::Kind::label) return ptx_label(s_.opcode) + ": (void)0";
    std::string text = instruction();
    if (text.empty() || unknown_) return "";
    if (s_.guard.empty()) return text;
    text = std::string("if (") + (s_.negated ? "!" : "") + local(s_.guard) + ") { " + text + "; }";
    return unknown_ ? "" : text;
  }

 private:
  std::string declaration() {
    const std::string type = type_of(s_.opcode.substr(s_.opcode.rfind('.') + 1));
    if (type.empty() || s_.operands.empty()) return "";
    std::string text = "[[maybe_unused]] " + type;
    // A jump may pass a declaration, but no initialisation.
    const char* const start = scope_.labels.empty() ? "{}" : "";
    const char* comma = " ";
    for (const PtxOperand& operand : s_.operands) {
      for (const std::string& name : names_of(operand.parts[0])) {
        if (!is_name(name)) return "";
        scope_.registers.insert(name);
        text += comma + local(name) + start;
        comma = ", ";
      }
    }
    return text;
  }

  // r<3> is r0, r1 and r2.
  static std::vector<std::string> names_of(const std::string& text) {
    const std::size_t open = text.find('<');
    if (open == std::string::npos || text.back() != '>') return {text};
    const std::string count = text.substr(open + 1, text.size() - open - 2);
    std::vector<std::string> names;
    if (!is_number(count) || count.size() > 3) return {""};
    for (unsigned long i = 0; i < std::stoul(count); ++i) {
      names.push_back(text.substr(0, open) + std::to_string(i));
    }
    return names;
  }

  std::string branch() {
    if (s_.operands.size() != 1 || scope_.labels.count(s_.operands[0].parts[0]) == 0) return "";
    return "goto " + ptx_label(s_.operands[0].parts[0]);
  }

  std::string instruction() {
    const std::string& name = words_[0];
    // d|p, where the second result would be lost
    const bool pair =
        name == "shfl" || name == "match" || name == "elect" || name == "setp" || name == "lop3";
    for (const PtxOperand& operand : s_.operands) {
      if (!operand.second.empty() && !pair) return "";
    }
    if (name == "bra") return branch();
    if (name == "mov") return move();
    if (name == "shfl" || name == "vote" || name == "match" || name == "redux") return lanes();
    if (name == "mma") return matrix_product();
    if (name == "ldmatrix" || name == "stmatrix") return move_matrix();
    if (s_.opcode == "movmatrix.sync.aligned.m8n8.trans.b16") return transpose_matrix();
    if ((name == "ld" || name == "ldu" || name == "st") && words_.back() != "async" &&
        !has_word("async")) {
      return emit_memory(*this);
    }
    if (name == "atom" || (name == "red" && !has_word("async"))) return emit_atomic(*this);
    if (name == "cvta") return emit_convert_address(*this);
    if (name == "cvt") return emit_convert(*this);
    if (name == "isspacep") return emit_is_space(*this);
    if (const std::string text = emit_async(*this); !text.empty()) return text;
    const auto known = std::find_if(std::begin(instructions), std::end(instructions),
                                    [&](const Instruction& i) { return i.opcode == s_.opcode; });
    if (known == std::end(instructions)) {
      const std::string text = emit_arithmetic(*this);
      return text.empty() && name[0] == 'v' && !unknown_ ? emit_video(*this) : text;
    }
    const std::string call = std::string("::simt::") + known->function + "(";
    if (!known->has_result) return call + sources(0) + ")";
    return destination(0) + " = " + call + sources(1) + ")";
  }

  std::string move() {
    if (s_.operands.size() != 2 || words_.size() != 2) return "";
    const PtxOperand& from = s_.operands[1];
    const std::string type = type_of(words_[1]);
    if (type.empty() || from.is_address) return "";
    if (from.is_list) {
      if (words_[1] == "pred") return "";
      const std::string bits = std::to_string(std::stoul(words_[1].substr(1)) / from.parts.size());
      const std::string part = type_of("b" + bits);
      if (part.empty()) return "";
      return "::simt::ptx::put(" + destination(0) + ", ::simt::ptx::pack<" + type + ">(" +
             words(1, part.c_str()) + "))";
    }
    if (s_.operands[0].is_list) {
      return spread("::simt::ptx::unpack<" + std::to_string(s_.operands[0].parts.size()) + ", " +
                    type + ">(" + source(from) + ")");
    }
    if (!special(from.parts[0]).empty()) {
      return destination(0) + " = " + source(from);
    }
    return "::simt::ptx::put(" + destination(0) + ", ::simt::ptx::as<" + type + ">(" +
           source(from) + "))";
  }

  // shfl.sync.down.b32 d|p, a, b, c, members; vote.sync.ballot.b32 d, p, members;
  // match.all.sync.b32 d|p, a, members; redux.sync.add.s32 d, a, members
  std::string lanes() {
    static constexpr struct {
      const char *opcode, *function, *type;
      std::size_t operands;
    } known[] = {{"shfl.sync.up.b32", "shfl<::simt::ptx::Shuffle::up>", "unsigned", 5},
                 {"shfl.sync.down.b32", "shfl<::simt::ptx::Shuffle::down>", "unsigned", 5},
                 {"shfl.sync.bfly.b32", "shfl<::simt::ptx::Shuffle::bfly>", "unsigned", 5},
                 {"shfl.sync.idx.b32", "shfl<::simt::ptx::Shuffle::idx>", "unsigned", 5},
                 {"vote.sync.all.pred", "vote<::simt::WarpOp::all>", "bool", 3},
                 {"vote.sync.any.pred", "vote<::simt::WarpOp::any>", "bool", 3},
                 {"vote.sync.uni.pred", "vote<::simt::WarpOp::uni>", "bool", 3},
                 {"vote.sync.ballot.b32", "vote<::simt::WarpOp::ballot>", "bool", 3},
                 {"match.any.sync.b32", "match_any<unsigned>", "unsigned", 3},
                 {"match.any.sync.b64", "match_any<unsigned long long>", "unsigned long long", 3},
                 {"match.all.sync.b32", "match_all<unsigned>", "unsigned", 3},
                 {"match.all.sync.b64", "match_all<unsigned long long>", "unsigned long long", 3},
                 {"redux.sync.add.u32", "redux<::simt::WarpOp::reduce_add>", "unsigned", 3},
                 {"redux.sync.add.s32", "redux<::simt::WarpOp::reduce_add>", "unsigned", 3},
                 {"redux.sync.min.u32", "redux<::simt::WarpOp::reduce_umin>", "unsigned", 3},
                 {"redux.sync.min.s32", "redux<::simt::WarpOp::reduce_min>", "unsigned", 3},
                 {"redux.sync.max.u32", "redux<::simt::WarpOp::reduce_umax>", "unsigned", 3},
                 {"redux.sync.max.s32", "redux<::simt::WarpOp::reduce_max>", "unsigned", 3},
                 {"redux.sync.and.b32", "redux<::simt::WarpOp::reduce_and>", "unsigned", 3},
                 {"redux.sync.or.b32", "redux<::simt::WarpOp::reduce_or>", "unsigned", 3},
                 {"redux.sync.xor.b32", "redux<::simt::WarpOp::reduce_xor>", "unsigned", 3}};
    for (const auto& k : known) {
      if (s_.opcode != k.opcode || s_.operands.size() != k.operands) continue;
      const std::string& result = s_.operands[0].parts[0];
      const bool two = words_[0] == "shfl" || words_[0] == "match";
      const std::string& flag = s_.operands[0].second;
      if (!flag.empty() && !two) return "";
      std::string from = s_.operands[1].parts[0];
      const bool inverted = words_[0] == "vote" && from.rfind('!', 0) == 0;
      if (inverted) from.erase(0, 1);
      std::string call = std::string("::simt::ptx::") + k.function + "(" + (inverted ? "!" : "") +
                         "::simt::ptx::as<" + k.type + ">(" + source(from) + ")";
      for (std::size_t i = 2; i < k.operands; ++i) call += ", " + source(s_.operands[i]);
      call += ")";
      if (!two) return "::simt::ptx::put(" + destination(result) + ", " + call + ")";
      std::string text = "({ const auto simt_ptx_two = " + call + "; ::simt::ptx::put(" +
                         destination(result) + ", simt_ptx_two.value);";
      if (!flag.empty()) {
        text += " ::simt::ptx::put(" + destination(flag) + ", simt_ptx_two.flag);";
      }
      return text + " })";
    }
    return "";
  }

  // mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64, with a rounding mode before or after the
  // types.
  std::string double_product() {
    std::string plain, mode = "rn";
    for (const std::string& word : words_) {
      const bool names_mode = word == "rn" || word == "rz" || word == "rm" || word == "rp";
      if (names_mode) {
        mode = word;
      } else {
        plain += "." + word;
      }
    }
    static constexpr struct { int m, k; } shapes[] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
    for (const auto& shape : shapes) {
      const std::string m = std::to_string(shape.m), k = std::to_string(shape.k);
      if (plain != ".mma.sync.aligned.m" + m + "n8k" + k + ".row.col.f64.f64.f64.f64") continue;
      return spread("::simt::ptx::mma_doubles<" + m + ", " + k +
                    ", ::simt::ptx::Rounding::" + mode + ">(" + words(1, "double") + ", " +
                    words(2, "double") + ", " + words(3, "double") + ")");
    }
    return "";
  }

  // mma.sync.aligned.m16n8k16.row.col.D.A.B.C
  std::string matrix_product() {
    if (has_word("f64")) return s_.operands.size() == 4 ? double_product() : "";
    const bool common = words_.size() >= 10 && words_[1] == "sync" && words_[2] == "aligned" &&
                        words_[4] == "row" && words_[5] == "col" && s_.operands.size() == 4;
    const std::size_t types = common && words_[6] == "satfinite" ? 7 : 6;  // of whole numbers only
    if (!common || words_.size() != types + 4 || words_[types] != words_[types + 3]) return "";
    const std::string sum = words_[types], a = words_[types + 1], b = words_[types + 2];
    static constexpr std::string_view forms[] = {
        "m16n8k16.f32.f16",  "m16n8k16.f16.f16", "m16n8k16.f32.bf16", "m16n8k8.f32.f16",
        "m16n8k8.f16.f16",   "m16n8k8.f32.bf16", "m16n8k8.f32.tf32",  "m16n8k4.f32.tf32",
        "m16n8k16.s32.s8",   "m16n8k16.s32.u8",  "m16n8k32.s32.s8",   "m16n8k32.s32.u8",
        "m16n8k32.f32.e4m3", "m16n8k32.f32.e5m2"};
    const auto known = [&](const std::string& type) {
      const std::string form = words_[3] + "." + sum + "." + type;
      return std::find(std::begin(forms), std::end(forms), form) != std::end(forms);
    };
    const bool mixed = a.size() == b.size() && (a[0] == 'e' || a.back() == '8');
    if (!known(a) || !known(b) || (a != b && !mixed)) return "";
    const std::string k = words_[3].substr(words_[3].find('k') + 1);
    const char* const word = sum == "f32" ? "float" : sum == "s32" ? "int" : "unsigned";
    return spread("::simt::ptx::mma_m16n8<" + k + ", ::simt::ptx::Format::" + a +
                  ", ::simt::ptx::Format::" + b + ", " + (types == 7 ? "true" : "false") + ">(" +
                  words(1, "unsigned") + ", " + words(2, "unsigned") + ", " + words(3, word) + ")");
  }

  std::string transpose_matrix() {
    if (s_.operands.size() != 2) return "";
    return "::simt::ptx::put(" + destination(0) + ", ::simt::ptx::movmatrix(" +
           source(s_.operands[1]) + "))";
  }

  // ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 and stmatrix; the assembler takes the words in
  // any order.
  std::string move_matrix() {
    if (s_.operands.size() != 2) return "";
    std::string count;
    bool trans = false;
    std::set<std::string_view> missing = {"sync", "aligned", "m8n8", "shared", "b16"};
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::string_view whole = words_[i];
      const std::string_view word = whole == "shared::cta" ? "shared" : whole;
      if (word == "trans") {
        trans = true;
      } else if (word == "x1" || word == "x2" || word == "x4") {
        count = word.substr(1);
      } else if (missing.erase(word) == 0) {
        return "";
      }
    }
    if (!missing.empty() || count.empty()) return "";
    const std::string form = words_[0] + "<" + count + ", " + (trans ? "true" : "false") + ">(";
    if (words_[0] == "ldmatrix") {
      return spread("::simt::ptx::" + form + source(s_.operands[1]) + ")");
    }
    return "::simt::ptx::" + form + source(s_.operands[0]) + ", " + words(1, "unsigned") + ")";
  }
};

}  // namespace

std::string emit_ptx(const PtxStatement& statement, PtxScope& scope) {
  return Emitter(statement, scope).run();
}

std::string ptx_label(const std::string& name) {
  std::string out = "simt_ptx_label_";
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

}  // namespace simt::cc
