#include "translate/two_sides.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "translate/source.h"

namespace simt::cc {
namespace {

enum class Space { host, device, both };

// A namespace or class around a definition.
struct Scope {
  Index begin;
  std::string head;
};

// A function's definition, or a lambda's for the device.
struct Definition {
  Space space;
  Index begin;        // first token of the declaration
  Index open, close;  // the braces of the body
  std::string name;
  Position where;  // of the opening brace
  std::vector<Scope> scopes;
};

using Key = std::tuple<std::string, unsigned, unsigned>;  // file, line, number in the line

// One side of the file: its definitions in the program's own files.
class Side {
 public:
  explicit Side(std::string_view text) : s(text), text_(text) {
    find_positions();
    scan(0, s.size());
  }

  Source s;
  std::map<Key, Definition> definitions;
  std::vector<Key> order;

  Position position(Index i) const { return positions_[i]; }
  // The body with its braces.
  std::string_view body(const Definition& d) const { return cut(d.open, d.close); }
  std::string_view cut(Index first, Index last) const {
    return text_.substr(s[first].begin, s[last].end - s[first].begin);
  }
  // The same tokens, wherever they stand.
  std::string tokens(const Definition& d) const {
    std::string all;
    for (Index i = d.open; i <= d.close; ++i) {
      if (s[i].kind != Kind::directive) (all += s.text(i)) += ' ';
    }
    return all;
  }
  // `name(`...: lambdas for the device inside a body.
  std::vector<Definition> lambdas(const Definition& d) const {
    std::vector<Definition> found;
    for (Index i = d.open + 1; i < d.close; ++i) {
      if (!s.is(i, Word::device_)) continue;
      Index open = i;
      while (open < d.close && !s.is(open, '{') && !s.is(open, ';')) open = s.after(open);
      if (!s.is(open, '{') || s.match(open) == none) continue;
      const bool both = s.is(i - 1, Word::host_) || s.is(i + 1, Word::host_);
      found.push_back(
          {both ? Space::both : Space::device, i, open, s.match(open), "", positions_[open], {}});
      i = s.match(open);
    }
    return found;
  }

 private:
  void find_positions() {
    positions_.reserve(s.size());
    own_.reserve(s.size());
    Position now{"", 1};
    bool own = true;
    std::size_t at = 0;
    for (Index i = 0; i < s.size(); ++i) {
      for (; at < s[i].begin; ++at) now.line += text_[at] == '\n';
      if (s[i].kind == Kind::directive && follow_marker(s.text(i), now)) {
        const std::string_view line = s.text(i);
        own = line.find(" 3", line.rfind('"')) == line.npos;
        --now.line;  // the marker's own end of line is counted yet
      }
      positions_.push_back(own ? now : Position{"", now.line});
      own_.push_back(own);
    }
  }

  bool head_has(Index begin, Index end, Word word) const {
    for (Index i = begin; i < end; ++i) {
      if (s.is(i, word)) return true;
    }
    return false;
  }

  // The token before the parameters of the function whose head is [begin, end); none if it is none.
  Index function_name(Index begin, Index end) const {
    for (Index i = begin; i < end; i = s.after(i)) {
      if (s.is(i, '=')) return none;
      if (s.is(i, '<')) {
        const Index close = s.close_angle(i);
        if (close != none && close < end) i = close;
      } else if (s.is(i, '(') && i > begin && s.is_name(i - 1) && !s.is(i - 1, Word::attribute_) &&
                 !s.is(i - 1, Word::alignas_) && !s.is(i - 1, Word::cluster_dims_) &&
                 !s.is(i - 1, Word::decltype_) && !s.is(i - 1, Word::explicit_)) {
        return i - 1;
      } else if (s.is(i, Word::operator_)) {
        return i;
      }
    }
    return none;
  }

  std::string flat_head(Index begin, Index open) const {
    std::string head;
    for (Index i = begin; i < open; ++i) {
      if (s[i].kind != Kind::directive) (head += s.text(i)) += ' ';
    }
    return head;
  }

  // Declarations of a file, a namespace or a class.
  void scan(Index from, Index to) {
    Index begin = from;
    for (Index i = from; i < to; i = s.after(i)) {
      if (s.is(i, ';') || s.is(i, '}') || s[i].kind == Kind::directive) {
        if (s[i].kind != Kind::directive || begin == i) begin = i + 1;
      } else if (s.is(i, ':') && (s.text(i - 1) == "public" || s.text(i - 1) == "private" ||
                                  s.text(i - 1) == "protected")) {
        begin = i + 1;
      } else if (s.is(i, '{')) {
        if (s.match(i) == none) return;
        block(begin, i);
        begin = s.match(i) + 1;
      }
    }
  }

  void block(Index begin, Index open) {
    const Index name = function_name(begin, open);
    const bool scope = head_has(begin, open, Word::namespace_) ||
                       (name == none && head_has(begin, open, Word::struct_)) ||
                       (s.is(begin, Word::extern_) && open == begin + 2);
    if (scope) {
      scopes_.push_back({begin, flat_head(begin, open)});
      scan(open + 1, s.match(open));
      scopes_.pop_back();
      return;
    }
    if (name == none || !own_[open] || head_has(begin, open, Word::global_)) return;
    // `: member{1} {`: the first of these braces is no body.
    if (s.is(s.match(open) + 1, '{') || s.is(s.match(open) + 1, ',')) return;
    const bool device = head_has(begin, open, Word::device_);
    const bool host = !device || head_has(begin, open, Word::host_);
    const Definition d{device && host ? Space::both
                       : device       ? Space::device
                                      : Space::host,
                       begin,
                       open,
                       s.match(open),
                       std::string(s.text(name)),
                       positions_[open],
                       scopes_};
    Key key{d.where.file, d.where.line, 0};
    while (definitions.count(key) != 0) ++std::get<2>(key);
    definitions.emplace(key, d);
    order.push_back(key);
  }

  std::string_view text_;
  std::vector<Position> positions_;
  std::vector<bool> own_;
  std::vector<Scope> scopes_;
};

std::string marker(const Position& at) {
  return "\n# " + std::to_string(at.line) + " \"" + at.file + "\"\n";
}

// Both bodies. A constant expression is the host's.
std::string choose(std::string_view device, std::string_view host, const Position& where) {
  return "{ if (!__builtin_is_constant_evaluated() && ::simt::in_kernel()) " + std::string(device) +
         " else " + marker(where) + std::string(host) + " }";
}

// The body that a function of the host has, with the device's bodies of lambdas inside.
std::string host_body(const Side& device, const Definition& d, const Side& host,
                      const Definition& h) {
  std::string body(host.body(h));
  const std::vector<Definition> ours = device.lambdas(d), theirs = host.lambdas(h);
  if (ours.size() != theirs.size()) return body;
  const std::uint32_t start = host.s[h.open].begin;
  for (std::size_t i = ours.size(); i-- > 0;) {
    if (device.tokens(ours[i]) == host.tokens(theirs[i])) continue;
    const Definition& mine = ours[i];
    const std::uint32_t begin = host.s[theirs[i].open].begin, end = host.s[theirs[i].close].end;
    body.replace(begin - start, end - begin,
                 mine.space == Space::both
                     ? choose(device.body(mine), host.body(theirs[i]), theirs[i].where)
                     : std::string(device.body(mine)));
  }
  return body;
}

// Where a definition that the device's text lacks can stand in it, in front of `next`; none if that
// is in another namespace or class.
Index place_before(const Definition& next, const Definition& lonely) {
  if (next.scopes.size() < lonely.scopes.size()) return none;
  for (std::size_t i = 0; i < lonely.scopes.size(); ++i) {
    if (next.scopes[i].head != lonely.scopes[i].head) return none;
  }
  const bool deeper = next.scopes.size() > lonely.scopes.size();
  return deeper ? next.scopes[lonely.scopes.size()].begin : next.begin;
}

}  // namespace

bool mentions_arch(std::string_view preprocessed) {
  std::set<std::string> seen;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    at = end + 1;
    Position position{"", 1};
    if (line.empty() || line[0] != '#' || !follow_marker(line, position)) continue;
    if (line.find(" 3", line.rfind('"')) != line.npos || !seen.insert(position.file).second ||
        !std::filesystem::is_regular_file(position.file)) {  // "<built-in>", the working folder
      continue;
    }
    std::ifstream file(position.file);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const char* word : {"__CUDA_ARCH__", "NV_IF_", "NV_DISPATCH_TARGET"}) {
      if (text.find(word) != text.npos) return true;
    }
  }
  return false;
}

std::string join_sides(std::string_view device_text, std::string_view host_text) {
  const Side device(device_text), host(host_text);
  std::set<std::string> known;
  for (const auto& [key, d] : device.definitions) known.insert(d.name);

  struct Edit {
    std::uint32_t begin, end;
    std::string with;
  };
  std::vector<Edit> edits;
  std::vector<const Definition*> lonely;  // of the host, waiting for a place
  for (const Key& key : host.order) {
    const Definition& h = host.definitions.at(key);
    const auto found = device.definitions.find(key);
    if (found == device.definitions.end()) {
      if (known.count(h.name) == 0 && h.space != Space::device) lonely.push_back(&h);
      continue;
    }
    const Definition& d = found->second;
    for (const Definition* one : lonely) {
      const Index place = place_before(d, *one);
      if (place == none) continue;
      edits.push_back({device.s[place].begin, device.s[place].begin,
                       marker(host.position(one->begin)) +
                           std::string(host.cut(one->begin, one->close)) +
                           marker(device.position(place))});
    }
    lonely.clear();
    if (d.space == Space::device || device.tokens(d) == host.tokens(h)) continue;
    const std::string body = host_body(device, d, host, h);
    edits.push_back({device.s[d.open].begin, device.s[d.close].end,
                     d.space == Space::both ? choose(device.body(d), body, h.where) : body});
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string joined(device_text);
  for (std::size_t i = edits.size(); i-- > 0;) {
    joined.replace(edits[i].begin, edits[i].end - edits[i].begin, edits[i].with);
  }
  return joined;
}

}  // namespace simt::cc
