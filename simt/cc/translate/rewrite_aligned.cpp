// Device code may access a vector type only at a multiple of its size: see simt/aligned.h. The pointers of a function are
// found by their declarations (`const float4* p`, `auto q = reinterpret_cast<float4*>(x)`), and by casts that are
// dereferenced where they stand. No types are known here; what a name really is, simt::aligned sees, and it leaves all but
// pointers to vectors alone.

#include <algorithm>
#include <array>

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

class Pointers {
 public:
  Pointers(Source& s, Range function) : s_(s), end_(function.end) {
    for (Index i = function.begin; i < end_; ++i) note_declaration(i);
  }

  void rewrite(Index begin) {
    for (Index i = begin; i < end_; ++i) {
      if (s_.is(i, Word::asm_) || s_.is(i, Word::shared_)) {
        while (i < end_ && !s_.is(i, ';')) i = s_.after(i);  // rewritten as a whole
      } else if (s_.is_name(i) && is_cast(i)) {
        named_cast(i);
      } else if (s_.is_name(i) && names_.count(s_.text(i)) != 0) {
        use(i);
      } else if (s_.is(i, '(')) {
        i = plain_cast(i);
      }
    }
  }

 private:
  bool is_cast(Index i) const {
    return s_.is(i, Word::reinterpret_cast_) || s_.text(i) == "static_cast";
  }
  bool is_qualifier(Index i) const {
    static constexpr std::array words = {"__restrict__", "__restrict", "restrict"};
    return s_.is(i, Word::const_) || s_.is(i, Word::volatile_) ||
           std::find(words.begin(), words.end(), s_.text(i)) != words.end();
  }

  // `T* const __restrict__ name` before what may follow a declarator, and `auto name = cast`.
  void note_declaration(Index star) {
    if (s_.text(star) == "auto" && s_.is_name(star + 1) && s_.is(star + 2, '=') &&
        (is_cast(star + 3) || s_.is(star + 3, '('))) {
      names_.insert(s_.text(star + 1));
      return;
    }
    if (!s_.is(star, '*') || star == 0) return;
    const bool type = s_.is_name(star - 1) || s_.is(star - 1, '>');
    Index name = star + 1;
    while (is_qualifier(name)) ++name;
    const bool ends = s_.is(name + 1, ',') || s_.is(name + 1, ')') || s_.is(name + 1, '=') ||
                      s_.is(name + 1, ';') || s_.is(name + 1, '{') || s_.is(name + 1, ':');
    if (type && s_.is_name(name) && s_[name].word == Word::none && ends) {
      names_.insert(s_.text(name));
      declared_.insert(name);
    }
  }

  // Whether the sign at `i` stands before its one operand.
  bool is_unary(Index i) const {
    if (i == 0) return false;
    const Token& before = s_[i - 1];
    if (before.kind == Kind::name) return before.is(Word::return_);
    return before.kind == Kind::punctuation && !before.is(')') && !before.is(']') &&
           !before.is('>');
  }
  bool has_address_taken(Index first) const {
    return first > 0 && s_.is(first - 1, '&') && is_unary(first - 1);
  }
  // `*x`, but not `&*x`.
  bool is_dereferenced(Index first) const {
    return first > 1 && s_.is(first - 1, '*') && is_unary(first - 1) && !s_.is(first - 2, '&') &&
           !s_.is(first - 2, '*');
  }
  bool goes_on(Index i) const { return s_.is(i, '[') || s_.is(i, Word::arrow_); }
  bool is_accessed(Index first, Index last) const {
    if (goes_on(last + 1)) return !has_address_taken(first);
    const std::string_view next = s_.text(last + 1);
    return is_dereferenced(first) && next != "(" && next != "++" && next != "--" && next != ".";
  }
  void wrap(Index first, Index last, const char* function) {
    s_.insert_before(first, function);
    s_.insert_after(last, ")");
  }

  void use(Index i) {
    if (declared_.count(i) != 0 || i == 0) return;
    const Token& before = s_[i - 1];
    if (before.is('.') || before.is(Word::arrow_) || before.is(Word::scope_)) return;
    // `*(p + i)`
    const bool offset = before.is('(') && is_dereferenced(i - 1) &&
                        (s_.text(i + 1) == "+" || s_.text(i + 1) == "-");
    if (offset || is_accessed(i, i)) wrap(i, i, "::simt::aligned(");
  }

  void named_cast(Index i) {
    const Index angle = s_.is(i + 1, '<') ? s_.close_angle(i + 1) : none;
    if (angle == none || !s_.is(angle + 1, '(')) return;
    Index star = angle - 1;
    while (is_qualifier(star)) --star;
    const Index close = s_.match(angle + 1);
    if (s_.is(star, '*') && close != none && is_accessed(i, close))
      wrap(i, close, "::simt::aligned_cast(");
  }

  // `*(T*)p`, `((T*)p)[i]`, `((T*)p)->x`: the '(' of the cast is at `i`. Returns where to go on.
  Index plain_cast(Index i) {
    const Index close = s_.match(i);
    if (close == none || close >= end_ || close < i + 3) return i;
    Index star = close - 1;
    while (is_qualifier(star) && star > i) --star;
    if (!s_.is(star, '*') || !is_type({i + 1, star})) return i;
    const Token& operand = s_[close + 1];
    const bool has_operand = operand.kind == Kind::name || operand.is('(') || operand.is('&');
    if (!has_operand) return i;
    if (is_dereferenced(i) && !precedes_sign(i - 1)) {
      s_.replace(i - 1, close, "::simt::CastTo<" + s_.flat_text({i + 1, star}) + ">() ->* ");
      return close;
    }
    const bool alone = i > 1 && s_.is(i - 1, '(') && s_[i - 2].kind != Kind::name &&
                       !s_.is(i - 2, ')') && !s_.is(i - 2, ']') && !s_.is(i - 2, '>');
    const Index outer = alone ? s_.match(i - 1) : none;
    if (outer != none && goes_on(outer + 1) && !has_address_taken(i - 1))
      wrap(i - 1, outer, "::simt::aligned_cast(");
    return i;
  }
  // Another sign before the star binds closer than what takes the star's place.
  bool precedes_sign(Index star) const {
    const std::string_view before = s_.text(star - 1);
    return before == "-" || before == "+" || before == "!" || before == "~";
  }
  // Names, scopes, template arguments and const: a type, or at least no expression that is followed
  // by a star and a parenthesis.
  bool is_type(Range r) const {
    if (r.begin >= r.end) return false;
    for (Index i = r.begin; i < r.end; ++i) {
      if (s_.is(i, '<')) {
        i = s_.close_angle(i);
        if (i == none || i >= r.end) return false;
      } else if (!s_.is_name(i) && !s_.is(i, Word::scope_)) {
        return false;
      }
    }
    return true;
  }

  Source& s_;
  Index end_;
  std::unordered_set<std::string_view> names_;
  std::unordered_set<Index> declared_;
};

}  // namespace

void rewrite_aligned(Source& s, Index parameters, Index body) {
  const Index end = s.match(body);
  if (end != none) Pointers(s, {parameters, end}).rewrite(body);
}

}  // namespace simt::cc
