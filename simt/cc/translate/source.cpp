#include "translate/source.h"

#include <algorithm>

namespace simt::cc {

Source::Source(std::string_view text) : text_(text), tokens_(tokenize(text)) {
  const auto end = static_cast<std::uint32_t>(text.size());
  end_token_ = {end, end, Kind::punctuation, Word::none, 0};
  match_.assign(tokens_.size(), none);
  std::vector<Index> open;
  for (Index i = 0; i < tokens_.size(); ++i) {
    switch (tokens_[i].op) {
      case '(':
      case '[':
      case '{':
        open.push_back(i);
        break;
      case ')':
      case ']':
      case '}':
        if (!open.empty()) {
          match_[i] = open.back();
          match_[open.back()] = i;
          open.pop_back();
        }
        break;
      default:
        break;
    }
  }
}

std::string_view Source::text(Range r) const {
  if (r.begin >= r.end) return {};
  return text_.substr(tokens_[r.begin].begin, tokens_[r.end - 1].end - tokens_[r.begin].begin);
}

std::string Source::flat_text(Range r) const {
  std::string flat;
  for (Index i = r.begin; i < r.end; ++i) {
    if (tokens_[i].kind == Kind::directive) continue;
    if (i > r.begin && tokens_[i - 1].end != tokens_[i].begin) flat += ' ';
    flat += text(i);
  }
  return flat;
}

Index Source::open_angle(Index close) const {
  int depth = 0;
  for (Index i = close;; --i) {
    const Token& t = tokens_[i];
    if (t.is('>')) {
      ++depth;
    } else if (t.is('<')) {
      if (--depth == 0) return i;
    } else if (t.is(')') || t.is(']') || t.is('}')) {
      if (match(i) == none) return none;
      i = match(i);
    } else if (t.is(';') || t.is('{') || t.is('(') || t.is('[')) {
      return none;
    }
    if (i == 0) return none;
  }
}

Index Source::close_angle(Index open) const {
  int depth = 0;
  for (Index i = open; i < size(); ++i) {
    const Token& t = tokens_[i];
    if (t.is('<')) {
      ++depth;
    } else if (t.is('>')) {
      if (--depth == 0) return i;
    } else if (t.is('(') || t.is('[') || t.is('{')) {
      if (match(i) == none) return none;
      i = match(i);
    } else if (t.is(';') || t.is('}') || t.is(')') || t.is(']')) {
      return none;
    }
  }
  return none;
}

void Source::replace(Index first, Index last, std::string with, Index about) {
  const std::uint32_t begin = tokens_[first].begin;
  const std::uint32_t end = tokens_[last].end;
  // Lines must not move: the newlines of what goes away stay.
  const auto lines = std::count(text_.begin() + begin, text_.begin() + end, '\n');
  with.append(static_cast<std::size_t>(lines), '\n');
  edits_.push_back({begin, end, std::move(with), about != none ? tokens_[about].begin : begin});
}

void Source::insert_before(Index i, std::string what) {
  edits_.push_back({tokens_[i].begin, tokens_[i].begin, std::move(what), tokens_[i].begin});
}

void Source::insert_after(Index i, std::string what) {
  edits_.push_back({tokens_[i].end, tokens_[i].end, std::move(what), tokens_[i].begin});
}

void Source::error(Index i, const std::string& what) {
  errors.push_back({(*this)[i].begin, what});
}

std::string Source::apply() {
  // Insertions come before a replacement that starts at the same place.
  std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::string out;
  out.reserve(text_.size() + text_.size() / 8);
  std::uint32_t at = 0;
  for (const Edit& edit : edits_) {
    if (edit.begin < at) continue;  // inside something that was replaced as a whole
    pieces.push_back({static_cast<std::uint32_t>(out.size()), at, false});
    out.append(text_, at, edit.begin - at);
    pieces.push_back({static_cast<std::uint32_t>(out.size()), edit.about, true});
    out += edit.with;
    at = edit.end;
  }
  pieces.push_back({static_cast<std::uint32_t>(out.size()), at, false});
  out.append(text_, at);
  return out;
}

}  // namespace simt::cc
