#include "arithmetic.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "source.h"

namespace simt::xray {
namespace {

struct Price {
  std::string_view name;
  double accurate,
      fast;  // instructions of a warp; fast: the intrinsic, by the special function unit
};
// What CUDA's functions take, about; one for double takes several times as many.
constexpr Price functions[] = {
    {"exp", 9, 3},     {"exp2", 5, 2},    {"exp10", 10, 4},  {"expm1", 20, 20}, {"log", 14, 3},
    {"log2", 12, 2},   {"log10", 15, 4},  {"log1p", 25, 25}, {"sin", 24, 2},    {"cos", 24, 2},
    {"sincos", 36, 4}, {"tan", 36, 6},    {"tanh", 20, 1},   {"erf", 28, 28},   {"erfc", 36, 36},
    {"pow", 55, 6},    {"cbrt", 18, 18},  {"sqrt", 9, 2},    {"rsqrt", 4, 2},   {"fmod", 40, 40},
    {"atan", 22, 22},  {"atan2", 40, 40}, {"sinh", 24, 24},  {"cosh", 24, 24},  {"fma", 1, 1},
    {"floor", 1, 1},   {"ceil", 1, 1},    {"round", 3, 3},   {"rint", 1, 1},    {"nearbyint", 1, 1},
    {"trunc", 1, 1},   {"lrint", 1, 1},   {"fmin", 1, 1},    {"fmax", 1, 1},    {"ldexp", 4, 4},
};
constexpr Price divide_float{"", 10, 2}, divide_double{"", 24, 24}, root_float{"", 9, 2},
    root_double{"", 24, 24};
constexpr Price one_instruction{"", 1, 1};
constexpr double double_function = 5;  // times as many
constexpr double double_operation =
    2;  // half the units of float, on the GPUs that have most of them
constexpr double divide_int = 20, divide_long = 28;  // a long one first looks whether 32 bits do

struct Block {
  double products = 0, sums = 0;  // of floats: a product and a sum make one FMA
  double others = 0;
  struct Call {           // and divisions and roots: what takes several instructions
    unsigned long after;  // the address of the next instruction
    const Price* price;
    double times;
  };
  std::vector<Call> calls;
  struct Plain {  // any other instruction of arithmetic
    unsigned long after;
    double price;
    bool is_half_fma;
  };
  std::vector<Plain> plain;

  double halves() const { return products + sums; }
};
using Blocks = std::map<unsigned long, Block>;  // by where their first callback returns to

// What ends a piece of straight code: a jump that some lanes take, one that all take, or anything that is none.
struct End {
  enum { branch, jump, other } kind = other;
  unsigned long to = 0;  // of a branch: the instruction after it; of a jump: its target
};

struct Code {
  Blocks blocks;
  std::map<unsigned long, End> ends;

  // What follows the branch to which the code at `at` leads; 0: another block comes first, or the function returns.
  unsigned long branch_after(unsigned long at) const {
    for (int jumps = 0; jumps < 4; ++jumps) {
      const auto end = ends.lower_bound(at);
      if (end == ends.end() || end->second.kind == End::other) return 0;
      if (end->second.kind == End::branch) return end->second.to;
      at = end->second.to;
    }
    return 0;
  }
};

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// An instruction without its size: xorl, xorq -> xor; empty for what is left out. Sums, comparisons, masks and addresses
// of integers are: nearly all of them count loops and find elements, which nvcc unrolls and folds into the accesses.
std::string_view stem_of(std::string_view name) {
  static constexpr std::string_view stems[] = {"or", "xor", "not", "shr", "rol", "ror"};
  for (const std::string_view stem : stems)
    if (name == stem || (name.size() == stem.size() + 1 && name.starts_with(stem) &&
                         std::strchr("bwlq", name.back()) != nullptr))
      return stem;
  return "";
}

void take_call(Block& b, std::string_view target) {
  target = target.substr(0, target.find_first_of("@>"));
  for (const std::string_view name : {"max_number", "min_number"})  // of simt/math_standard.h
    if (target.find(name) != target.npos) return b.calls.push_back({0, &one_instruction, 1});
  for (double times : {1.0, double_function}) {
    // expf is float's; exp is double's, and __exp_finite what some libraries call it.
    std::string_view name = target;
    if (times == 1.0) {
      if (!name.ends_with('f')) continue;
      name.remove_suffix(1);
    }
    for (const Price& p : functions)
      if (p.name == name) {
        b.calls.push_back({0, &p, times});
        return;
      }
  }
}

// Whether its last operand is a register of 64 bits: %rax, %r12, but neither %eax nor %r12d.
bool is_wide(std::string_view operands) {
  const std::string_view last = operands.substr(operands.rfind(',') + 1);
  return last.starts_with("%r") && std::strchr("dwb", last.back()) == nullptr;
}

void take(Block& b, std::string_view name, std::string_view operands) {
  // Scalar and packed; "v": the same in AVX.
  const std::string_view plain = name.starts_with('v') ? name.substr(1) : name;
  const bool is_double = plain.ends_with("sd") || plain.ends_with("pd");
  if (is_double || plain.ends_with("ss") || plain.ends_with("ps")) {
    const std::string_view what = plain.substr(0, plain.size() - 2);
    const double each = is_double ? double_operation : 1;
    if (what == "mul")
      b.products += each;
    else if (is_any(what, {"add", "sub"}))
      b.sums += each;
    else if (what.starts_with("fmadd") || what.starts_with("fmsub") || what.starts_with("fnmadd"))
      b.others += each;
    else if (what == "div")
      b.calls.push_back({0, is_double ? &divide_double : &divide_float, 1});
    else if (what == "sqrt")
      b.calls.push_back({0, is_double ? &root_double : &root_float, 1});
    else if (is_any(what, {"min", "max", "ucomi", "comi", "cmp"}) || what.starts_with("cvt"))
      b.others += each;
    return;
  }
  if (plain.starts_with("cvt")) {
    b.others += 1;
    return;
  }
  if (is_any(name, {"imul", "imull", "imulq", "mul", "mull", "mulq"})) {
    b.others += is_wide(operands) ? 3 : 1;
    return;
  }
  if (is_any(name, {"idiv", "div", "idivl", "divl", "idivq", "divq"})) {
    b.others += name.back() == 'q' || is_wide(operands) ? divide_long : divide_int;
    return;
  }
  const std::string_view stem = stem_of(name);
  if (stem.empty()) return;
  if (operands.find("%rsp") != operands.npos) return;  // room on the stack
  if (stem == "xor") {                                 // with itself: a zero
    const auto comma = operands.find(',');
    if (comma != operands.npos && operands.substr(0, comma) == operands.substr(comma + 1)) return;
  }
  b.others += 1;
}

// "    7417:	call   3420 <tanhf@plt>"
struct Instruction {
  unsigned long at;
  std::string_view name, operands;
};
bool parse(std::string_view text, Instruction& into) {
  const auto tab = text.find(":\t");
  if (tab == text.npos) return false;
  char* end = nullptr;
  into.at = std::strtoul(std::string(text.substr(0, tab)).c_str(), &end, 16);
  text.remove_prefix(tab + 2);
  text = text.substr(0, text.find_last_not_of(" \n") + 1);
  const auto blank = text.find(' ');
  into.name = text.substr(0, blank);
  into.operands = blank == text.npos ? "" : text.substr(text.find_first_not_of(' ', blank));
  return end != nullptr && into.at != 0;
}

// Nothing: it does not end one.
std::optional<End> end_of(const Instruction& i, std::string_view target) {
  const bool indirect = i.operands.find('*') != i.operands.npos;  // a switch
  if (i.name == "call") {
    if (!target.starts_with("__sanitizer_cov_")) return {};  // a block begins
    return End{End::other, 0};
  }
  if (is_any(i.name, {"ret", "ud2"})) return End{End::other, 0};
  if (i.name == "jmp" && !indirect)
    return End{End::jump, std::strtoul(std::string(i.operands).c_str(), nullptr, 16)};
  if (i.name.starts_with('j') || (i.name == "notrack" && indirect)) return End{End::branch, 0};
  return {};
}

Code read(std::FILE* pipe) {
  Code code;
  Blocks& blocks = code.blocks;
  Block* now = nullptr;
  bool begins = false;  // after a callback: the next address names the block
  unsigned long *returns = nullptr, *follows = nullptr;
  char text[4096];
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    Instruction i;
    if (!parse(text, i)) {
      now = nullptr;  // another function
      continue;
    }
    if (returns != nullptr) *returns = i.at;
    if (follows != nullptr) *follows = i.at;
    returns = follows = nullptr;
    if (begins) now = &blocks[i.at];
    begins = false;
    const auto open = i.operands.find('<');
    const std::string_view target = open == i.operands.npos ? "" : i.operands.substr(open + 1);
    if (const std::optional<End> end = end_of(i, target)) {
      End& kept = code.ends[i.at] = *end;
      if (kept.kind == End::branch) follows = &kept.to;
    }
    if (i.name == "call") {
      if (target.starts_with("__sanitizer_cov_trace_pc")) {
        begins = true;
      } else if (now != nullptr) {
        const std::size_t before = now->calls.size();
        take_call(*now, target);
        if (now->calls.size() > before) returns = &now->calls.back().after;
      }
      continue;
    }
    if (now == nullptr) continue;
    if (is_any(i.name, {"jmp", "ret", "ud2"})) {
      now = nullptr;  // what follows is reached otherwise, and then has a callback of its own
      continue;
    }
    const std::size_t before = now->calls.size();
    const double halves = now->halves(), others = now->others;
    take(*now, i.name, i.operands);
    if (now->calls.size() > before) returns = &now->calls.back().after;
    if (const double price = now->halves() - halves + now->others - others; price > 0) {
      now->plain.push_back({0, price, now->halves() > halves});
      returns = &now->plain.back().after;
    }
  }
  return code;
}

// Functions that stand in simt's headers of intrinsics are the fast ones.
bool is_fast(const Frames& frames) {
  for (const Line& l : frames)
    for (const char* header : {"/simt/math_fast.h", "/simt/ptx_"})
      if (l.file.find(header) != l.file.npos) return true;
  return false;
}

}  // namespace

CodeFacts read_code(const std::vector<const void*>& at) {
  struct Module {
    const char* base = nullptr;
    std::vector<const void*> begins;

    unsigned long offset(const void* pc) const {
      return static_cast<unsigned long>(static_cast<const char*>(pc) - base);
    }
  };
  std::map<std::string, Module> modules;
  for (const void* pc : std::set<const void*>(at.begin(), at.end())) {
    Dl_info info;
    if (pc == nullptr || dladdr(pc, &info) == 0 || info.dli_fname == nullptr) continue;
    Module& m = modules[module_file(info.dli_fname)];
    m.base = static_cast<const char*>(info.dli_fbase);
    m.begins.push_back(pc);
  }
  CodeFacts found;
  for (const auto& [file, m] : modules) {
    const auto [low, high] = std::minmax_element(m.begins.begin(), m.begins.end());
    char range[128];
    constexpr unsigned long last_block = 8192;  // bytes that may follow its beginning
    std::snprintf(range, sizeof range, " --start-address=0x%lx --stop-address=0x%lx ",
                  m.offset(*low) - 5, m.offset(*high) + last_block);
    std::FILE* pipe =
        popen(("objdump -d --no-show-raw-insn" + std::string(range) + quoted(file) + " 2>/dev/null")
                  .c_str(),
              "r");
    if (pipe == nullptr) continue;
    const Code code = read(pipe);
    pclose(pipe);
    std::vector<const void*> calls;
    for (const void* pc : m.begins)
      if (const auto b = code.blocks.find(m.offset(pc)); b != code.blocks.end())
        for (const Block::Call& c : b->second.calls) calls.push_back(m.base + c.after);
    const auto lines = find_lines(calls);
    for (const void* pc : m.begins) {
      if (const unsigned long after = code.branch_after(m.offset(pc)); after != 0)
        found.branch[pc] = m.base + after;
      const auto b = code.blocks.find(m.offset(pc));
      if (b == code.blocks.end()) continue;
      Arithmetic& sum = found.arithmetic[pc];
      const Block& block = b->second;
      // A product and a sum share one FMA.
      const double of_halves =
          block.halves() > 0 ? std::max(block.products, block.sums) / block.halves() : 0;
      for (const Block::Plain& p : block.plain)
        sum.parts.push_back({m.base + p.after, p.price * (p.is_half_fma ? of_halves : 1)});
      for (const Block::Call& c : block.calls) {
        const auto line = lines.find(m.base + c.after);
        const bool fast = line != lines.end() && is_fast(line->second);
        sum.parts.push_back({m.base + c.after, fast ? c.price->fast : c.times * c.price->accurate});
      }
      for (const Arithmetic::Part& p : sum.parts) sum.instructions += p.instructions;
    }
  }
  return found;
}

}  // namespace simt::xray
