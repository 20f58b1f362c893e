#include "models/text/words.h"

#include "models/text/unicode.h"

namespace warpath::models {
namespace {

using Class = CharacterClass;

// The text from a place on, in characters.
class Reader {
 public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) { look(); }

  bool ended() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  std::uint32_t code() const { return now_.code; }
  bool is(Class c) const { return !ended() && class_ == c; }
  bool is(char c) const { return !ended() && now_.code == static_cast<unsigned char>(c); }
  bool line_end() const { return is('\r') || is('\n'); }

  void next() {
    at_ += now_.bytes;
    look();
  }
  // Past all characters of a class, `most` of them at most; whether there was one.
  bool skip(Class c, std::size_t most = ~std::size_t{0}) {
    const std::size_t from = at_;
    for (std::size_t i = 0; i < most && is(c); ++i) next();
    return at_ > from;
  }

 private:
  void look() {
    if (ended()) return;
    now_ = character_at(text_, at_);
    class_ = now_.valid ? class_of(now_.code) : Class::other;
  }

  std::string_view text_;
  std::size_t at_;
  Character now_{0, 0, true};
  Class class_ = Class::other;
};

// The bytes of 's, 't, 're, 've, 'm, 'll or 'd at a place; 0: none of them is there.
std::size_t contraction(std::string_view text, std::size_t at, bool any_case) {
  if (text[at] != '\'') return 0;
  const auto letter = [&](std::size_t i) -> char {
    if (at + i >= text.size()) return 0;
    const char c = text[at + i];
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  };
  const char a = letter(1), b = letter(2);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l')) return 3;
  // The long s is a small s in any case.
  if (any_case && text.substr(at + 1, 2) == "\xC5\xBF") return 3;
  return 0;
}

// The end of a word of white space: \s+(?!\S)|\s+, before it \s*[\r\n]+ where lines end words.
std::size_t end_of_spaces(std::string_view text, std::size_t at, bool lines) {
  Reader r(text, at);
  std::size_t last = at, behind_line = at;
  while (r.is(Class::space)) {
    const bool line_end = r.line_end();
    last = r.at();
    r.next();
    if (line_end) behind_line = r.at();
  }
  if (lines && behind_line > at) return behind_line;
  // The last one before a word belongs to that word, unless it is the only one.
  return r.ended() || last == at ? r.at() : last;
}

std::size_t end_gpt2(std::string_view text, std::size_t at) {
  if (const std::size_t n = contraction(text, at, false)) return at + n;
  Reader r(text, at);
  if (r.is(' ')) r.next();
  if (r.skip(Class::letter) || r.skip(Class::number) || r.skip(Class::other)) return r.at();
  return end_of_spaces(text, at, false);
}

std::size_t end_llama3(std::string_view text, std::size_t at) {
  if (const std::size_t n = contraction(text, at, true)) return at + n;
  Reader letters(text, at);
  if (!letters.line_end() && !letters.is(Class::letter) && !letters.is(Class::number))
    letters.next();
  if (letters.skip(Class::letter)) return letters.at();
  Reader r(text, at);
  if (r.skip(Class::number, 3)) return r.at();
  if (r.is(' ')) r.next();
  if (r.skip(Class::other)) {
    while (r.line_end()) r.next();
    return r.at();
  }
  return end_of_spaces(text, at, true);
}

}  // namespace

std::vector<std::string_view> words_of(WordPattern pattern, std::string_view text) {
  std::vector<std::string_view> words;
  if (pattern == WordPattern::digits) {
    for (std::size_t at = 0; at < text.size();) {
      Reader r(text, at);
      const bool digit = r.skip(Class::number, 1);
      while (!digit && !r.ended() && !r.is(Class::number)) r.next();
      const std::string_view part = text.substr(at, r.at() - at);
      for (const std::string_view word : words_of(WordPattern::gpt2, part)) words.push_back(word);
      at = r.at();
    }
    return words;
  }
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.size();
    if (pattern == WordPattern::gpt2) end = end_gpt2(text, at);
    if (pattern == WordPattern::llama3) end = end_llama3(text, at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

WordPattern pattern_by(std::string_view e) {
  if (e == R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)")
    return WordPattern::gpt2;
  if (e ==
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)")
    return WordPattern::llama3;
  return WordPattern::whole;
}

}  // namespace warpath::models
