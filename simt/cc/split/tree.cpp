#include "split/tree.h"

#include <algorithm>

namespace simt::cc {
namespace {

constexpr unsigned max_depth = 100;

Index skip_directives(const Source& s, Index i, Index end) {
  while (i < end && s[i].kind == Kind::directive) ++i;
  return i;
}

class Parser {
 public:
  Parser(const Source& s, const Facts& facts, Range body,
         const std::vector<std::string_view>& parameters)
      : s_(s), facts_(facts), body_(body), locals_(parameters.begin(), parameters.end()) {}

  std::vector<Node> run() {
    find_barriers();
    if (barriers_.empty()) throw NotSplit{"has no barrier"};
    std::vector<Node> all = list(body_, 0);
    if (used_ != barriers_.size()) throw NotSplit{"a barrier inside an expression"};
    return all;
  }

 private:
  bool has_barrier(Range r) const {
    const auto first = std::lower_bound(barriers_.begin(), barriers_.end(), r.begin);
    return first != barriers_.end() && *first < r.end;
  }

  bool is_member(Index i) const { return s_.is(i - 1, '.') || s_.is(i - 1, Word::arrow_); }

  // Every mention of something that waits must be a barrier that is understood.
  void find_barriers() {
    for (Index i = body_.begin; i < body_.end; ++i) {
      if (s_.is(i, Word::asm_) && asm_waits(s_, i)) throw NotSplit{"asm that concerns others"};
      if (s_.is(i, Word::volatile_)) throw NotSplit{"volatile"};
      if (s_.is(i, '<') && s_.is(i + 1, '<') && s_.is(i + 2, '<')) throw NotSplit{"launches"};
      if (s_.is(i, '(') && (s_.is(i - 1, ')') || s_.is(i - 1, '}')) && facts_.objects_wait()) {
        throw NotSplit{"calls an object that may wait"};
      }
      if (!s_.is_name(i)) continue;
      const std::string_view name = s_.text(i);
      if (facts_.is_volatile(name)) throw NotSplit{"volatile"};
      if (name == "goto" || name == "try" || name == "co_await" || name == "this") {
        throw NotSplit{"uses " + std::string(name)};
      }
      if (s_.is(i + 1, '(') && facts_.objects_wait() && locals_.count(name) != 0) {
        throw NotSplit{"calls an object that may wait"};
      }
      if (!facts_.waits(name)) {
        if (i > 0 && s_.is_name(i - 1)) locals_.insert(name);
        continue;
      }
      if (name == "__syncthreads" || name == "__syncwarp") {
        barriers_.push_back(i);
      } else if (name == "sync" && s_.is(i + 1, '(') && is_block_sync(i)) {
        barriers_.push_back(i);
      } else if (is_called(s_, i)) {
        throw NotSplit{"calls " + std::string(name) + ", which waits"};
      }
    }
    if (has_spin(s_, body_.begin, body_.end)) throw NotSplit{"waits in a loop"};
  }

  // `group.sync()`, `cg::sync(group)`, `cg::this_thread_block().sync()` for the block's own group.
  bool is_block_sync(Index i) const {
    if (s_.is(i - 1, '.')) {
      if (!s_.is(i + 2, ')')) return false;
      if (s_.is(i - 2, ')')) {
        const Index open = s_.match(i - 2);
        return open == i - 3 && s_.text(i - 4) == "this_thread_block";
      }
      return s_.is_name(i - 2) && !is_member(i - 2) && is_block_group(s_.text(i - 2));
    }
    return s_.is(i - 1, Word::scope_) && s_.is_name(i + 2) && s_.is(i + 3, ')') &&
           is_block_group(s_.text(i + 2));
  }

  // Declared as `auto g = ...this_thread_block()` or `thread_block g = ...`, and only so.
  bool is_block_group(std::string_view name) const {
    unsigned found = 0;
    for (Index i = body_.begin + 1; i < body_.end; ++i) {
      if (s_.text(i) != name || !s_.is_name(i - 1)) continue;
      if (s_.is(i - 1, Word::return_)) continue;
      if (s_.text(i - 1) == "thread_block") {
        ++found;
      } else {
        const Index end = declaration_end(i);
        if (end == none || s_.text(end - 3) != "this_thread_block" || s_.text(i - 1) != "auto") {
          return false;
        }
        ++found;
      }
    }
    return found == 1;
  }
  Index declaration_end(Index i) const {
    for (; i < body_.end; i = s_.after(i)) {
      if (s_.is(i, ';')) return i;
    }
    return none;
  }

  std::vector<Node> list(Range r, unsigned depth) {
    std::vector<Node> all;
    for (Index i = r.begin; i < r.end;) {
      if (skip_directives(s_, i, r.end) == r.end) break;
      all.push_back(statement(i, depth));
      if (all.back().all.end <= i) throw NotSplit{"a statement that is not understood"};
      i = all.back().all.end;
    }
    return all;
  }

  // One statement as a list; a block's own statements.
  std::vector<Node> part(Index i, unsigned depth) {
    std::vector<Node> all;
    all.push_back(statement(i, depth));
    return all;
  }

  Node statement(Index begin, unsigned depth) {
    const Index i = skip_directives(s_, begin, body_.end);
    const Index end = statement_end(s_, i);
    if (end > body_.end) throw NotSplit{"a statement that is not understood"};
    Node node{Step::plain, {begin, end}};
    if (!has_barrier(node.all)) {
      Declaration declaration;
      if (s_.is(end - 1, ';') && parse_declaration(s_, {i, end - 1}, declaration)) {
        node.step = Step::declaration;
      }
      return node;
    }
    if (depth > max_depth) throw NotSplit{"nested too deeply"};
    const std::string_view word = s_.text(i);
    if (s_.is(i, '{')) {
      node.step = Step::block;
      node.body = list({i + 1, end - 1}, depth + 1);
    } else if (word == "if") {
      branch(node, i, depth);
    } else if (word == "for" || word == "while") {
      loop(node, i, depth);
    } else if (word == "do") {
      node.step = Step::loop_at_end;
      node.body = part(i + 1, depth + 1);
      const Index close = end - 2;  // `) ;`
      node.condition = {s_.match(close) + 1, close};
      if (has_barrier(node.condition)) throw NotSplit{"a barrier inside a condition"};
    } else {
      barrier(node, i, end);
    }
    return node;
  }

  void barrier(Node& node, Index i, Index end) {
    const Index at = *std::lower_bound(barriers_.begin(), barriers_.end(), i);
    const std::string_view name = s_.text(at);
    bool alone = s_.match(at + 1) == end - 2 && s_.is(end - 1, ';');
    if (name == "__syncwarp") {
      alone = alone && at == i;
      node.of_warp = true;
    } else if (name == "__syncthreads") {
      alone = alone && at == i && end == i + 4;
    } else {
      for (Index k = i; k < at; ++k) {
        alone = alone && (s_.is_name(k) || s_.is(k, Word::scope_) || s_.is(k, '.') ||
                          s_.is(k, '(') || s_.is(k, ')'));
      }
    }
    if (!alone) throw NotSplit{"a barrier inside an expression"};
    ++used_;
    node.step = Step::barrier;
  }

  void branch(Node& node, Index i, unsigned depth) {
    node.step = Step::branch;
    node.constant = s_.is(i + 1, Word::constexpr_);
    const Index open = node.constant ? i + 2 : i + 1;
    condition(node, {open + 1, s_.match(open)});
    const Index then = s_.match(open) + 1;
    node.body = part(then, depth + 1);
    Index rest = skip_directives(s_, node.body.back().all.end, body_.end);
    if (rest < node.all.end && s_.text(rest) == "else") node.other = part(rest + 1, depth + 1);
  }

  void condition(Node& node, Range r) {
    if (has_barrier(r)) throw NotSplit{"a barrier inside a condition"};
    for (Index k = r.begin; k < r.end; k = s_.after(k)) {
      if (s_.is(k, ';')) throw NotSplit{"a declaration inside a condition"};
    }
    Declaration declaration;  // `a < b && c > d` looks like one without a value
    if (parse_declaration(s_, r, declaration) && !declaration.names.empty() &&
        declaration.names[0].value.begin != none) {
      throw NotSplit{"a declaration inside a condition"};
    }
    node.condition = r;
  }

  void loop(Node& node, Index i, unsigned depth) {
    node.step = Step::loop;
    const Range inside = {i + 2, s_.match(i + 1)};
    if (s_.text(i) == "for") {
      std::vector<Index> ends;
      for (Index k = inside.begin; k < inside.end; k = s_.after(k)) {
        if (s_.is(k, ';')) ends.push_back(k);
      }
      if (ends.size() != 2) throw NotSplit{"a barrier in a loop over a range"};
      node.first = {inside.begin, ends[0] + 1};
      condition(node, {ends[0] + 1, ends[1]});
      node.next = {ends[1] + 1, inside.end};
      if (has_barrier(node.first) || has_barrier(node.next)) {
        throw NotSplit{"a barrier inside a condition"};
      }
    } else {
      condition(node, inside);
    }
    node.body = part(inside.end + 1, depth + 1);
  }

  const Source& s_;
  const Facts& facts_;
  const Range body_;
  std::vector<Index> barriers_;  // tokens that name one
  std::unordered_set<std::string_view> locals_;
  std::size_t used_ = 0;
};

}  // namespace

Index statement_end(const Source& s, Index i, unsigned depth) {
  if (depth > max_depth) throw NotSplit{"nested too deeply"};
  i = skip_directives(s, i, s.size());
  if (i >= s.size()) throw NotSplit{"a statement that is not understood"};
  if (s.is(i, '{')) {
    if (s.match(i) == none) throw NotSplit{"a statement that is not understood"};
    return s.match(i) + 1;
  }
  const std::string_view word = s.is_name(i) ? s.text(i) : "";
  if (word == "if" || word == "for" || word == "while" || word == "switch") {
    const Index open = s.is(i + 1, Word::constexpr_) ? i + 2 : i + 1;
    if (!s.is(open, '(') || s.match(open) == none) {
      throw NotSplit{"a statement that is not understood"};
    }
    Index end = statement_end(s, s.match(open) + 1, depth + 1);
    const Index rest = skip_directives(s, end, s.size());
    if (word == "if" && s.is_name(rest) && s.text(rest) == "else") {
      end = statement_end(s, rest + 1, depth + 1);
    }
    return end;
  }
  if (word == "do") {
    const Index rest = skip_directives(s, statement_end(s, i + 1, depth + 1), s.size());
    if (!s.is(rest, Word::while_) || s.match(rest + 1) == none ||
        !s.is(s.match(rest + 1) + 1, ';')) {
      throw NotSplit{"a statement that is not understood"};
    }
    return s.match(rest + 1) + 2;
  }
  if ((word == "case" || word == "default") || (s.is_name(i) && s.is(i + 1, ':'))) {
    throw NotSplit{"a label"};
  }
  for (Index k = i; k < s.size(); k = s.after(k)) {
    if (s.is(k, ';')) return k + 1;
    if (s.is(k, '}') || s.is(k, ')') || s.is(k, ']')) break;
  }
  throw NotSplit{"a statement that is not understood"};
}

Range lambda_body(const Source& s, Index i) {
  const Index close = s.match(i);
  if (!s.is(i, '[') || close == none || s.is(i + 1, '[')) return {none, none};
  if (i > 0) {
    const Token& before = s[i - 1];
    if (before.is(')') || before.is(']') || before.is('[') || before.kind == Kind::string ||
        (before.kind == Kind::name && !before.is(Word::return_))) {
      return {none, none};
    }
  }
  for (Index k = close + 1; k < s.size(); k = s.after(k)) {
    if (s.is(k, '{')) return s.match(k) != none ? Range{k, s.match(k)} : Range{none, none};
    if (s.is(k, ';') || s.is(k, ')') || s.is(k, '}')) break;
  }
  return {none, none};
}

std::vector<Node> parse_kernel(const Source& source, const Facts& facts, Range body,
                               const std::vector<std::string_view>& parameters) {
  return Parser(source, facts, body, parameters).run();
}

}  // namespace simt::cc
