#pragma once

// The variables of a kernel that is to be split: what may change them, and which are the same for
// all threads of a block.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "split/tree.h"

namespace simt::cc {

enum class Life : std::uint8_t {
  piece,    // inside one piece of the kernel: stays as it is
  thread,   // a value of each thread, kept between pieces
  again,    // computed again wherever it is needed: it depends on nothing that changes
  once,     // the same for all threads and all pieces
  uniform,  // the same for all threads, changed between pieces
};

struct Variable {
  std::string_view name;
  Range base;
  Declarator d;
  Index known;      // the first token at which it is
  Index scope_end;  // and the one at which it is no more
  unsigned depth = 0;
  bool parameter = false;
  bool type = false;      // a name of a type: always computed again
  bool constant = false;  // constexpr
  bool is_auto = false;
  bool aligned = false;
  bool lambda = false;
  bool in_loop_head = false;
  bool modified = false;  // somewhere after its declaration
  bool address = false;   // someone may keep where it is
  bool escapes = false;   // a pointer to it is kept
  bool pure = false;      // its value depends on nothing that changes
  bool same = false;      // nor on the thread
  bool in_front = false;  // uniform, and its first value can be computed before all else
  Life life = Life::piece;
};

// What is moved to the front of the kernel as it stands: shared variables, types, constants.
struct Hoisted {
  Range all;
  Index at;
};

class Variables {
 public:
  // Throws NotSplit.
  Variables(const Source& source, const Facts& facts, Range parameters, Range body,
            const std::vector<Node>& tree);

  std::vector<Variable> variables;
  std::vector<Hoisted> hoisted;
  // All threads of a block take the same way: then values of loops around barriers may be uniform.
  bool lockstep = false;

  // The variable that the token names, or none.
  Index find(Index token) const;
  bool is_shared_name(std::string_view name) const { return shared_.count(name) != 0; }
  bool is_shared_array(std::string_view name) const {
    const auto found = shared_.find(name);
    return found != shared_.end() && found->second;
  }
  // If the statement sets one uniform variable to a uniform value: that variable, else none.
  Index uniform_statement(Range statement) const;

 private:
  void add_parameters(Range parameters);
  void collect(const std::vector<Node>& list, Index scope_end, unsigned depth);
  void declare(Range statement, Index scope_end, unsigned depth, bool in_loop_head);
  void add(const Declaration& declaration, const Declarator& d, Index scope_end, unsigned depth,
           bool in_loop_head);
  void refuse_shadows() const;

  void look_at_uses(Variable& v);
  void look_at_use(Variable& v, Index i);
  void look_at_references();
  bool changes(Index i) const;  // the use of a variable at `i` may change it
  bool changes_argument(const Variable& v, Index open) const;
  Index enclosing(Index i) const { return parents_[i - body_.begin]; }

  void find_pure();
  void find_uniform(const std::vector<Node>& tree);
  void uniform_conditions(const std::vector<Node>& list, bool& good) const;
  void block_statements(const std::vector<Node>& list, std::vector<Range>& out) const;
  bool has_jump(const std::vector<Node>& list) const;

  const Source& s_;
  const Facts& facts_;
  const Range body_;
  std::unordered_map<std::string_view, std::vector<Index>> by_name_;
  std::unordered_map<std::string_view, bool> shared_;  // whether it is an array
  std::vector<Index> parents_;                         // of each token, the bracket around it
};

// `break` and `continue` of [begin, end) that leave it, outside of lambdas; `return`s too.
struct Jump {
  Index at;
  char kind;  // b, c, r
};
std::vector<Jump> jumps_of(const Source& source, Range range);

// Whether the initialiser or expression depends on nothing that changes (see Variable::pure);
// `same`: nor on the thread. Uniform variables count as unchanging with `uniform`.
bool is_pure(const Source& source, const Facts& facts, const Variables& names, Range range,
             bool uniform, bool& same);

}  // namespace simt::cc
