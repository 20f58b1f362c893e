#pragma once

// The tokens of the user's own files, without those of system headers, simt's headers and CCCL.

#include <string_view>
#include <vector>

#include "translate/source.h"

namespace simt::cc::spaces {

class OwnTokens {
 public:
  explicit OwnTokens(const Source& source);

  Index size() const { return static_cast<Index>(at_.size()); }
  // The place in the source, for messages.
  Index place(Index i) const { return i < size() ? at_[i] : source_.size(); }
  const Token& operator[](Index i) const { return source_[place(i)]; }
  std::string_view text(Index i) const { return source_.text(place(i)); }
  std::string flat_text(Index begin, Index end) const;

  bool is(Index i, char c) const { return (*this)[i].is(c); }
  bool is(Index i, Word w) const { return (*this)[i].is(w); }
  bool is(Index i, std::string_view word) const { return text(i) == word; }
  bool is_name(Index i) const { return i < size() && (*this)[i].kind == Kind::name; }
  bool is_literal(Index i) const;
  bool adjacent(Index i, Index j) const { return source_.adjacent(place(i), place(j)); }
  bool is_launch(Index i) const {  // the first of three '<'
    return is(i, '<') && is(i + 1, '<') && is(i + 2, '<') && adjacent(i, i + 1);
  }

  // The other bracket of a pair, none if there is none.
  Index match(Index i) const { return i < size() ? match_[i] : none; }
  // The first token behind what opens here. Never goes back.
  Index after(Index i) const { return match(i) != none && match(i) > i ? match(i) + 1 : i + 1; }
  // From the '<' of a template list to its '>'; none when it is no such list.
  Index close_angle(Index open) const;

  const Source& source() const { return source_; }
  // Whether the token of the source is in one of the user's files.
  const std::vector<Range>& header_ranges() const { return header_ranges_; }

 private:
  const Source& source_;
  std::vector<Index> at_;
  std::vector<Index> match_;
  std::vector<Range> header_ranges_;  // of the source's tokens that are not the user's
};

}  // namespace simt::cc::spaces
