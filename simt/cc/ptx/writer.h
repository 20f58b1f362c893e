#pragma once

// What every emitter of PTX needs: the operands of one statement as C++.

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "ptx/ptx.h"
#include "ptx/tables.h"

namespace simt::cc {

// Where the functions are.
inline const std::string ns = "::simt::ptx::";

template <std::size_t N>
bool contains(const char* const (&list)[N], const std::string& text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

inline std::string type_of(std::string_view name) {
  for (const TypeName& type : types) {
    if (name == type.ptx) return type.cpp;
  }
  return "";
}

inline bool is_small(std::string_view type) {
  return type == "f16" || type == "bf16" || type == "f16x2" || type == "bf16x2";
}
inline std::string format_of(std::string_view type) {
  return type[0] == 'b' ? "::simt::Bfloat16Format" : "::simt::HalfFormat";
}
// The type in which a number is computed with: for the small floats one of simt's own.
inline std::string number_type(std::string_view name) {
  if (name == "f16") return "::simt::ptx::F16";
  return name == "bf16" ? "::simt::ptx::Bf16" : type_of(name);
}

// A CPU has one generic address for all but shared memory.
inline bool is_shared_space(std::string_view word) {
  return word == "shared" || word == "shared::cta" || word == "shared::cluster";
}
inline bool is_generic_space(std::string_view word) {
  return word == "global" || word == "local" || word == "const" || word.rfind("param", 0) == 0;
}

inline std::vector<std::string> words_of(const std::string& opcode) {
  std::vector<std::string> words(1);
  for (const char c : opcode) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

inline bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// One statement and what its text has declared.
class PtxWriter {
 public:
  PtxWriter(const PtxStatement& statement, PtxScope& scope)
      : s_(statement), scope_(scope), words_(words_of(statement.opcode)) {}

  // A register of the text's own. In the text of an asm its '%' is doubled.
  std::string local(const std::string& name) {
    if (scope_.registers.count(name) == 0) return refuse();
    std::string out = "simt_ptx_";
    for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return out;
  }
  static bool is_name(const std::string& text) {
    return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 ||
                             text[0] == '_' || text[0] == '$' || text.rfind("%%", 0) == 0);
  }

  // The binding that "%0" names; null if the operand is something else.
  const PtxBinding* named(const std::string& operand) const {
    if (operand.size() < 2 || operand[0] != '%' || !is_number(operand.substr(1))) return nullptr;
    const std::size_t index = std::stoul(operand.substr(1));
    return index < scope_.bindings.size() ? &scope_.bindings[index] : nullptr;
  }

  std::string refuse() {
    unknown_ = true;
    return "0";
  }

  // "%%clock", and "%clock", which nvcc takes too where it is no operand.
  std::string special(const std::string& operand) {
    if (operand.rfind('%', 0) != 0) return "";
    std::string name = operand.substr(operand.rfind("%%", 0) == 0 ? 2 : 1);
    if (!contains(special_registers, name)) return "";
    std::replace(name.begin(), name.end(), '.', '_');
    return "::simt::special::" + name + "()";
  }

  std::string number(const std::string& text) {
    if (text.rfind("0f", 0) == 0 && text.size() == 10) {
      return "::simt::ptx::float_of(0x" + text.substr(2) + "u)";
    }
    if (text.rfind("0d", 0) == 0 && text.size() == 18) {
      return "__longlong_as_double(0x" + text.substr(2) + "ll)";
    }
    const std::size_t first = text[0] == '-' ? 1 : 0;
    const bool good =
        first < text.size() && std::isdigit(static_cast<unsigned char>(text[first])) != 0 &&
        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                    [](unsigned char c) {
                      return std::isxdigit(c) != 0 || c == 'x' || c == 'X' || c == 'U';
                    });
    return good ? text : "";
  }

  std::string source(const std::string& part) {
    if (part.rfind('!', 0) == 0) return "!" + local(part.substr(1));
    if (const PtxBinding* binding = named(part)) {
      const bool wide = binding->constraint.find('l') != std::string::npos;
      return (wide ? "::simt::ptx::wide(" : "(") + binding->expression + ")";
    }
    if (const std::string text = special(part); !text.empty()) return text;
    if (is_name(part)) return local(part);
    if (const std::string text = number(part); !text.empty()) return text;
    return refuse();
  }
  std::string source(const PtxOperand& operand) {
    if (operand.is_list) return refuse();
    const std::string text = source(operand.parts[0]);
    return operand.offset.empty() ? text : "(" + text + " + " + source(operand.offset) + ")";
  }

  std::string destination(const std::string& part) {
    if (part == "_") return "::simt::ptx::nowhere()";
    if (const PtxBinding* binding = named(part)) return "(" + binding->expression + ")";
    return local(part);
  }
  std::string destination(std::size_t i) {
    if (i >= s_.operands.size() || s_.operands[i].is_list) return refuse();
    return destination(s_.operands[i].parts[0]);
  }

  std::string sources(std::size_t first) {
    std::string text;
    for (std::size_t i = first; i < s_.operands.size(); ++i) {
      text += (i > first ? ", " : "") + source(s_.operands[i]);
    }
    return text;
  }

  // {a, b} as an array of words.
  std::string words(std::size_t i, const char* type) {
    std::string text = std::string("::simt::ptx::Array<") + type + ", ";
    if (i >= s_.operands.size()) return refuse();
    const auto& parts = s_.operands[i].parts;
    text += std::to_string(parts.size()) + ">{";
    for (std::size_t p = 0; p < parts.size(); ++p) {
      text += (p > 0 ? ", " : "") + std::string("::simt::ptx::as<") + type + ">(" +
              source(parts[p]) + ")";
    }
    return text + "}";
  }
  // The first operand's parts take what the call gives, an array.
  std::string spread(const std::string& call) {
    if (s_.operands.empty()) return refuse();
    std::string text = "({ const auto simt_ptx_out = " + call + ";";
    const auto& parts = s_.operands[0].parts;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      text += " ::simt::ptx::put(" + destination(parts[p]) + ", simt_ptx_out[" + std::to_string(p) +
              "]);";
    }
    return text + " })";
  }

  bool has_word(std::string_view word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
  }

  const PtxStatement& s_;
  PtxScope& scope_;
  std::vector<std::string> words_;
  bool unknown_ = false;
};

// Each gives the C++ for one statement; empty if it is not known.
std::string emit_arithmetic(PtxWriter& writer);       // arithmetic.cpp
std::string emit_async(PtxWriter& writer);            // async.cpp: mbarriers, bulk copies, wgmma
std::string emit_memory(PtxWriter& writer);           // memory.cpp: ld and st
std::string emit_atomic(PtxWriter& writer);           // memory.cpp: atom and red
std::string emit_convert(PtxWriter& writer);          // convert.cpp: cvt
std::string emit_convert_address(PtxWriter& writer);  // convert.cpp: cvta
std::string emit_is_space(PtxWriter& writer);         // convert.cpp: isspacep
std::string emit_video(PtxWriter& writer);            // video.cpp

}  // namespace simt::cc
