#include "translate/list_kernels.h"

#include <simt/json_text.h>

#include <set>
#include <vector>

#include "translate/source.h"

namespace simt::cc {
namespace {

bool is_system_marker(std::string_view line) {
  const std::size_t name_end = line.rfind('"');
  return name_end != line.npos && line.find(" 3", name_end) != line.npos;
}

class Lister {
 public:
  explicit Lister(std::string_view text) : text_(text), s_(text) {}

  std::string run() {
    for (at_ = 0; at_ < s_.size(); ++at_) step();
    std::string files;
    for (const std::string& file : files_) files += (files.empty() ? "" : ", ") + json_quoted(file);
    return "{\"kernels\": [" + kernels_ + "],\n \"files\": [" + files + "]}\n";
  }

 private:
  struct Scope {
    std::string name;  // empty for extern "C" and namespaces without one
    Index end;
  };

  void step() {
    const Token& t = s_[at_];
    if (t.kind == Kind::directive) return marker(s_.text(at_));
    if (t.is(Word::global_)) return kernel();
    if (t.is(';')) declaration_ = at_ + 1;
    if (t.is('{')) return brace();
    if (t.is('}')) {
      if (!scopes_.empty() && scopes_.back().end == at_) scopes_.pop_back();
      declaration_ = at_ + 1;
    }
  }

  void marker(std::string_view line) {
    system_ = is_system_marker(line);
    Position position;
    if (system_ || !follow_marker(line, position) || position.file.empty()) return;
    // `<built-in>`; and with -g the preprocessor names its folder, as "/home/me//".
    if (position.file[0] != '<' && position.file.back() != '/') files_.insert(position.file);
  }

  // Goes into namespaces, past everything else: kernels are no members of classes.
  void brace() {
    std::string name;
    bool is_namespace = false;
    for (Index i = declaration_; i < at_; ++i) {
      if (s_.is(i, Word::namespace_)) {
        is_namespace = true;
      } else if (is_namespace && (s_.is_name(i) || s_.is(i, Word::scope_)) &&
                 !s_.is(i, Word::inline_) && !s_.is(i, Word::attribute_)) {
        name += s_.text(i);
      }
    }
    const bool is_extern =
        at_ >= 2 && s_[at_ - 1].kind == Kind::string && s_.is(at_ - 2, Word::extern_);
    if (is_namespace || is_extern) {
      scopes_.push_back({name, s_.match(at_)});
      declaration_ = at_ + 1;
    } else if (s_.match(at_) != none && s_.match(at_) > at_) {
      skip_to(s_.match(at_));
    }
  }

  // The markers on the way count: what follows is in the file that they name.
  void skip_to(Index end) {
    for (; at_ < end; ++at_) {
      if (s_[at_].kind == Kind::directive) marker(s_.text(at_));
    }
    declaration_ = end + 1;
  }

  void kernel() {
    Index open = at_ + 1;
    while (open < s_.size() && !(s_.is(open, '(') && is_parameter_list(open))) {
      if (s_.is(open, ';') || s_.is(open, '{')) return;
      // `__global__` is a system header's macro, and the lines around it say so.
      if (s_[open].kind == Kind::directive) marker(s_.text(open));
      open = s_.is(open, '(') ? s_.after(open) : open + 1;
    }
    const Index close = s_.match(open), name = open - 1;
    if (close == none) return;
    const bool defined = s_.is(close + 1, '{');
    // `k<float>(`: a specialisation or an instantiation of what is listed already.
    if (defined && s_.is_name(name) && !system_) add(name, open, close);
    at_ = close;
  }

  bool is_parameter_list(Index open) const {
    const Index before = open - 1;
    return !s_.is(before, Word::attribute_) && !s_.is(before, Word::alignas_) &&
           !s_.is(before, Word::cluster_dims_) && !s_.is(before, Word::decltype_);
  }

  void add(Index name, Index open, Index close) {
    std::string full;
    for (const Scope& scope : scopes_) {
      if (!scope.name.empty()) full += scope.name + "::";
    }
    full += s_.text(name);
    const Position position = position_of(text_, s_[name].begin);
    kernels_ += (kernels_.empty() ? "\n  " : ",\n  ") + std::string("{\"name\": ") +
                json_quoted(full) + ", \"template\": " + json_quoted(template_parameters()) +
                ", \"parameters\": [" + parameters(open, close) +
                "], \"file\": " + json_quoted(position.file) +
                ", \"line\": " + std::to_string(position.line) + "}";
  }

  std::string template_parameters() const {
    for (Index i = declaration_; i < at_; ++i) {
      if (!s_.is(i, Word::template_) || !s_.is(i + 1, '<')) continue;
      const Index close = s_.close_angle(i + 1);
      return close == none ? "" : s_.flat_text({i + 2, close});
    }
    return "";
  }

  std::string parameters(Index open, Index close) const {
    std::string list;
    for (Index begin = open + 1; begin < close;) {
      const Index end = parameter_end(begin, close);
      const std::string one = parameter(begin, end);
      if (!one.empty()) list += (list.empty() ? "" : ", ") + one;
      begin = end + 1;
    }
    return list;
  }

  // The comma that ends the parameter, or the closing parenthesis.
  Index parameter_end(Index i, Index close) const {
    for (; i < close; i = s_.after(i)) {
      if (s_.is(i, ',')) return i;
      if (s_.is(i, '<') && s_.close_angle(i) != none) i = s_.close_angle(i);
    }
    return close;
  }

  std::string parameter(Index begin, Index end) const {
    std::vector<Index> tokens;
    for (Index i = begin; i < end && !s_.is(i, '='); ++i) {  // up to a default
      if (s_[i].kind != Kind::directive) tokens.push_back(i);
    }
    bool array = false;
    for (; !tokens.empty() && s_.is(tokens.back(), ']'); array = true) {
      const Index open = s_.match(tokens.back());
      while (!tokens.empty() && tokens.back() >= open) tokens.pop_back();
    }
    if (tokens.empty()) return "";
    // `float* x`: the last name, where a type stands before it.
    const Index last = tokens.back();
    const Index before = tokens.size() > 1 ? tokens[tokens.size() - 2] : none;
    const bool named = before != none && s_.is_name(last) && !s_.is(last, Word::const_) &&
                       !s_.is(before, Word::scope_) && !s_.is(before, Word::const_);
    const std::string type = s_.flat_text({begin, named ? last : last + 1}) + (array ? "*" : "");
    if (type == "void") return "";
    return "{\"type\": " + json_quoted(type) +
           ", \"name\": " + json_quoted(named ? s_.text(last) : std::string_view()) + "}";
  }

  std::string_view text_;
  Source s_;
  Index at_ = 0;
  Index declaration_ = 0;  // first token of the current declaration
  bool system_ = false;
  std::vector<Scope> scopes_;
  std::set<std::string> files_;
  std::string kernels_;
};

}  // namespace

std::string list_kernels(std::string_view preprocessed) {
  return Lister(preprocessed).run();
}

}  // namespace simt::cc
