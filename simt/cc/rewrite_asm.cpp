// Inline PTX. The instructions in the table and reads of special registers become calls; what is left
// goes to ptx_block.cpp, and what that does not know is refused by name, because a program that silently computes something else
// is worse than one that does not build.

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "ptx_block.h"
#include "rewrite.h"

namespace simt::cc {
namespace {

// To add an instruction: a line here, and its function in simt/ptx.h unless there is one. The
// function gets the operands in order, without the destination where there is a result.
struct Instruction {
  const char* opcode;
  const char* function;
  bool has_result;
};

constexpr Instruction instructions[] = {
    {"ex2.approx.f32", "ptx::ex2_approx", true},
    {"ex2.approx.ftz.f32", "ptx::ex2_approx_ftz", true},
    {"lg2.approx.f32", "ptx::lg2_approx", true},
    {"lg2.approx.ftz.f32", "ptx::lg2_approx_ftz", true},
    {"rcp.approx.f32", "ptx::rcp_approx", true},
    {"rcp.approx.ftz.f32", "ptx::rcp_approx_ftz", true},
    {"rsqrt.approx.f32", "ptx::rsqrt_approx", true},
    {"rsqrt.approx.ftz.f32", "ptx::rsqrt_approx_ftz", true},
    {"sqrt.approx.f32", "ptx::sqrt_approx", true},
    {"sqrt.approx.ftz.f32", "ptx::sqrt_approx_ftz", true},
    {"tanh.approx.f32", "ptx::tanh_approx", true},
    {"fma.rn.f32", "ptx::fma_rn", true},
    {"fma.rn.ftz.f32", "ptx::fma_rn_ftz", true},
    {"max.f32", "ptx::max", true},
    {"min.f32", "ptx::min", true},
    {"max.NaN.f32", "ptx::max_nan", true},
    {"min.NaN.f32", "ptx::min_nan", true},
    {"trap", "ptx::trap", false},
    {"membar.gl", "ptx::membar", false},
    {"membar.cta", "ptx::membar", false},
    {"membar.sys", "ptx::membar", false},
    {"fence.acq_rel.gpu", "ptx::membar", false},
    {"fence.acq_rel.cta", "ptx::membar", false},
    {"fence.sc.gpu", "ptx::membar", false},
    {"fence.sc.cta", "ptx::membar", false},
    {"fence.acq_rel.sys", "ptx::membar", false},
    {"fence.sc.sys", "ptx::membar", false},
    {"bar.sync", "ptx::bar_sync", false},
    {"barrier.sync", "ptx::bar_sync", false},
    {"barrier.cta.sync", "ptx::bar_sync", false},
    {"bar.arrive", "ptx::bar_arrive", false},
    {"barrier.arrive", "ptx::bar_arrive", false},
    {"barrier.cta.arrive", "ptx::bar_arrive", false},
    {"barrier.cluster.arrive", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.aligned", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.release", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.release.aligned", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.relaxed", "ptx::cluster_arrive", false},
    {"barrier.cluster.arrive.relaxed.aligned", "ptx::cluster_arrive", false},
    {"barrier.cluster.wait", "ptx::cluster_wait", false},
    {"barrier.cluster.wait.aligned", "ptx::cluster_wait", false},
    {"barrier.cluster.wait.acquire", "ptx::cluster_wait", false},
    {"barrier.cluster.wait.acquire.aligned", "ptx::cluster_wait", false},
    {"cp.async.ca.shared.global", "ptx::cp_async", false},
    {"cp.async.cg.shared.global", "ptx::cp_async", false},
    {"cp.async.ca.shared::cta.global", "ptx::cp_async", false},
    {"cp.async.cg.shared::cta.global", "ptx::cp_async", false},
    {"cp.async.commit_group", "async_commit", false},
    {"cp.async.wait_group", "async_wait", false},
    {"cp.async.wait_all", "async_wait_all", false},
};

// Read by `mov.TYPE %0, %%NAME;`. The functions in simt/special.h have '_' for the dots.
constexpr const char* special_registers[] = {"laneid",
                                             "warpid",
                                             "nwarpid",
                                             "smid",
                                             "nsmid",
                                             "gridid",
                                             "lanemask_eq",
                                             "lanemask_lt",
                                             "lanemask_le",
                                             "lanemask_gt",
                                             "lanemask_ge",
                                             "clock",
                                             "clock64",
                                             "globaltimer",
                                             "tid.x",
                                             "tid.y",
                                             "tid.z",
                                             "ntid.x",
                                             "ntid.y",
                                             "ntid.z",
                                             "ctaid.x",
                                             "ctaid.y",
                                             "ctaid.z",
                                             "nctaid.x",
                                             "nctaid.y",
                                             "nctaid.z",
                                             "clusterid.x",
                                             "clusterid.y",
                                             "clusterid.z",
                                             "nclusterid.x",
                                             "nclusterid.y",
                                             "nclusterid.z",
                                             "cluster_ctaid.x",
                                             "cluster_ctaid.y",
                                             "cluster_ctaid.z",
                                             "cluster_nctaid.x",
                                             "cluster_nctaid.y",
                                             "cluster_nctaid.z",
                                             "cluster_ctarank",
                                             "cluster_nctarank"};

constexpr const char* register_moves[] = {"mov.u32", "mov.b32", "mov.s32", "mov.u64", "mov.b64"};

template <std::size_t N>
bool contains(const char* const (&list)[N], const std::string& text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

std::string unquote(std::string_view literal) {
  const std::size_t first = literal.find('"');
  if (first == std::string_view::npos || literal.size() < first + 2) return "";
  std::string out;
  for (std::size_t i = first + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) {
      ++i;
      out += literal[i] == 'n' || literal[i] == 't' ? ' ' : literal[i];
    } else {
      out += literal[i];
    }
  }
  return out;
}

std::string squeeze(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// "op.type a, [b], c;" taken apart.
struct Statement {
  std::string opcode;
  std::vector<std::string> operands;
};

Statement parse(std::string text) {
  while (!text.empty() && (text.back() == ';' || text.back() == ' ')) text.pop_back();
  Statement statement;
  const std::size_t space = text.find(' ');
  statement.opcode = text.substr(0, space);
  if (space == std::string::npos) return statement;
  statement.operands.emplace_back();
  for (const char c : text.substr(space)) {
    if (c == ',') {
      statement.operands.emplace_back();
    } else if (c != ' ') {
      statement.operands.back() += c;
    }
  }
  return statement;
}

// The operands behind the text of an asm, outputs and inputs in order.
std::vector<Binding> bindings_of(const Source& s, Index i, Index close) {
  std::vector<Binding> all;
  while (i < close) {
    if (s[i].kind == Kind::string && s.is(i + 1, '(') && s.match(i + 1) != none) {
      const Index end = s.match(i + 1);
      all.push_back({unquote(s.text(i)), s.flat_text({i + 2, end})});
      i = end;
    }
    ++i;
  }
  return all;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The binding that "%0" names; null if the operand is something else.
const Binding* named(const std::string& operand, const std::vector<Binding>& bindings) {
  if (operand.size() < 2 || operand[0] != '%' || !is_number(operand.substr(1))) return nullptr;
  const std::size_t index = std::stoul(operand.substr(1));
  return index < bindings.size() ? &bindings[index] : nullptr;
}

// The C++ for a source operand: %0, [%0] or a number. Empty if it is none of these.
std::string source_operand(std::string operand, const std::vector<Binding>& bindings) {
  if (operand.size() > 2 && operand.front() == '[' && operand.back() == ']') {
    operand = operand.substr(1, operand.size() - 2);
  }
  if (is_number(operand)) return operand;
  const Binding* binding = named(operand, bindings);
  if (binding == nullptr) return "";
  const bool wide = binding->constraint.find('l') != std::string::npos;
  return (wide ? "::simt::ptx::wide(" : "(") + binding->expression + ")";
}

// The C++ for a statement, empty if it is not known.
std::string translate(const Statement& statement, const std::vector<Binding>& bindings) {
  const std::vector<std::string>& operands = statement.operands;
  if (contains(register_moves, statement.opcode)) {
    if (operands.size() != 2 || operands[1].rfind("%%", 0) != 0) return "";
    std::string name = operands[1].substr(2);
    const Binding* destination = named(operands[0], bindings);
    if (destination == nullptr || !contains(special_registers, name)) return "";
    std::replace(name.begin(), name.end(), '.', '_');
    return "(" + destination->expression + ") = ::simt::special::" + name + "()";
  }
  const auto known =
      std::find_if(std::begin(instructions), std::end(instructions),
                   [&](const Instruction& i) { return i.opcode == statement.opcode; });
  if (known == std::end(instructions)) return "";
  std::string call;
  std::size_t first = 0;
  if (known->has_result) {
    const Binding* destination = operands.empty() ? nullptr : named(operands[0], bindings);
    if (destination == nullptr) return "";
    call = "(" + destination->expression + ") = ";
    first = 1;
  }
  call += std::string("::simt::") + known->function + "(";
  for (std::size_t i = first; i < operands.size(); ++i) {
    const std::string operand = source_operand(operands[i], bindings);
    if (operand.empty()) return "";
    call += (i > first ? ", " : "") + operand;
  }
  return call + ")";
}

}  // namespace

const char* table_function(const std::string& opcode, bool& has_result) {
  for (const Instruction& i : instructions) {
    if (i.opcode != opcode) continue;
    has_result = i.has_result;
    return i.function;
  }
  return nullptr;
}

bool is_special_register(const std::string& name) {
  return contains(special_registers, name);
}

void rewrite_asm(Source& s, Index at) {
  Index open = at + 1;
  while (s.is_name(open)) ++open;  // volatile, inline, goto
  const Index close = s.match(open);
  if (!s.is(open, '(') || close == none) return;
  std::string text;
  Index i = open + 1;
  for (; s[i].kind == Kind::string; ++i) text += unquote(s.text(i));
  text = squeeze(text);
  if (text.empty()) return;  // a barrier for the compiler only
  const std::vector<Binding> bindings = bindings_of(s, i, close);
  std::string call = translate(parse(text), bindings), unknown = text;
  if (call.empty()) call = translate_ptx(text, bindings, unknown);
  if (call.empty()) {
    s.error(at, "inline PTX is not supported yet: " + unknown);
  } else {
    s.replace(at, close, call);
  }
}

}  // namespace simt::cc
