#pragma once

// The translator's view of one preprocessed file: its tokens, which bracket closes which, and the
// list of edits that becomes the output.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "translate/lexer.h"

namespace simt::cc {

using Index = std::uint32_t;
inline constexpr Index none = 0xffffffffu;

struct Range {
  Index begin;
  Index end;  // one past the last
};

// Text of the result from `to` on, which is that of the original from `from` on, or, if it is new,
// belongs to the place `from` as a whole.
struct Piece {
  std::uint32_t to;
  std::uint32_t from;
  bool is_new;
};

// Something that is wrong at an offset of the original.
struct Finding {
  std::uint32_t offset;
  std::string what;
};

class Source {
 public:
  explicit Source(std::string_view text);

  Index size() const { return static_cast<Index>(tokens_.size()); }
  const Token& operator[](Index i) const { return i < tokens_.size() ? tokens_[i] : end_token_; }
  std::string_view text(Index i) const {
    const Token& t = (*this)[i];
    return text_.substr(t.begin, t.end - t.begin);
  }
  std::string_view text(Range r) const;
  // The same on one line: a copy must not add lines to the output.
  std::string flat_text(Range r) const;

  // The other bracket of a pair, none if there is none.
  Index match(Index i) const { return i < match_.size() ? match_[i] : none; }
  // The last token of what opens here: a bracket's partner, else the token itself. Never goes back.
  Index last_of(Index i) const { return match(i) != none && match(i) > i ? match(i) : i; }
  // The first token behind that.
  Index after(Index i) const { return last_of(i) + 1; }

  bool is(Index i, char c) const { return (*this)[i].is(c); }
  bool is(Index i, Word w) const { return (*this)[i].is(w); }
  bool is_name(Index i) const { return (*this)[i].kind == Kind::name && i < size(); }
  bool adjacent(Index i, Index j) const { return (*this)[i].end == (*this)[j].begin; }

  // From '>' back to its '<' (or forward with close_angle); none when it is no template list.
  Index open_angle(Index close) const;
  Index close_angle(Index open) const;

  // Tokens first..last. A message about the new text is about the token `about`, the first by
  // default.
  void replace(Index first, Index last, std::string with, Index about = none);
  void insert_before(Index i, std::string what);
  void insert_after(Index i, std::string what);
  void error(Index i, const std::string& what);

  std::string apply();
  // Where each piece of apply()'s result comes from.
  std::vector<Piece> pieces;
  std::vector<Finding> errors;

 private:
  struct Edit {
    std::uint32_t begin;
    std::uint32_t end;
    std::string with;
    std::uint32_t about;  // the offset that messages about it name
  };

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Index> match_;
  std::vector<Edit> edits_;
  Token end_token_;
};

}  // namespace simt::cc
