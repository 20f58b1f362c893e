// Which values of a kernel never change, and which are uniform: the same for all threads of a
// block.

#include <algorithm>
#include <unordered_set>

#include "split/variables.h"

namespace simt::cc {
namespace {

// Names that may stand in a value that is computed again.
bool is_plain_word(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "int",   "unsigned", "signed",   "long",        "short",    "char",    "bool",
      "float", "double",   "const",    "static_cast", "sizeof",   "true",    "false",
      "void",  "typename", "blockIdx", "blockDim",    "gridDim",  "x",       "y",
      "z",     "alignof",  "size_t",   "warpSize",    "uint32_t", "int32_t", "reinterpret_cast"};
  return words.count(word) != 0;
}

bool is_pure_function(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "min",         "max",          "this_thread_block",
      "thread_rank", "thread_index", "num_threads",
      "group_index", "size",         "group_dim",
      "sizeof",      "alignof",      "ceil",
      "floor",       "ceilf",        "floorf",
      "abs",         "int",          "float",
      "__log2f",     "log2f",        "powf",
      "pow",         "sqrtf",        "unsigned",
      "double",      "static_cast",  "dim_threads",
      "uint3",       "dim3",         "size_t"};
  return words.count(word) != 0;
}

bool differs_by_thread(std::string_view word) {
  return word == "threadIdx" || word == "thread_rank" || word == "thread_index";
}

// A '*' or '&' with nothing before it to multiply or to `and`.
bool is_prefix(const Source& s, Index i) {
  const Token& before = s[i - 1];
  if (before.kind == Kind::number || before.is(')') || before.is(']')) return false;
  return before.kind != Kind::name || before.is(Word::return_);
}

}  // namespace

bool is_pure(const Source& s, const Facts& facts, const Variables& names, Range range, bool uniform,
             bool& same) {
  same = true;
  for (Index i = range.begin; i < range.end; ++i) {
    const Token& t = s[i];
    if (t.kind == Kind::number || t.kind == Kind::character || t.kind == Kind::directive) continue;
    if (t.kind == Kind::string) return false;
    if (t.kind == Kind::punctuation) {
      if (t.is(Word::arrow_)) return false;
      if (t.is(Word::other_)) {
        const std::string_view text = s.text(i);
        const bool compares = text == "==" || text == "!=" || text == "<=" || text == ">=" ||
                              text == "&&" || text == "||";
        if (!compares) return false;
        // `<<=`: not a comparison.
        if ((s.is(i - 1, '<') || s.is(i - 1, '>')) && s.adjacent(i - 1, i)) return false;
      }
      if (t.is('{') || t.is('}') || t.is(';')) return false;
      if (t.is('=') && i != range.begin) return false;
      // A star is a product or the end of a pointer's type; anything else reads memory.
      if (t.is('*') && is_prefix(s, i) && !s.is(i + 1, ')') && !s.is(i + 1, '*')) return false;
      if (t.is('*') && s.is(i - 1, ')') && i >= 2 && !s.is(i - 2, '*')) {
        const Index open = s.match(i - 1);
        // `(float)*p` reads; `(a + b) * c` does not: one name in parentheses may be a type.
        if (open != none && open + 2 == i - 1 && names.find(open + 1) == none &&
            s.is_name(open + 1)) {
          return false;
        }
      }
      if (t.is('&') && is_prefix(s, i)) {
        // `&array[i]` is an address, if nothing else follows.
        const Index v = names.find(i + 1);
        const bool pointer = v != none && names.variables[v].d.pointer;
        const bool shared = names.is_shared_name(s.text(i + 1));
        if ((!pointer && !shared) || !s.is(i + 2, '[')) return false;
        const Index end = s.after(i + 2);
        if (s.is(end, '[') || s.is(end, '.') || s.is(end, Word::arrow_)) return false;
        continue;
      }
      if (t.is('[')) {
        if (i < 2 || !s.is(i - 2, '&') || !is_prefix(s, i - 2)) return false;
      }
      continue;
    }
    const std::string_view word = s.text(i);
    if (i > 0 && s.is(i - 1, '.') && !s.is(i + 1, '(')) continue;
    if (differs_by_thread(word)) {
      same = false;
      continue;
    }
    if (s.is(i + 1, '(') && !is_pure_function(word)) return false;
    if (is_plain_word(word) || is_pure_function(word)) continue;
    if (s.is(i, Word::asm_) || s.is(i, Word::operator_) || word == "new" || word == "clock64") {
      return false;
    }
    const Index v = names.find(i);
    if (v != none) {
      const Variable& variable = names.variables[v];
      if (variable.life == Life::uniform) {
        if (!uniform) return false;
      } else if (variable.parameter) {
        if (variable.modified || variable.d.reference) return false;
      } else if (variable.pure) {
        same = same && variable.same;
      } else if (!variable.type && !variable.constant) {
        return false;
      }
    } else if (facts.is_device_variable(word)) {
      return false;
    } else if (names.is_shared_name(word)) {
      if (!names.is_shared_array(word)) return false;
      if (s.is(i + 1, '[') && !s.is(i - 1, '&')) return false;
    }
  }
  return true;
}

void Variables::find_pure() {
  for (Variable& v : variables) {
    if (v.parameter) continue;
    if (v.type || v.constant) {
      v.pure = v.same = true;
      continue;
    }
    if (v.lambda) continue;
    const bool candidate =
        !v.modified && !v.address && !v.d.array && !v.d.reference && v.d.value.begin != none;
    if (!candidate || s_.is(v.d.value.begin, '{')) continue;
    v.pure = is_pure(s_, facts_, *this, v.d.value, false, v.same);
  }
}

Index Variables::uniform_statement(Range r) const {
  while (r.begin < r.end && s_[r.begin].kind == Kind::directive) ++r.begin;
  if (r.begin < r.end && s_.is(r.end - 1, ';')) --r.end;
  if (r.begin >= r.end) return none;
  const bool before =
      s_.is(r.begin, Word::other_) && (s_.text(r.begin) == "++" || s_.text(r.begin) == "--");
  const Index name = before ? r.begin + 1 : r.begin;
  const Index v = find(name);
  if (v == none || variables[v].life != Life::uniform) return none;
  if (before) return name + 1 == r.end ? v : none;
  const std::string_view op = s_.text(name + 1);
  if (op == "++" || op == "--") return name + 2 == r.end ? v : none;
  Index value = name + 2;
  if (op == "<" || op == ">") {  // `<<=`
    if (!s_.adjacent(name + 1, name + 2)) return none;
    ++value;
  } else if (!(op == "=" || (op.size() == 2 && op[1] == '=' && op != "==" && op != "!=" &&
                             op != "<=" && op != ">="))) {
    return none;
  }
  for (Index i = value; i < r.end; i = s_.after(i)) {
    if (s_.is(i, ',')) return none;
  }
  bool same = false;
  return is_pure(s_, facts_, *this, {value, r.end}, true, same) && same ? v : none;
}

// Statements that all threads come to together: those that are not inside one that stays whole.
void Variables::block_statements(const std::vector<Node>& list, std::vector<Range>& out) const {
  for (const Node& node : list) {
    if (node.step == Step::plain) out.push_back(node.all);
    for (const Range part : {node.first, node.next}) {
      if (node.step != Step::loop || part.begin == none) continue;
      Index begin = part.begin;
      for (Index i = part.begin; i < part.end; i = s_.after(i)) {
        if (!s_.is(i, ',') && !s_.is(i, ';')) continue;
        out.push_back({begin, i});
        begin = i + 1;
      }
      out.push_back({begin, part.end});
    }
    block_statements(node.body, out);
    block_statements(node.other, out);
  }
}

void Variables::uniform_conditions(const std::vector<Node>& list, bool& good) const {
  for (const Node& node : list) {
    if (node.condition.begin != none && node.condition.begin < node.condition.end) {
      bool same = false;
      good = good &&
             ((is_pure(s_, facts_, *this, node.condition, true, same) && same) || node.constant);
    }
    uniform_conditions(node.body, good);
    uniform_conditions(node.other, good);
  }
}

// A break or continue in a piece: some threads may take it and others not.
bool Variables::has_jump(const std::vector<Node>& list) const {
  return std::any_of(list.begin(), list.end(), [&](const Node& node) {
    if (node.step != Step::plain) return has_jump(node.body) || has_jump(node.other);
    const std::vector<Jump> all = jumps_of(s_, node.all);
    return std::any_of(all.begin(), all.end(), [](const Jump& j) { return j.kind != 'r'; });
  });
}

void Variables::find_uniform(const std::vector<Node>& tree) {
  if (has_jump(tree)) return;
  std::vector<Range> statements;
  block_statements(tree, statements);
  for (Variable& v : variables) {
    const bool candidate = v.modified && !v.address && !v.d.array && !v.d.pointer &&
                           !v.d.reference && !v.parameter && !v.lambda && !v.is_auto &&
                           v.d.value.begin != none && s_.is(v.d.value.begin, '=');
    if (candidate) v.life = Life::uniform;
  }
  // All of them, less those that something else changes; that may take others with it.
  for (bool more = true; more;) {
    more = false;
    for (Index n = 0; n < variables.size(); ++n) {
      Variable& v = variables[n];
      if (v.life != Life::uniform) continue;
      bool same = false;
      bool good = is_pure(s_, facts_, *this, {v.d.value.begin, v.d.value.end}, true, same) && same;
      // Every change must be one of those statements.
      for (Index i = v.known; good && i < v.scope_end; ++i) {
        if (find(i) != n) continue;
        const auto around = std::find_if(statements.begin(), statements.end(),
                                         [&](Range r) { return i >= r.begin && i < r.end; });
        const bool changed = changes(i);
        if (changed) good = around != statements.end() && uniform_statement(*around) == n;
      }
      if (!good) {
        v.life = Life::piece;
        more = true;
      }
    }
  }
  bool good = true;
  uniform_conditions(tree, good);
  lockstep = good;
  for (Variable& v : variables) {
    if (v.life != Life::uniform) continue;
    if (!lockstep) v.life = Life::piece;
    v.in_front =
        v.depth == 0 && !v.in_loop_head && is_pure(s_, facts_, *this, v.d.value, false, v.same);
  }
}

std::vector<Jump> jumps_of(const Source& s, Range range) {
  std::vector<Jump> all;
  Index loop_end = range.begin, switch_end = range.begin;
  for (Index i = range.begin; i < range.end; ++i) {
    if (s.is(i, '[')) {
      const Range body = lambda_body(s, i);
      if (body.begin != none) {
        i = body.end;
        continue;
      }
    }
    if (!s.is_name(i)) continue;
    const std::string_view word = s.text(i);
    if (word == "for" || word == "while" || word == "do") {
      // The while at the end of a do has no body of its own.
      if (i < loop_end && word == "while" && s.match(i + 1) != none &&
          s.is(s.match(i + 1) + 1, ';')) {
        continue;
      }
      loop_end = std::max(loop_end, statement_end(s, i));
    } else if (word == "switch") {
      // Labels stop statement_end: the body's own brace ends it.
      const Index body = s.match(i + 1) != none ? s.match(i + 1) + 1 : none;
      if (body == none || !s.is(body, '{') || s.match(body) == none) {
        throw NotSplit{"a switch that is not understood"};
      }
      switch_end = std::max(switch_end, s.match(body) + 1);
    } else if (word == "return") {
      all.push_back({i, 'r'});
    } else if (word == "break") {
      if (i >= loop_end && i >= switch_end) all.push_back({i, 'b'});
    } else if (word == "continue") {
      if (i >= loop_end) all.push_back({i, 'c'});
    }
  }
  return all;
}

}  // namespace simt::cc
