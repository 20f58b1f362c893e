#pragma once

// A kernel's statements, as far as splitting needs them: those that contain a barrier are parsed
// into nodes, all others stay whole.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "split/function_facts.h"
#include "translate/source.h"

namespace simt::cc {

// Why a kernel keeps its fibers, in a phrase.
struct NotSplit {
  std::string why;
};

enum class Step : std::uint8_t { plain, declaration, barrier, block, branch, loop, loop_at_end };

struct Node {
  Step step;
  Range all;                       // with its ';' and the directives before it
  Range condition = {none, none};  // of a branch or a loop; empty: always
  Range first = {none, none};      // a for's first part, with its ';'
  Range next = {none, none};       // a for's last part
  bool constant = false;           // if constexpr
  bool of_warp = false;            // a barrier of a warp only
  std::vector<Node> body = {};     // of a block, a loop, a branch
  std::vector<Node> other = {};    // a branch's else
};

// One name of a declaration `base declarator, declarator;`.
struct Declarator {
  Index begin, name, end;      // `end` is behind its initialiser
  Index suffix_end;            // behind its [n]
  Range value = {none, none};  // with the = or the brackets
  bool reference = false, pointer = false, array = false;
};

struct Declaration {
  Range base = {none, none};
  std::vector<Declarator> names;
  bool is_type = false;    // using, typedef, struct: no variable
  bool is_shared = false;  // __shared__
  bool is_static = false, is_constant = false, is_auto = false, is_aligned = false;
};

// [begin, end) without the ';'. False if it is no declaration; throws NotSplit if it is one that is
// not understood.
bool parse_declaration(const Source& source, Range range, Declaration& out);

// The token behind the statement that begins at `i`. Throws NotSplit.
Index statement_end(const Source& source, Index i, unsigned depth = 0);

// The statements of a kernel's body between its braces. Throws NotSplit.
// `parameters` are names through which it may call something.
std::vector<Node> parse_kernel(const Source& source, const Facts& facts, Range body,
                               const std::vector<std::string_view>& parameters);

// If a lambda begins at the '[' at `i`, its body's braces, else {none, none}.
Range lambda_body(const Source& source, Index i);

}  // namespace simt::cc
