// The C++ for PTX's video instructions. The functions are in simt/ptx_video.h.

#include "ptx/writer.h"

namespace simt::cc {
namespace {

class VideoEmitter {
 public:
  explicit VideoEmitter(PtxWriter& writer) : w_(writer), ops_(writer.s_.operands) {}

  std::string run() {
    std::string name = w_.words_[0].substr(1);
    if (name == "mad") return multiply();
    const bool lanes = name.back() == '2' || name.back() == '4';
    const unsigned count = lanes ? static_cast<unsigned>(name.back() - '0') : 1;
    if (lanes) name.pop_back();
    if (name == "avrg" && !lanes) return "";
    if (lanes && (name == "shl" || name == "shr")) return "";
    std::size_t at = 1;
    const std::string form = read_form(name, at);
    if (form.empty() || at != w_.words_.size()) return "";
    return lanes ? several(count, form) : one(form);
  }

 private:
  bool is_signed(std::size_t i, bool& good) const {
    const std::string word = i < w_.words_.size() ? w_.words_[i] : "";
    good = good && (word == "u32" || word == "s32");
    return word == "s32";
  }
  static std::string truth(bool value) { return value ? "true" : "false"; }

  // .dtype.atype.btype(.sat)(.mode)(.op2), or for vset .atype.btype.cmp(.op2)
  std::string read_form(std::string name, std::size_t& at) {
    static constexpr const char* plain[] = {"add", "sub",  "absdiff", "min",
                                            "max", "avrg", "shl",     "shr"};
    static constexpr const char* comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const bool sets = name == "set";
    if (!sets && !contains(plain, name)) return "";
    bool good = true, saturates = false;
    const bool d = !sets && is_signed(at, good);
    if (!sets) ++at;
    const bool a = is_signed(at, good), b = is_signed(at + 1, good);
    at += 2;
    const auto word = [&] { return at < w_.words_.size() ? w_.words_[at] : std::string(); };
    if (sets) {
      name = word();
      if (!contains(comparisons, name)) return "";
      ++at;
    } else if (word() == "sat") {
      saturates = true;
      ++at;
    }
    if (name == "shl" || name == "shr") {
      if (word() != "clamp" && word() != "wrap") return "";
      wraps_ = word() == "wrap";
      ++at;
    }
    std::string second = "none";
    if (word() == "add" || word() == "min" || word() == "max") {
      second = word();
      ++at;
    }
    second_ = second;
    if (!good) return "";
    return "{" + ns + "Video::" + name + ", " + truth(d) + ", " + truth(a) + ", " + truth(b) +
           ", " + truth(saturates) + ", " + ns + "Second::" + second + "}";
  }

  // "%1.b0" without what stands behind the dot.
  static std::string cut(const std::string& operand, std::string& selector) {
    const std::size_t dot = operand.find('.');
    selector = dot == std::string::npos ? "" : operand.substr(dot + 1);
    return operand.substr(0, dot);
  }
  static std::string part(const std::string& selector) {
    if (selector.empty()) return ns + "whole_register";
    if (selector.size() != 2 || std::isdigit(static_cast<unsigned char>(selector[1])) == 0)
      return "";
    const int index = selector[1] - '0';
    if (selector[0] == 'b' && index < 4) return ns + "Part{" + std::to_string(index * 8) + ", 8}";
    if (selector[0] == 'h' && index < 2) return ns + "Part{" + std::to_string(index * 16) + ", 16}";
    return "";
  }
  std::string word(const std::string& operand) {
    return ns + "as<unsigned>(" + w_.source(operand) + ")";
  }
  std::string put(const std::string& to, const std::string& what) {
    return ns + "put(" + w_.destination(to) + ", " + what + ")";
  }
  bool are_plain() const {
    return std::none_of(ops_.begin(), ops_.end(), [](const PtxOperand& each) {
      return each.is_list || each.is_address || !each.second.empty();
    });
  }

  std::string one(const std::string& form) {
    if (ops_.size() < 3 || ops_.size() > 4 || !are_plain()) return "";
    std::string to_part, a_part, b_part;
    const std::string to = cut(ops_[0].parts[0], to_part), a = cut(ops_[1].parts[0], a_part),
                      b = cut(ops_[2].parts[0], b_part);
    const bool has_c = ops_.size() == 4;
    // The third source is there for a secondary operation, or for a part of the result.
    if (has_c != (second_ != "none" || !to_part.empty()) ||
        (second_ != "none" && !to_part.empty())) {
      return "";
    }
    const std::string parts[] = {part(to_part), part(a_part), part(b_part)};
    for (const std::string& each : parts) {
      if (each.empty()) return "";
    }
    return put(to, ns + "video(" + form + ", " + parts[0] + ", " + parts[1] + ", " + parts[2] +
                       ", " + truth(wraps_) + ", " + word(a) + ", " + word(b) + ", " +
                       (has_c ? word(ops_[3].parts[0]) : "0u") + ")");
  }

  // .h10 and .b3210: digits, the highest lane first.
  static bool digits(const std::string& selector, unsigned count, std::string& out) {
    const char letter = count == 2 ? 'h' : 'b';
    if (selector[0] != letter || selector.size() > count + 1) return false;
    out = selector.substr(1);
    return !out.empty() && std::all_of(out.begin(), out.end(), [&](char c) {
      return c >= '0' && c < static_cast<char>('0' + 2 * count);
    });
  }

  std::string several(unsigned count, const std::string& form) {
    if (ops_.size() != 4 || !are_plain() || (second_ != "none" && second_ != "add")) return "";
    std::string to_lanes, a_lanes, b_lanes;
    const std::string to = cut(ops_[0].parts[0], to_lanes), a = cut(ops_[1].parts[0], a_lanes),
                      b = cut(ops_[2].parts[0], b_lanes);
    std::string which = count == 2 ? "10" : "3210", from_a = which,
                from_b = count == 2 ? "32" : "7654";
    if (!to_lanes.empty() && !digits(to_lanes, count, which)) return "";
    if (!a_lanes.empty() && !digits(a_lanes, count, from_a)) return "";
    if (!b_lanes.empty() && !digits(b_lanes, count, from_b)) return "";
    if (from_a.size() != count || from_b.size() != count) return "";
    unsigned mask = 0;
    for (const char c : which) {
      if (c >= static_cast<char>('0' + count)) return "";
      mask |= 1u << (c - '0');
    }
    return put(to, ns + "video_lanes<" + std::to_string(count) + ">(" + form + ", " +
                       std::to_string(mask) + "u, 0x" + from_a + "u, 0x" + from_b + "u, " +
                       word(a) + ", " + word(b) + ", " + word(ops_[3].parts[0]) + ")");
  }

  // vmad.dtype.atype.btype(.po)(.sat)(.shr7 or .shr15) d, -a.h0, b, c
  std::string multiply() {
    bool good = true, plus_one = false, saturates = false;
    is_signed(1, good);
    const bool a_signed = is_signed(2, good), b_signed = is_signed(3, good);
    std::string shift = "0";
    for (std::size_t i = 4; i < w_.words_.size(); ++i) {
      const std::string& each = w_.words_[i];
      if (each == "po") {
        plus_one = true;
      } else if (each == "sat") {
        saturates = true;
      } else if (each == "shr7" || each == "shr15") {
        shift = each.substr(3);
      } else {
        return "";
      }
    }
    if (!good || ops_.size() != 4 || !are_plain()) return "";
    std::string parts[3], values[3];
    bool negative[3];
    for (std::size_t i = 0; i < 3; ++i) {
      values[i] = cut(ops_[i + 1].parts[0], parts[i]);
      negative[i] = values[i].rfind('-', 0) == 0;
      if (negative[i]) values[i].erase(0, 1);
    }
    const std::string from_a = part(parts[0]), from_b = part(parts[1]);
    if (from_a.empty() || from_b.empty() || !parts[2].empty()) return "";
    const bool negative_product = negative[0] != negative[1];
    if (plus_one && (negative_product || negative[2])) return "";
    if (negative_product && negative[2]) return "";
    return put(ops_[0].parts[0],
               ns + "video_mad({" + truth(a_signed) + ", " + truth(b_signed) + ", " +
                   truth(negative_product) + ", " + truth(negative[2]) + ", " + truth(plus_one) +
                   ", " + truth(saturates) + ", " + shift + "}, " + from_a + ", " + from_b + ", " +
                   word(values[0]) + ", " + word(values[1]) + ", " + word(values[2]) + ")");
  }

  PtxWriter& w_;
  const std::vector<PtxOperand>& ops_;
  std::string second_ = "none";
  bool wraps_ = false;
};

}  // namespace

std::string emit_video(PtxWriter& writer) {
  return VideoEmitter(writer).run();
}

}  // namespace simt::cc
