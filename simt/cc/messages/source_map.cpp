#include "messages/source_map.h"

#include <algorithm>
#include <fstream>

namespace simt::cc {
namespace {

std::string key(const std::string& file, unsigned line) {
  return file + ":" + std::to_string(line);
}

std::string_view line_at(std::string_view text, std::size_t begin) {
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

std::string_view text_of(std::string_view line, const Token& t) {
  return line.substr(t.begin, t.end - t.begin);
}

// For each token of `from` its twin in `to`, or none: the longest common subsequence.
std::vector<Index> twins(std::string_view from_line, const std::vector<Token>& from,
                         std::string_view to_line, const std::vector<Token>& to) {
  const std::size_t width = to.size() + 1;
  std::vector<unsigned> best((from.size() + 1) * width);
  const auto same = [&](std::size_t i, std::size_t j) {
    return text_of(from_line, from[i]) == text_of(to_line, to[j]);
  };
  for (std::size_t i = from.size(); i-- > 0;) {
    for (std::size_t j = to.size(); j-- > 0;) {
      best[i * width + j] = same(i, j)
                                ? best[(i + 1) * width + j + 1] + 1
                                : std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  std::vector<Index> result(from.size(), none);
  for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    if (same(i, j)) {
      result[i++] = static_cast<Index>(j++);
    } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

}  // namespace

unsigned column_before_macros(std::string_view user_line, std::string_view line, unsigned column) {
  if (column == 0 || user_line == line) return column;
  const std::vector<Token> made = tokenize(line), written = tokenize(user_line);
  if (written.empty() || made.size() * written.size() > 100000) return 1;
  // The token at the column, or the one before it (a message may point behind the last one).
  std::size_t at = 0;
  while (at + 1 < made.size() && made[at + 1].begin < column) ++at;
  if (made.empty()) return written.front().begin + 1;
  const std::vector<Index> twin = twins(line, made, user_line, written);
  if (twin[at] != none) {
    const Token& t = written[twin[at]];
    const unsigned inside = column - 1 >= made[at].begin ? column - 1 - made[at].begin : 0;
    return t.begin + std::min<unsigned>(inside, t.end - t.begin) + 1;
  }
  // From a macro, whose name stands behind the last token before that was written so.
  Index next = 0;
  for (std::size_t i = 0; i < at; ++i) {
    if (twin[i] != none) next = twin[i] + 1;
  }
  return written[std::min<std::size_t>(next, written.size() - 1)].begin + 1;
}

SourceMap::SourceMap(std::string_view preprocessed, std::string_view translated,
                     std::vector<Piece> pieces)
    : preprocessed_(preprocessed), translated_(translated), pieces_(std::move(pieces)) {
  Position position{"", 1};
  for (std::size_t at = 0; at < translated.size();) {
    const std::string_view line = line_at(translated, at);
    if (!follow_marker(line, position)) {
      begins_[key(position.file, position.line)].push_back(at);
      ++position.line;
    }
    at += line.size() + 1;
  }
}

const std::vector<std::size_t>& SourceMap::begins(const std::string& file, unsigned line) const {
  static const std::vector<std::size_t> nowhere;
  const auto found = begins_.find(key(file, line));
  return found != begins_.end() ? found->second : nowhere;
}

std::size_t SourceMap::before_edits(std::size_t offset) const {
  auto after = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                [](std::size_t o, const Piece& p) { return o < p.to; });
  if (after == pieces_.begin()) return offset;
  const Piece& piece = *--after;
  return piece.is_new ? piece.from : piece.from + (offset - piece.to);
}

SourceLocation SourceMap::of(const SourceLocation& compiled) const {
  if (compiled.column == 0) return compiled;
  for (const std::size_t begin : begins(compiled.file, compiled.line)) {
    if (line_at(translated_, begin).size() + 1 < compiled.column) continue;
    return of_offset(before_edits(begin + compiled.column - 1));
  }
  return compiled;
}

SourceLocation SourceMap::of_offset(std::size_t offset) const {
  const Position position = position_of(preprocessed_, offset);
  const std::size_t before =
      offset == 0 ? std::string_view::npos : preprocessed_.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  SourceLocation location{position.file, position.line, static_cast<unsigned>(offset - begin) + 1};
  const std::string user_line = line_of(location.file, location.line);
  if (!user_line.empty()) {
    location.column =
        column_before_macros(user_line, line_at(preprocessed_, begin), location.column);
  }
  return location;
}

std::string SourceMap::line_of(const std::string& file, unsigned line) const {
  auto [found, is_new] = files_.try_emplace(file);
  if (is_new) {
    std::ifstream stream(file);
    for (std::string text; std::getline(stream, text);) found->second.push_back(text);
  }
  return line >= 1 && line <= found->second.size() ? found->second[line - 1] : "";
}

}  // namespace simt::cc
