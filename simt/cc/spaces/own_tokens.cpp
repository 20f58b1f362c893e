#include "spaces/own_tokens.h"

#include <algorithm>
#include <unordered_map>

#include "spaces/spaces.h"

namespace simt::cc::spaces {
namespace {

struct Marker {
  Index at;
  std::string_view file;
  bool system;
};

// `# 12 "file" 1 3`: the 3 says that it is a system's.
bool parse_marker(std::string_view line, Marker& marker) {
  const std::size_t open = line.find('"'), close = line.rfind('"');
  if (open == line.npos || close == open) return false;
  if (line.size() < 3 || line[1] != ' ' || line[2] < '0' || line[2] > '9') return false;
  marker.file = line.substr(open + 1, close - open - 1);
  marker.system = line.find(" 3", close) != line.npos;
  return true;
}

// Which files are the user's. The macros of a system header are marked as the system's in the middle
// of the user's file, and a header that calls itself a system's is one from that line on: the last
// marker tells.
using IsOwn = std::unordered_map<std::string_view, bool>;
void note_marker(const Marker& marker, IsOwn& is_own) {
  is_own[marker.file] = !marker.system && marker.file.rfind('<', 0) != 0;
}

}  // namespace

std::vector<std::string> own_files(std::string_view preprocessed) {
  IsOwn is_own;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    Marker marker{};
    if (preprocessed[at] == '#' && parse_marker(preprocessed.substr(at, end - at), marker)) {
      note_marker(marker, is_own);
    }
    at = end + 1;
  }
  std::vector<std::string> files;
  for (const auto& [file, own] : is_own) {
    if (own && !file.empty() && file.back() != '/') files.emplace_back(file);
  }
  return files;
}

OwnTokens::OwnTokens(const Source& source) : source_(source) {
  std::vector<Marker> markers;
  IsOwn is_own;
  for (Index i = 0; i < source.size(); ++i) {
    if (source[i].kind != Kind::directive) continue;
    Marker marker{i, {}, false};
    if (!parse_marker(source.text(i), marker)) continue;
    markers.push_back(marker);
    note_marker(marker, is_own);
  }
  if (markers.empty()) markers.push_back({0, "", false});
  Index begin = 0;
  bool own = markers.front().at > 0 || markers.front().file.empty();
  const auto take = [&](Index end) {
    if (!own && begin < end) {
      if (!header_ranges_.empty() && header_ranges_.back().end == begin) {
        header_ranges_.back().end = end;
      } else {
        header_ranges_.push_back({begin, end});
      }
    }
    for (Index i = begin; own && i < end; ++i) {
      if (source[i].kind != Kind::directive) at_.push_back(i);
    }
    begin = end;
  };
  for (const Marker& marker : markers) {
    take(marker.at);
    own = marker.file.empty() || is_own[marker.file];
  }
  take(source.size());

  match_.assign(at_.size(), none);
  std::vector<Index> open;
  for (Index i = 0; i < size(); ++i) {
    const char c = (*this)[i].op;
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(i);
    } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
      match_[i] = open.back();
      match_[open.back()] = i;
      open.pop_back();
    }
  }
}

std::string OwnTokens::flat_text(Index begin, Index end) const {
  std::string flat;
  for (Index i = begin; i < end; ++i) {
    if (i > begin && is_name(i) && is_name(i - 1)) flat += ' ';
    flat += text(i);
  }
  return flat;
}

bool OwnTokens::is_literal(Index i) const {
  const Kind kind = (*this)[i].kind;
  return i < size() && (kind == Kind::number || kind == Kind::string || kind == Kind::character);
}

Index OwnTokens::close_angle(Index open) const {
  int depth = 0;
  for (Index i = open; i < size(); ++i) {
    const Token& t = (*this)[i];
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

}  // namespace simt::cc::spaces
