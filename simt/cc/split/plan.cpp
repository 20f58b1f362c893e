#include "split/plan.h"

#include <algorithm>

namespace simt::cc {
namespace {

class Planner {
 public:
  Planner(const Source& s, Variables& names) : s_(s), names_(names) {}

  Plan run(const std::vector<Node>& tree) {
    enter(fresh());
    walk(tree, {});
    put_in_order();
    const std::vector<std::vector<bool>> used = variables_of_pieces(names_, plan_);
    for (Index n = 0; n < names_.variables.size(); ++n) give_life(n, used);
    return std::move(plan_);
  }

 private:
  struct Loop {
    unsigned on_break = no_piece, on_continue = no_piece;
  };

  Stretch& here() { return plan_.pieces[at_]; }

  unsigned fresh() {
    if (plan_.pieces.size() > 1000) throw NotSplit{"too many pieces"};
    plan_.pieces.emplace_back();
    plan_.pieces.back().guards = guards_;
    return static_cast<unsigned>(plan_.pieces.size() - 1);
  }

  void enter(unsigned piece) {
    at_ = piece;
    order_.push_back(piece);
  }

  void go(unsigned to, bool barrier = false) {
    here().yes = to;
    here().barrier = barrier;
    enter(to);
  }

  // Numbers follow the source: threads that are behind have the lower ones.
  void put_in_order() {
    std::vector<unsigned> number(plan_.pieces.size());
    for (unsigned k = 0; k < order_.size(); ++k) number[order_[k]] = k;
    std::vector<Stretch> sorted(plan_.pieces.size());
    const auto map = [&](unsigned& piece) {
      if (piece != no_piece) piece = number[piece];
    };
    for (unsigned k = 0; k < plan_.pieces.size(); ++k) {
      Stretch& piece = plan_.pieces[k];
      map(piece.yes);
      map(piece.no);
      for (Code& c : piece.code) {
        map(c.on_break);
        map(c.on_continue);
      }
      sorted[number[k]] = std::move(piece);
    }
    plan_.pieces = std::move(sorted);
  }

  // Code behind actions is a piece of its own.
  void code(Code what) {
    if (!here().actions.empty()) go(fresh());
    here().code.push_back(what);
  }

  void walk(const std::vector<Node>& list, Loop loop) {
    for (const Node& node : list) {
      switch (node.step) {
        case Step::plain:
          plain(node.all, loop);
          break;
        case Step::declaration:
          declaration(node.all);
          break;
        case Step::barrier:
          if (node.of_warp && !names_.lockstep) {
            throw NotSplit{"a __syncwarp that only some threads may reach"};
          }
          go(fresh(), true);
          break;
        case Step::block:
          // Names of the block end with it.
          go(fresh());
          walk(node.body, loop);
          go(fresh());
          break;
        case Step::branch:
          branch(node, loop);
          break;
        case Step::loop:
        case Step::loop_at_end:
          loops(node);
          break;
      }
    }
  }

  void plain(Range r, Loop loop) {
    if (names_.uniform_statement(r) != none) {
      here().actions.push_back(r);
    } else {
      code({r, false, false, loop.on_break, loop.on_continue});
    }
  }

  void declaration(Range r) {
    bool some_uniform = false, some_other = false;
    for (const Variable& v : names_.variables) {
      if (v.d.name < r.begin || v.d.name >= r.end) continue;
      some_uniform = some_uniform || (v.life == Life::uniform && !v.in_front);
      some_other = some_other || v.life != Life::uniform;
    }
    if (some_other) code({r, true});
    if (some_uniform) here().actions.push_back(r);
  }

  void decide(const Node& node, unsigned yes, unsigned no) {
    Stretch& piece = here();
    piece.yes = yes;
    if (node.condition.begin == none || node.condition.begin >= node.condition.end) return;
    piece.condition = node.condition;
    piece.constant = node.constant;
    piece.no = no;
  }

  void branch(const Node& node, Loop loop) {
    const std::string text = s_.flat_text(node.condition);
    const auto guarded = [&](const std::string& guard, const std::vector<Node>& list,
                             unsigned first, unsigned join) {
      enter(first);
      if (node.constant) {
        guards_.push_back(guard);
        here().guards = guards_;
      }
      walk(list, loop);
      here().yes = join;
      if (node.constant) guards_.pop_back();
    };
    const unsigned join = fresh(), yes = fresh();
    const unsigned no = node.other.empty() ? join : fresh();
    decide(node, yes, no);
    guarded(text, node.body, yes, join);
    if (!node.other.empty()) guarded("!(" + text + ")", node.other, no, join);
    enter(join);
  }

  // The expressions of a for's head, one by one.
  void head(Range r) {
    Index begin = r.begin;
    const auto add = [&](Index end) {
      if (begin >= end) return;
      const Range one = {begin, end};
      if (names_.uniform_statement(one) != none) {
        here().actions.push_back(one);
      } else {
        code({one, false, true});
      }
    };
    for (Index i = r.begin; i < r.end; i = s_.after(i)) {
      if (!s_.is(i, ',') && !s_.is(i, ';')) continue;
      add(i);
      begin = i + 1;
    }
    add(r.end);
  }

  bool has_continue(const std::vector<Node>& list) const {
    return std::any_of(list.begin(), list.end(), [&](const Node& node) {
      if (node.step == Step::branch || node.step == Step::block) {
        return has_continue(node.body) || has_continue(node.other);
      }
      if (node.step != Step::plain) return false;
      const std::vector<Jump> all = jumps_of(s_, node.all);
      return std::any_of(all.begin(), all.end(), [](const Jump& j) { return j.kind == 'c'; });
    });
  }

  void loops(const Node& node) {
    if (node.first.begin != none && node.first.end > node.first.begin + 1) {
      Declaration ignored;
      if (parse_declaration(s_, {node.first.begin, node.first.end - 1}, ignored)) {
        declaration(node.first);
      } else {
        head({node.first.begin, node.first.end - 1});
      }
    }
    // A continue needs a place to go to; else the body's last piece does what comes then.
    const bool continues = has_continue(node.body);
    const unsigned exit = fresh(), body = fresh(), next = continues ? fresh() : no_piece;
    if (node.step == Step::loop) {
      decide(node, body, exit);
    } else {
      here().yes = body;
    }
    enter(body);
    walk(node.body, {exit, next});
    if (continues) go(next);
    if (node.next.begin != none) head(node.next);
    decide(node, body, exit);
    enter(exit);
  }

  void give_life(Index n, const std::vector<std::vector<bool>>& used) {
    Variable& v = names_.variables[n];
    if (v.life == Life::uniform) return;
    if (v.pure) {
      v.life = v.same && v.depth == 0 && !v.type ? Life::once : Life::again;
      if (v.parameter) v.life = Life::once;
      return;
    }
    if (v.parameter && !v.modified) {
      v.life = Life::once;
      return;
    }
    bool elsewhere = false;
    const unsigned home = v.parameter ? 0 : home_of(v);
    for (unsigned k = 0; k < used.size(); ++k) {
      elsewhere = elsewhere || (used[k][n] && k != home);
    }
    if (!elsewhere && !v.escapes) return;
    if (v.lambda) {
      again_lambda(v);
      return;
    }
    if (v.d.reference)
      throw NotSplit{"the reference '" + std::string(v.name) + "' crosses a barrier"};
    if (v.aligned) throw NotSplit{"the aligned '" + std::string(v.name) + "' crosses a barrier"};
    v.life = Life::thread;
  }

  // A lambda that captures by reference is the same wherever it is written down.
  void again_lambda(Variable& v) {
    const Index open = v.d.value.begin + 1;
    const bool by_reference = s_.is(open + 1, '&') && s_.match(open) == open + 2;
    for (Index i = v.d.value.begin; i < v.d.value.end && !by_reference; ++i) {
      const Index u = names_.find(i);
      if (u != none && names_.variables[u].modified) {
        throw NotSplit{"the lambda '" + std::string(v.name) + "' crosses a barrier"};
      }
    }
    v.life = Life::again;
  }

  unsigned home_of(const Variable& v) const {
    for (unsigned k = 0; k < plan_.pieces.size(); ++k) {
      for (const Code& c : plan_.pieces[k].code) {
        if (v.d.name >= c.range.begin && v.d.name < c.range.end) return k;
      }
    }
    throw NotSplit{"a declaration that is not understood"};
  }

  const Source& s_;
  Variables& names_;
  Plan plan_;
  unsigned at_ = 0;
  std::vector<unsigned> order_;  // in which pieces are entered
  std::vector<std::string> guards_;
};

}  // namespace

std::vector<std::vector<bool>> variables_of_pieces(const Variables& names, const Plan& plan) {
  std::vector<std::vector<bool>> used;
  for (const Stretch& piece : plan.pieces) {
    std::vector<bool> mine(names.variables.size());
    const auto look = [&](Range r) {
      for (Index i = r.begin; r.begin != none && i < r.end; ++i) {
        if (const Index v = names.find(i); v != none) mine[v] = true;
      }
    };
    for (const Code& c : piece.code) look(c.range);
    for (const Range& r : piece.actions) look(r);
    look(piece.condition);
    // What a value that is computed again is made of comes before it.
    for (Index n = static_cast<Index>(names.variables.size()); n-- > 0;) {
      const Variable& v = names.variables[n];
      if (!mine[n] || !(v.pure || v.lambda || v.type)) continue;
      look(v.base);
      look({v.d.begin, v.d.end});
    }
    used.push_back(std::move(mine));
  }
  return used;
}

Plan make_plan(const Source& source, Variables& names, const std::vector<Node>& tree) {
  return Planner(source, names).run(tree);
}

}  // namespace simt::cc
