#include "split/variables.h"

#include <algorithm>

namespace simt::cc {
namespace {

bool is_assignment(const Source& s, Index i) {
  if (s.is(i, '=')) return true;
  if (s.is(i, Word::other_)) {
    const std::string_view text = s.text(i);
    return text.back() == '=' && text != "==" && text != "!=" && text != "<=" && text != ">=";
  }
  // `<<=` and `>>=` come as two tokens.
  return ((s.is(i, '<') && s.text(i + 1) == "<=") || (s.is(i, '>') && s.text(i + 1) == ">=")) &&
         s.adjacent(i, i + 1);
}

bool is_step(const Source& s, Index i) {
  return s.is(i, Word::other_) && (s.text(i) == "++" || s.text(i) == "--");
}

// The '&' at `i` takes an address: nothing stands before it that it could be `and`ed with.
bool is_unary(const Source& s, Index i) {
  if (i == 0) return true;
  const Token& before = s[i - 1];
  if (before.kind == Kind::number || before.is(']')) return false;
  if (before.is(')')) {
    // `(int*)&x`: a cast, if the parenthesis ends in a '*' or holds one name of a type.
    return s.is(i - 2, '*');
  }
  return before.kind != Kind::name || before.is(Word::return_);
}

}  // namespace

Variables::Variables(const Source& source, const Facts& facts, Range parameters, Range body,
                     const std::vector<Node>& tree)
    : s_(source), facts_(facts), body_(body) {
  std::vector<Index> open;
  for (Index i = body.begin; i < body.end; ++i) {
    const bool closes = s_.is(i, ')') || s_.is(i, ']') || s_.is(i, '}');
    if (closes && !open.empty()) open.pop_back();
    parents_.push_back(open.empty() ? none : open.back());
    if (s_.is(i, '(') || s_.is(i, '[') || s_.is(i, '{')) open.push_back(i);
  }
  add_parameters(parameters);
  collect(tree, body.end, 0);
  for (Index i = 0; i < variables.size(); ++i) by_name_[variables[i].name].push_back(i);
  refuse_shadows();
  for (Variable& v : variables) look_at_uses(v);
  look_at_references();
  find_pure();
  find_uniform(tree);
}

void Variables::add_parameters(Range parameters) {
  Index begin = parameters.begin;
  const auto add_one = [&](Index end) {
    if (begin >= end || (end == begin + 1 && s_.is(begin, Word::void_))) return;
    Declaration declaration;
    const bool found = parse_declaration(s_, {begin, end}, declaration);
    if (!found || declaration.names.size() != 1) throw NotSplit{"a parameter not understood"};
    add(declaration, declaration.names[0], body_.end, 0, false);
    variables.back().parameter = true;
    variables.back().known = body_.begin;
  };
  for (Index i = parameters.begin; i < parameters.end; i = s_.after(i)) {
    if (s_.is(i, '<')) {
      const Index close = s_.close_angle(i);
      if (close != none && close < parameters.end) i = close;
    } else if (s_.is(i, ',')) {
      add_one(i);
      begin = i + 1;
    }
  }
  add_one(parameters.end);
}

void Variables::collect(const std::vector<Node>& list, Index scope_end, unsigned depth) {
  for (const Node& node : list) {
    if (node.step == Step::declaration) declare(node.all, scope_end, depth, false);
    if (node.step == Step::loop && node.first.begin != none) {
      declare(node.first, node.all.end, depth + 1, true);
    }
    collect(node.body, node.step == Step::block ? node.all.end - 1 : node.all.end, depth + 1);
    collect(node.other, node.all.end, depth + 1);
  }
}

void Variables::declare(Range statement, Index scope_end, unsigned depth, bool in_loop_head) {
  Index begin = statement.begin;
  while (begin < statement.end && s_[begin].kind == Kind::directive) ++begin;
  Declaration declaration;
  const Range inside = {begin, statement.end - 1};
  if (!parse_declaration(s_, inside, declaration)) return;
  const std::string_view word = s_.text(begin);
  if (declaration.is_type) {
    if (word == "static_assert") return;
    if (depth == 0) {
      hoisted.push_back({{begin, statement.end}, begin});
      return;
    }
    const bool alias = word == "using" && s_.is(begin + 2, '=');
    if (!alias && word != "typedef") throw NotSplit{"a type declared inside a loop"};
    const Index name = alias ? begin + 1 : statement.end - 2;
    if (!s_.is_name(name)) throw NotSplit{"a type declared inside a loop"};
    Variable v{s_.text(name), inside,    {begin, name, statement.end - 1, none},
               statement.end, scope_end, depth};
    v.type = true;
    variables.push_back(v);
    return;
  }
  if (declaration.is_shared) {
    for (const Declarator& d : declaration.names) {
      if (!shared_.emplace(s_.text(d.name), d.array).second) {
        throw NotSplit{"two shared variables of one name"};
      }
    }
    hoisted.push_back({{begin, statement.end}, begin});
    return;
  }
  if (declaration.is_static) {
    if (!declaration.is_constant || depth != 0) throw NotSplit{"a static variable"};
    hoisted.push_back({{begin, statement.end}, begin});
    return;
  }
  for (const Declarator& d : declaration.names) add(declaration, d, scope_end, depth, in_loop_head);
}

void Variables::add(const Declaration& declaration, const Declarator& d, Index scope_end,
                    unsigned depth, bool in_loop_head) {
  Variable v{s_.text(d.name), declaration.base, d, d.end, scope_end, depth};
  v.is_auto = declaration.is_auto;
  v.aligned = declaration.is_aligned;
  v.in_loop_head = in_loop_head;
  v.lambda = d.value.begin != none && s_.is(d.value.begin, '=') && s_.is(d.value.begin + 1, '[');
  for (Index i = declaration.base.begin; i < declaration.base.end; ++i) {
    v.constant = v.constant || s_.is(i, Word::constexpr_);
  }
  variables.push_back(v);
}

void Variables::refuse_shadows() const {
  for (const auto& [name, all] : by_name_) {
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (shared_.count(name) != 0) throw NotSplit{"a shared variable is hidden by another"};
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        const Variable &x = variables[all[a]], &y = variables[all[b]];
        if (y.known < x.scope_end && x.known < y.scope_end) {
          throw NotSplit{"'" + std::string(name) + "' is hidden by another"};
        }
      }
    }
  }
}

Index Variables::find(Index token) const {
  if (!s_.is_name(token)) return none;
  const auto found = by_name_.find(s_.text(token));
  if (found == by_name_.end()) return none;
  if (token > 0 && (s_.is(token - 1, '.') || s_.is(token - 1, Word::arrow_))) return none;
  if (s_.is(token - 1, Word::scope_)) return none;
  for (const Index i : found->second) {
    if (token >= variables[i].known && token < variables[i].scope_end) return i;
  }
  return none;
}

void Variables::look_at_uses(Variable& v) {
  const auto self = static_cast<Index>(&v - variables.data());
  for (Index i = v.known; i < v.scope_end; ++i) {
    if (find(i) == self) look_at_use(v, i);
  }
}

void Variables::look_at_use(Variable& v, Index i) {
  if (is_step(s_, i - 1)) v.modified = true;
  const bool in_call =
      enclosing(i) != none && s_.is(enclosing(i), '(') && s_[enclosing(i) - 1].kind == Kind::name;
  // &p[i] and &p->x say where what p points to is.
  const bool of_target = v.d.pointer && !v.d.array && !v.d.reference &&
                         (s_.is(i + 1, '[') || s_.is(i + 1, Word::arrow_));
  if (s_.is(i - 1, '&') && is_unary(s_, i - 1) && !of_target) {
    v.address = true;
    v.escapes = v.escapes || !in_call;
  }
  if (v.d.array && !s_.is(i + 1, '[') && !in_call) v.escapes = true;
  if (s_.is(i - 1, ')') && s_.is(i - 2, '&')) v.address = true;  // (T&)x
  Index after = i + 1;
  bool inside = true;  // still a part of the variable itself
  while (inside) {
    if (s_.is(after, '.') && s_.is_name(after + 1)) {
      after += 2;
      if (s_.is(after, '(')) {
        const std::string_view method = s_.text(after - 1);
        const bool asks = method == "thread_rank" || method == "size" || method == "group_index" ||
                          method == "thread_index" || method == "num_threads" || method == "sync" ||
                          method == "group_dim" || method == "dim_threads";
        if (!asks) v.modified = v.address = true;
        return;
      }
    } else if (s_.is(after, '[') && !v.d.pointer) {
      after = s_.after(after);
    } else {
      inside = false;
    }
  }
  if (is_assignment(s_, after) || is_step(s_, after)) v.modified = true;
  const bool lone =
      (s_.is(i - 1, '(') || s_.is(i - 1, ',')) && (s_.is(after, ',') || s_.is(after, ')'));
  if (lone && enclosing(i) != none && changes_argument(v, enclosing(i))) {
    v.modified = v.address = true;
  }
}

bool Variables::changes(Index i) const {
  return is_step(s_, i - 1) || is_step(s_, i + 1) || is_assignment(s_, i + 1);
}

// The call whose '(' this is may change what it is given.
bool Variables::changes_argument(const Variable& v, Index open) const {
  if (!s_.is(open, '(') || open == 0) return false;
  const Token& before = s_[open - 1];
  if (before.kind == Kind::string || before.is(')') || before.is(']')) return true;
  if (before.is('>')) {
    const Index angle = s_.open_angle(open - 1);
    if (angle == none || angle == 0) return false;
    for (Index i = angle; i < open; ++i) {
      if (s_.is(i, '&')) return true;
    }
    return facts_.takes_reference(s_.text(angle - 1));
  }
  if (before.kind != Kind::name) return false;
  if (v.d.array) return true;  // gives its address
  const std::string_view name = s_.text(open - 1);
  return facts_.takes_reference(name) || by_name_.count(name) != 0;
}

// What a reference is made to may change through it.
void Variables::look_at_references() {
  for (Index i = body_.begin; i + 2 < body_.end; ++i) {
    const bool mark = s_.is(i, '&') || (s_.is(i, Word::other_) && s_.text(i) == "&&");
    const bool to =
        s_.is(i + 2, '=') || s_.is(i + 2, ':') || s_.is(i + 2, '{') || s_.is(i + 2, '(');
    if (!mark || !s_.is_name(i + 1) || !to) continue;
    const Index end =
        std::min<Index>(enclosing(i) != none ? s_.match(enclosing(i)) : none, body_.end);
    for (Index k = i + 3; k < end && !s_.is(k, ';'); ++k) {
      const Index v = find(k);
      if (v != none) variables[v].modified = variables[v].address = true;
    }
  }
  for (Variable& v : variables) v.modified = v.modified || v.address;
}

}  // namespace simt::cc
