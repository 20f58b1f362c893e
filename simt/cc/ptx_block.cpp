#include "ptx_block.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace simt::cc {
namespace {

// The C++ type of a PTX type; empty if there is none.
std::string type_of(const std::string& ptx) {
  static const struct {
    const char *ptx, *type;
  } types[] = {{"u8", "unsigned char"}, {"s8", "signed char"},
               {"b8", "unsigned char"}, {"u16", "unsigned short"},
               {"s16", "short"},        {"b16", "unsigned short"},
               {"u32", "unsigned"},     {"s32", "int"},
               {"b32", "unsigned"},     {"u64", "unsigned long long"},
               {"s64", "long long"},    {"b64", "unsigned long long"},
               {"f32", "float"},        {"f64", "double"},
               {"pred", "bool"}};
  for (const auto& t : types) {
    if (ptx == t.ptx) return t.type;
  }
  return "";
}

// Operations whose arguments and result have the type of the opcode's last part: simt::ptx::op_NAME.
const std::set<std::string> plain_operations = {
    "add", "sub", "mul.lo", "mul.hi", "mad.lo", "mad.hi", "div", "rem",
    "min", "max", "and",    "or",     "xor",    "not",    "neg", "abs",
    "shl", "shr", "bfe",    "bfi",    "sad",    "mul",    "fma", "sqrt"};
// Those whose result is an unsigned number of 32 bits.
const std::set<std::string> counting = {"popc", "clz", "bfind", "brev", "prmt", "lop3"};
// Parts that say how to round or where a value is kept: no difference here.
const std::set<std::string> shades = {"rn",       "rz",       "rm",
                                      "rp",       "rni",      "rzi",
                                      "rmi",      "rpi",      "ftz",
                                      "approx",   "full",     "uni",
                                      "nc",       "ca",       "cg",
                                      "cs",       "lu",       "cv",
                                      "wb",       "wt",       "volatile",
                                      "relaxed",  "weak",     "gpu",
                                      "cta",      "sys",      "L1::no_allocate",
                                      "acquire",  "release",  "L1::evict_last",
                                      "L2::128B", "L2::256B", "L2::64B"};

std::vector<std::string> parts_of(const std::string& opcode) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at <= opcode.size()) {
    const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
    parts.push_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// At commas outside of brackets.
std::vector<std::string> operands_of(const std::string& text) {
  std::vector<std::string> operands;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (operands.empty()) operands.emplace_back();
    if (c == ',' && depth == 0) {
      operands.emplace_back();
    } else {
      operands.back() += c;
    }
  }
  for (std::string& operand : operands) operand = trimmed(operand);
  return operands;
}

class Block {
 public:
  explicit Block(const std::vector<Binding>& bindings) : bindings_(bindings) {}

  std::string run(const std::string& text, std::string& unknown) {
    std::size_t at = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '{' || c == '}') {  // a scope: operands with braces come after an opcode
        out_ += c == '{' ? "{ " : "} ";
        ++at;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';') {
        ++at;
      } else {
        const std::size_t end = std::min(text.find(';', at), text.size());
        const std::string one = trimmed(text.substr(at, end - at));
        if (!statement(one)) {
          unknown = one + ";";
          return "";
        }
        at = end + 1;
      }
    }
    return "do { [[maybe_unused]] bool simt_carry = false; " + out_ + "} while (0)";
  }

 private:
  // One binding, register, number or special register as an expression; empty if it is none.
  std::string value(const std::string& operand) const {
    if (operand.empty()) return "";
    if (operand.rfind("%%", 0) == 0) {
      std::string name = operand.substr(2);
      if (registers_.count("%" + name) != 0) return variable("%" + name);
      if (!is_special_register(name)) return "";
      std::replace(name.begin(), name.end(), '.', '_');
      return "::simt::special::" + name + "()";
    }
    if (registers_.count(operand) != 0) return variable(operand);
    if (operand[0] == '%') {
      if (operand.size() > 5 || operand.find_first_not_of("0123456789", 1) != std::string::npos ||
          operand.size() == 1) {
        return "";
      }
      const std::size_t index = std::stoul(operand.substr(1));
      return index < bindings_.size() ? "(" + bindings_[index].expression + ")" : "";
    }
    return number(operand);
  }

  static std::string number(const std::string& text) {
    const bool real = text.size() == 10 && (text.rfind("0f", 0) == 0 || text.rfind("0F", 0) == 0);
    const bool wide = text.size() == 18 && (text.rfind("0d", 0) == 0 || text.rfind("0D", 0) == 0);
    if (real) return "__uint_as_float(0x" + text.substr(2) + "u)";
    if (wide) return "__longlong_as_double(0x" + text.substr(2) + "ll)";
    const std::size_t first = text[0] == '-' ? 1 : 0;
    if (first == text.size() || std::isdigit(static_cast<unsigned char>(text[first])) == 0)
      return "";
    if (text.find_first_not_of("0123456789abcdefABCDEFxXU.", first) != std::string::npos) return "";
    return text;
  }

  static std::string variable(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; },
        '_');
    return "simt_r" + name;
  }

  std::string as(const std::string& type, const std::string& operand) const {
    const std::string v = value(operand);
    return v.empty() ? "" : "::simt::ptx::as<" + type + ">(" + v + ")";
  }

  bool assign(const std::string& operand, const std::string& what) {
    const std::string to = value(operand);
    if (to.empty() || what.empty()) return false;
    out_ += "::simt::ptx::assign(" + to + ", " + what + "); ";
    return true;
  }

  bool declare(const std::vector<std::string>& words) {
    // .reg .u32 a, b;
    if (words.size() < 2) return false;
    const std::string type = type_of(words[0].substr(1));
    if (type.empty()) return false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].find('<') != std::string::npos) return false;
      const std::string name = words[i].rfind("%%", 0) == 0 ? words[i].substr(1) : words[i];
      registers_.insert(name);
      out_ += "[[maybe_unused]] " + type + " " + variable(name) + " = {}; ";
    }
    return true;
  }

  bool statement(const std::string& text) {
    std::string rest = text;
    if (rest.rfind(".reg", 0) == 0) {
      std::replace(rest.begin(), rest.end(), ',', ' ');
      std::vector<std::string> words;
      for (std::size_t at = 4; at < rest.size();) {
        const std::size_t end = std::min(rest.find(' ', at), rest.size());
        if (end > at) words.push_back(rest.substr(at, end - at));
        at = end + 1;
      }
      return declare(words);
    }
    if (rest[0] == '@') {
      const std::size_t space = rest.find(' ');
      if (space == std::string::npos) return false;
      const bool negated = rest[1] == '!';
      const std::string guard = value(rest.substr(negated ? 2 : 1, space - (negated ? 2 : 1)));
      if (guard.empty()) return false;
      out_ += std::string("if (") + (negated ? "!" : "") + guard + ") ";
      rest = trimmed(rest.substr(space));
    }
    const std::size_t space = std::min(rest.find(' '), rest.size());
    out_ += "{ ";
    const bool known = instruction(rest.substr(0, space), operands_of(rest.substr(space)));
    out_ += "} ";
    return known;
  }

  bool instruction(const std::string& opcode, const std::vector<std::string>& o) {
    bool has_result = false;
    if (const char* function = table_function(opcode, has_result)) {
      std::string call = std::string("::simt::") + function + "(";
      for (std::size_t i = has_result; i < o.size(); ++i) {
        const bool bracketed = o[i].size() > 2 && o[i][0] == '[';
        const std::string v = value(bracketed ? o[i].substr(1, o[i].size() - 2) : o[i]);
        if (v.empty()) return false;
        call += (i > (has_result ? 1u : 0u) ? ", " : "") + v;
      }
      call += ")";
      if (has_result) return !o.empty() && assign(o[0], call);
      out_ += call + "; ";
      return true;
    }
    std::vector<std::string> parts = parts_of(opcode);
    const std::string base = parts[0];
    parts.erase(std::remove_if(parts.begin() + 1, parts.end(),
                               [](const std::string& p) { return shades.count(p) != 0; }),
                parts.end());
    const std::string type = type_of(parts.back());
    if (type.empty() || o.empty()) return false;
    if (base == "mov") return move(type, o);
    if (base == "ld" || base == "st" || base == "ldu") return memory(base != "st", parts, o);
    if (base == "cvta") return convert_address(opcode, o);
    if (base == "cvt" && parts.size() == 3 && o.size() == 2) {
      return assign(o[0],
                    "::simt::ptx::as_number<" + type_of(parts[1]) + ">(" + as(type, o[1]) + ")");
    }
    if (base == "setp" && parts.size() == 3 && o.size() == 3) return compare(parts[1], type, o);
    if (base == "selp" && o.size() == 4) {
      return assign(o[0], value(o[3]) + " ? " + as(type, o[1]) + " : " + as(type, o[2]));
    }
    if ((base == "mul" || base == "mad") && parts.size() == 3 && parts[1] == "wide") {
      return apply(base + "_wide", type, o);
    }
    if (base == "add" || base == "sub" || base == "addc" || base == "subc") {
      const bool carries = parts.size() == 3 && parts[1] == "cc";
      if (carries || base.size() == 4) return with_carry(base, type, o);
    }
    std::string name = base;
    if (parts.size() == 3) name += "." + parts[1];
    if (counting.count(base) != 0 || (plain_operations.count(name) != 0 && parts.size() <= 3)) {
      std::replace(name.begin(), name.end(), '.', '_');
      return apply(counting.count(base) != 0 ? base : name, type, o);
    }
    return false;
  }

  bool apply(const std::string& name, const std::string& type, const std::vector<std::string>& o) {
    std::string call = "::simt::ptx::op_" + name + "<" + type + ">(";
    for (std::size_t i = 1; i < o.size(); ++i) {
      const std::string v = value(o[i]);
      if (v.empty()) return false;
      call += (i > 1 ? ", " : "") + v;
    }
    return assign(o[0], call + ")");
  }

  bool with_carry(const std::string& base, const std::string& type,
                  const std::vector<std::string>& o) {
    if (o.size() != 3) return false;
    const std::string a = as(type, o[1]), b = as(type, o[2]);
    if (a.empty() || b.empty()) return false;
    const char* const in = base.size() == 4 ? "simt_carry" : "false";
    return assign(o[0], "::simt::ptx::" + base.substr(0, 3) + "_carry(" + a + ", " + b + ", " + in +
                            ", simt_carry)");
  }

  bool move(const std::string& type, const std::vector<std::string>& o) {
    if (o.size() != 2) return false;
    const bool apart = o[0][0] == '{';
    if (!apart && o[1][0] != '{') return assign(o[0], as(type, o[1]));
    const std::string& list = apart ? o[0] : o[1];
    const std::vector<std::string> halves = operands_of(list.substr(1, list.size() - 2));
    if (halves.size() != 2) return false;
    const std::string half = type == "unsigned" ? "unsigned short" : "unsigned";
    if (!apart) {
      const std::string low = as(half, halves[0]), high = as(half, halves[1]);
      if (low.empty() || high.empty()) return false;
      return assign(o[0], "::simt::ptx::join<" + type + ">(" + low + ", " + high + ")");
    }
    const std::string whole = as(type, o[1]);
    if (whole.empty()) return false;
    return assign(halves[0], "static_cast<" + half + ">(" + whole + ")") &&
           assign(halves[1],
                  "static_cast<" + half + ">(" + whole + " >> 8 * sizeof(" + half + "))");
  }

  bool memory(bool load, const std::vector<std::string>& parts, const std::vector<std::string>& o) {
    if (o.size() != 2) return false;
    const std::string type = type_of(parts.back());
    const std::string& place = o[load ? 1 : 0];
    const std::string& data = o[load ? 0 : 1];
    if (place.size() < 3 || place[0] != '[' || place.back() != ']') return false;
    const std::string inside = place.substr(1, place.size() - 2);
    const std::size_t plus = inside.find('+');
    const std::string base = value(trimmed(inside.substr(0, plus)));
    const std::string offset =
        plus == std::string::npos ? "0" : number(trimmed(inside.substr(plus + 1)));
    if (base.empty() || offset.empty()) return false;
    const bool shared = std::any_of(parts.begin(), parts.end(),
                                    [](const std::string& p) { return p.rfind("shared", 0) == 0; });
    const std::string pointer = std::string("::simt::ptx::") + (shared ? "shared" : "global") +
                                "_address<" + type + ">(" + base + ", " + offset + ")";
    std::vector<std::string> elements = {data};
    if (data[0] == '{') elements = operands_of(data.substr(1, data.size() - 2));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::string element = pointer + "[" + std::to_string(i) + "]";
      if (load) {
        if (!assign(elements[i], "::simt::ptx::read(" + element + ")")) return false;
      } else {
        const std::string v = as(type, elements[i]);
        if (v.empty()) return false;
        out_ += element + " = " + v + "; ";
      }
    }
    return true;
  }

  bool convert_address(const std::string& opcode, const std::vector<std::string>& o) {
    if (o.size() != 2) return false;
    const std::string v = value(o[1]);
    if (v.empty()) return false;
    if (opcode.find("shared") == std::string::npos) return assign(o[0], v);
    return assign(o[0], opcode.find(".to.") != std::string::npos
                            ? "::simt::ptx::to_shared(" + v + ")"
                            : "::simt::ptx::from_shared(" + v + ")");
  }

  bool compare(const std::string& how, const std::string& type, const std::vector<std::string>& o) {
    static const struct {
      const char *ptx, *op;
    } signs[] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
                 {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
    const std::string a = as(type, o[1]), b = as(type, o[2]);
    if (a.empty() || b.empty()) return false;
    for (const auto& sign : signs) {
      if (how == sign.ptx) return assign(o[0], a + " " + sign.op + " " + b);
    }
    return false;
  }

  const std::vector<Binding>& bindings_;
  std::set<std::string> registers_;
  std::string out_;
};

}  // namespace

std::string translate_ptx(const std::string& text, const std::vector<Binding>& bindings,
                          std::string& unknown) {
  return Block(bindings).run(text, unknown);
}

}  // namespace simt::cc
