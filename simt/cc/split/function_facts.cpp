#include "split/function_facts.h"

#include <array>

namespace simt::cc {
namespace {

// The runtime's functions in which a thread waits for others, or that belong to such a wait.
constexpr std::array roots = {"block_barrier",
                              "named_barrier_sync",
                              "named_barrier_arrive",
                              "grid_barrier",
                              "warp_rendezvous",
                              "active_mask",
                              "barrier_arrive",
                              "barrier_wait",
                              "memory_barrier_init",
                              "memory_barrier_arrive",
                              "memory_barrier_expect",
                              "memory_barrier_is_over",
                              "memory_barrier_parity_is_over",
                              "memory_barrier_wait",
                              "memory_barrier_poll",
                              "memory_barrier_poll_parity",
                              "memory_barrier_wait_parity",
                              "memory_barrier_copy",
                              "sleep_for",
                              "async_copy",
                              "checked_async_copy",
                              "async_commit",
                              "async_wait",
                              "async_wait_all",
                              "bulk_commit",
                              "bulk_wait"};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// The C++ library's own functions are never called by name of ours: `wait`, `sync`, `get` there are
// others.
bool is_library(std::string_view marker) {
  return contains(marker, "/c++/") || contains(marker, "-linux-gnu/") || contains(marker, "/gcc/");
}

bool is_control(std::string_view name) {
  return name == "if" || name == "for" || name == "while" || name == "switch" || name == "catch" ||
         name == "constexpr";
}

}  // namespace

bool asm_waits(const Source& s, Index i) {
  while (i < s.size() && !s.is(i, '(')) ++i;
  const Index close = s.match(i);
  if (close == none) return true;
  for (; i < close; ++i) {
    if (s[i].kind != Kind::string) continue;
    for (const char* part : {"bar", "sync", "shfl", "vote", "wait", "match", "elect", "activemask",
                             "redux", "acquire", "volatile", "nanosleep"}) {
      if (contains(s.text(i), part)) return true;
    }
  }
  return false;
}

bool is_called(const Source& s, Index i) {
  if (s.is(i + 1, '(')) return true;
  if (s.is(i + 1, '<')) {
    const Index close = s.close_angle(i + 1);
    return close != none && s.is(close + 1, '(');
  }
  return i > 0 && s.is(i - 1, '&') && (s.is(i + 1, ')') || s.is(i + 1, ',') || s.is(i + 1, ';'));
}

bool has_spin(const Source& s, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    const bool loop = s.is_name(i) && (s.is(i, Word::while_) || s.text(i) == "for");
    if (!loop || !s.is(i + 1, '(') || s.match(i + 1) == none) continue;
    for (Index k = i + 2; k < s.match(i + 1); ++k) {
      const std::string_view name = s.text(k);
      if (s.is(k, Word::volatile_)) return true;
      if (s.is_name(k) &&
          (name == "load" || name == "test" || name == "atomicAdd" || name == "atomicOr" ||
           name == "atomicMax" || name == "__ldcg" || name == "__ldcv" || name == "atomicAnd")) {
        return true;
      }
    }
  }
  return false;
}

Facts::Facts(const Source& source) : s_(source) {
  for (const char* root : roots) waits_.insert(root);
  scan();
  spread();
}

void Facts::scan() {
  bool library = false, users_own = true;
  std::vector<Index> open;  // parentheses
  for (Index i = 0; i < s_.size(); ++i) {
    const Token& t = s_[i];
    if (t.kind == Kind::directive) {
      const std::string_view line = s_.text(i);
      if (line.size() < 3 || line[1] != ' ') continue;
      library = is_library(line);
      users_own = !contains(line.substr(line.rfind('"')), " 3");
    } else if (library) {
      continue;
    } else if (t.is('(')) {
      open.push_back(i);
    } else if (t.is(')')) {
      if (!users_own && is_site(i)) waits_.insert(s_.text(s_.match(i) - 1));
      if (!open.empty()) open.pop_back();
    } else if (t.is('&') || (t.is(Word::other_) && s_.text(i) == "&&")) {
      if (open.empty() || open.back() == 0 || s_.match(open.back()) == none) continue;
      // Unless the parameter begins with `const`.
      Index k = i;
      bool constant = false;
      while (k > open.back() + 1 && !s_.is(k - 1, ',')) {
        --k;
        constant = constant || s_.is(k, Word::const_);
      }
      if (!constant && s_.is_name(open.back() - 1)) references_.insert(s_.text(open.back() - 1));
      if (!constant && s_.is(open.back() - 1, ')')) references_.insert("operator()");
    } else if (t.is('{')) {
      define(i, users_own);
      if (s_.match(i) != none) open.clear();
    } else if (t.is(Word::device_) || t.is(Word::variable_)) {
      add_variable(i);
    } else if (t.is(Word::volatile_) && users_own) {
      std::string_view name;
      for (Index k = i + 1; k < s_.size() && k < i + 16; ++k) {
        if (s_.is(k, ';') || s_.is(k, '=') || s_.is(k, '[') || s_.is(k, ',') || s_.is(k, ')'))
          break;
        if (s_.is_name(k)) name = s_.text(k);
      }
      if (!name.empty()) volatile_.insert(name);
    }
  }
}

// Functions of the runtime that may wait are told where they are called from: `Site site)`.
bool Facts::is_site(Index close) const {
  if (close < 2 || s_.text(close - 1) != "site" || s_.text(close - 2) != "Site") return false;
  const Index open = s_.match(close);
  if (open == none || open == 0 || !s_.is_name(open - 1)) return false;
  const std::string_view name = s_.text(open - 1);
  return name != "trap" && name != "map_shared_rank" && name != "query_shared_rank" &&
         name != "describe" && name != "host_misuse";
}

// The function whose body begins here, if one does.
void Facts::define(Index brace, bool users_own) {
  if (s_.match(brace) == none || brace == 0) return;
  Index i = brace - 1;
  for (unsigned steps = 0; !s_.is(i, ')'); --i) {
    if (++steps > 24 || i == 0 || s_.is(i, ';') || s_.is(i, '{') || s_.is(i, '}') ||
        s_.is(i, '=') || s_.is(i, ']')) {
      return;
    }
  }
  const Index open = s_.match(i);
  if (open == none || open == 0) return;
  Index before = open - 1;
  if (s_.is(before, '>') && s_.open_angle(before) != none && s_.open_angle(before) > 0) {
    before = s_.open_angle(before) - 1;
  }
  std::string_view name = s_.text(before);
  const bool object = s_.is(before, ')') || s_.is(before, ']') || s_.is(before, Word::device_) ||
                      s_.is(before, Word::host_);
  if (object) name = "operator()";
  if (!object && (!s_.is_name(before) || is_control(name))) return;
  // Nobody calls a kernel.
  for (Index k = before; k > 0 && before - k < 24; --k) {
    if (s_.is(k, ';') || s_.is(k, '}') || s_.is(k, '{')) break;
    if (s_.is(k, Word::global_)) return;
  }
  bool waits = false;
  const Index end = s_.match(brace);
  for (Index k = open; k < end && !waits; ++k) {
    waits = (users_own && s_.is(k, Word::volatile_)) || (s_.is(k, Word::asm_) && asm_waits(s_, k));
  }
  waits = waits || (users_own && has_spin(s_, brace, end));
  definitions_.push_back({name, brace, end, waits, users_own});
}

void Facts::add_variable(Index at) {
  std::string_view name;
  for (Index i = at + 1; i < s_.size(); ++i) {
    if (s_.is(i, '(') || s_.is(i, '{')) return;  // a function
    if (s_.is(i, ';') || s_.is(i, '=') || s_.is(i, '[') || s_.is(i, ',')) break;
    if (s_.is_name(i)) name = s_.text(i);
  }
  variables_.insert(name);
}

// Whoever calls a function that waits may wait. Headers know nothing of the user's functions.
void Facts::spread() {
  for (const bool users_own : {false, true}) {
    for (const Definition& d : definitions_) {
      if (d.waits && d.users_own == users_own) waits_.insert(d.name);
    }
    for (bool more = true; more;) {
      more = false;
      for (Definition& d : definitions_) {
        if (d.waits || d.users_own != users_own) continue;
        for (Index i = d.begin; i < d.end && !d.waits; ++i) {
          d.waits = s_.is_name(i) && waits_.count(s_.text(i)) != 0 && is_called(s_, i);
        }
        if (d.waits) more = waits_.insert(d.name).second || more;
      }
    }
  }
}

}  // namespace simt::cc
