// Parses the declarations inside a kernel.

#include <unordered_set>

#include "split/tree.h"

namespace simt::cc {
namespace {

const std::unordered_set<std::string_view>& built_in_types() {
  static const std::unordered_set<std::string_view> names = {
      "auto", "bool",   "char",     "short",    "int",     "long",    "float",    "double",
      "void", "signed", "unsigned", "__int128", "wchar_t", "char8_t", "char16_t", "char32_t"};
  return names;
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "constexpr" || word == "static" || word == "register" ||
         word == "__restrict__" || word == "__restrict" || word == "restrict" ||
         word == "thread_local" || word == "inline";
}

class Parser {
 public:
  Parser(const Source& s, Range range, Declaration& out) : s_(s), end_(range.end), out_(out) {
    out_.base.begin = at_ = range.begin;
  }

  bool run() {
    if (at_ >= end_) return false;
    const std::string_view word = s_.text(at_);
    if (word == "using" || word == "typedef" || word == "static_assert") {
      out_.is_type = true;
      return true;
    }
    if (word == "return" || word == "delete" || word == "new" || word == "throw" ||
        word == "break" || word == "continue" || word == "else") {
      return false;
    }
    if (!base()) return false;
    if (out_.is_type) return true;
    out_.base.end = at_;
    if (at_ >= end_) return false;
    while (at_ < end_) {
      if (!declarator()) return false;
      if (at_ < end_ && !s_.is(at_++, ',')) return refuse();
    }
    return !out_.names.empty();
  }

 private:
  // After the first name it is a declaration for sure.
  bool refuse() const {
    if (out_.names.empty()) return false;
    throw NotSplit{"a declaration that is not understood"};
  }

  bool base() {
    bool typed = false;
    for (; at_ < end_; ++at_) {
      const std::string_view word = s_.text(at_);
      if (s_.is(at_, Word::shared_)) {
        out_.is_shared = true;
      } else if (s_.is(at_, Word::extern_)) {
        out_.is_static = true;
      } else if (s_.is(at_, '[') && s_.is(at_ + 1, '[')) {
        at_ = s_.last_of(at_);
      } else if (s_.is(at_, Word::alignas_) || s_.is(at_, Word::attribute_)) {
        out_.is_aligned = true;
        if (!s_.is(at_ + 1, '(')) return false;
        at_ = s_.last_of(at_ + 1);
      } else if (is_qualifier(word)) {
        out_.is_static = out_.is_static || word == "static";
        out_.is_constant = out_.is_constant || word == "const" || word == "constexpr";
      } else if (built_in_types().count(word) != 0) {
        typed = true;
        out_.is_auto = out_.is_auto || word == "auto";
      } else if (s_.is(at_, Word::struct_)) {
        if (is_type_alone()) {
          out_.is_type = true;
          return true;
        }
        ++at_;  // `struct T x`
        if (!type_name()) throw NotSplit{"a declaration that is not understood"};
        typed = true;
        --at_;
      } else if (typed) {
        break;
      } else if (!type_name()) {
        return false;
      } else {
        typed = true;
        --at_;
      }
    }
    return typed;
  }

  // A struct, class or enum without variables of it.
  bool is_type_alone() const {
    for (Index i = at_; i < end_; ++i) {
      if (!s_.is(i, '{')) continue;
      if (s_.match(i) != end_ - 1) throw NotSplit{"a declaration that is not understood"};
      return true;
    }
    return at_ + 2 >= end_;  // `struct T;`
  }

  // `[typename] [::] a<...>::b`, `decltype(...)`; leaves `at_` behind it.
  bool type_name() {
    if (s_.is(at_, Word::decltype_) && s_.is(at_ + 1, '(')) {
      at_ = s_.after(at_ + 1);
      return true;
    }
    if (s_.is(at_, Word::typename_)) ++at_;
    if (s_.is(at_, Word::scope_)) ++at_;
    for (;;) {
      if (s_.is(at_, Word::template_)) ++at_;
      if (!s_.is_name(at_) || at_ >= end_) return false;
      ++at_;
      if (s_.is(at_, '<')) {
        const Index close = s_.close_angle(at_);
        if (close == none || close >= end_) return false;
        at_ = close + 1;
      }
      if (!s_.is(at_, Word::scope_)) return true;
      ++at_;
    }
  }

  bool declarator() {
    Declarator d{at_, none, none, none};
    for (; at_ < end_; ++at_) {
      if (s_.is(at_, '*')) {
        d.pointer = true;
      } else if (s_.is(at_, '&') || (s_.is(at_, Word::other_) && s_.text(at_) == "&&")) {
        d.reference = true;
      } else if (!(s_.is_name(at_) && is_qualifier(s_.text(at_)))) {
        break;
      }
    }
    if (s_.is(at_, '(') && s_.is(at_ + 1, '*') && s_.is_name(at_ + 2) && s_.is(at_ + 3, ')')) {
      d.pointer = true;  // `T (*p)[n]`
      d.name = at_ + 2;
      at_ += 4;
      if (!s_.is(at_, '[')) return refuse();
    } else {
      if (!s_.is_name(at_) || at_ >= end_) return refuse();
      d.name = at_++;
      d.array = s_.is(at_, '[');
    }
    while (s_.is(at_, '[') && at_ < end_) at_ = s_.after(at_);
    d.suffix_end = at_;
    if (at_ < end_ && !s_.is(at_, ',')) {
      if (!s_.is(at_, '=') && !s_.is(at_, '(') && !s_.is(at_, '{')) return refuse();
      d.value = {at_, value_end()};
      at_ = d.value.end;
    }
    d.end = at_;
    out_.names.push_back(d);
    return true;
  }

  // The comma behind the initialiser that begins here: not one of a template's arguments.
  Index value_end() const {
    for (Index i = at_; i < end_; i = s_.after(i)) {
      if (s_.is(i, ',')) return i;
      if (s_.is(i, '<') && s_.is_name(i - 1)) {
        const Index close = s_.close_angle(i);
        const bool list =
            close != none && close < end_ &&
            (s_.is(close + 1, '(') || s_.is(close + 1, '{') || s_.is(close + 1, Word::scope_));
        if (list) i = close;
      }
    }
    return end_;
  }

  const Source& s_;
  const Index end_;
  Declaration& out_;
  Index at_;
};

}  // namespace

bool parse_declaration(const Source& source, Range range, Declaration& out) {
  return Parser(source, range, out).run();
}

}  // namespace simt::cc
