#include "models/text/tokenizer.h"

#include <algorithm>

#include "models/text/unicode.h"

namespace warpath::models {

// Most words of a text come again. Kept small: a text of ever new words must not fill the memory.
struct Tokenizer::Words {
  static constexpr std::size_t most = 1 << 16, longest = 64;
  std::unordered_map<std::string, Tokens> tokens;
};

Tokenizer Tokenizer::of_bytes() {
  Tokenizer t;
  t.bytes_ = t.byte_level_ = true;
  t.special_.assign(256, false);
  for (int i = 0; i < 256; ++i) {
    t.byte_tokens_[i] = i;
    t.pieces_.emplace_back(1, static_cast<char>(i));
  }
  return t;
}

Tokenizer Tokenizer::of_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto file = folder / file_name;
  return std::filesystem::exists(file, ignored) ? read(file) : of_bytes();
}

Tokens Tokenizer::encode(std::string_view text, bool plain) const {
  Tokens tokens;
  if (!plain) tokens = before_;
  if (bytes_) {
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
  } else {
    Words known;
    cut_added(text, false, tokens, known);
  }
  if (!plain) tokens.insert(tokens.end(), behind_.begin(), behind_.end());
  return tokens;
}

// The leftmost added token, of several there the longest one. What lies between them goes on: to those that are looked for
// in the normalised text, then to the words.
void Tokenizer::cut_added(std::string_view text, bool normalised, Tokens& to, Words& known) const {
  const auto rest = [&](std::string_view part) {
    if (part.empty()) return;
    if (normalised)
      encode_text(part, to, known);
    else
      cut_added(normalise(part), true, to, known);
  };
  const std::vector<Added>& added = added_[normalised];
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find_first_of(first_bytes_[normalised], at)) != text.npos;) {
    const auto found = std::find_if(added.begin(), added.end(), [&](const Added& a) {
      return text.compare(at, a.content.size(), a.content) == 0;
    });
    if (found == added.end()) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + found->content.size();
    if (found->strips_left)
      while (begin > done) {
        std::size_t last = begin - 1;
        while (last > done && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
        if (class_of(character_at(text, last).code) != CharacterClass::space) break;
        begin = last;
      }
    if (found->strips_right)
      while (end < text.size()) {
        const Character c = character_at(text, end);
        if (class_of(c.code) != CharacterClass::space) break;
        end += c.bytes;
      }
    rest(text.substr(done, begin - done));
    to.push_back(found->token);
    at = done = end;
  }
  rest(text.substr(done));
}

std::string Tokenizer::normalise(std::string_view text) const {
  std::string result = prefix_ + std::string(text);
  for (const Replacement& r : replacements_) {
    std::string replaced;
    std::size_t done = 0;
    for (std::size_t at; (at = result.find(r.from, done)) != result.npos; done = at + r.from.size())
      replaced.append(result, done, at - done).append(r.to);
    result = replaced.append(result, done);
  }
  return result;
}

void Tokenizer::encode_text(std::string_view text, Tokens& to, Words& known) const {
  std::string with_space;
  if (adds_space_ && text[0] != ' ') text = with_space = " " + std::string(text);
  for (const std::string_view word : words_of(pattern_, text)) {
    if (word.size() > Words::longest) {
      encode_word(word, to);
      continue;
    }
    if (known.tokens.size() >= Words::most) known.tokens.clear();
    const auto [entry, is_new] = known.tokens.try_emplace(std::string(word));
    if (is_new) encode_word(word, entry->second);
    to.insert(to.end(), entry->second.begin(), entry->second.end());
  }
}

void Tokenizer::encode_word(std::string_view word, Tokens& to) const {
  if (whole_words_)
    if (const auto found = tokens_.find(std::string(word)); found != tokens_.end())
      return to.push_back(found->second);
  Tokens symbols;
  symbols.reserve(word.size());
  bool last_unknown = false;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t bytes = byte_level_ ? 1 : character_at(word, at).bytes;
    const std::string_view character = word.substr(at, bytes);
    at += bytes;
    std::int32_t token = -1;
    if (byte_level_) {
      token = byte_tokens_[static_cast<unsigned char>(character[0])];
    } else if (const auto found = tokens_.find(std::string(character)); found != tokens_.end()) {
      token = found->second;
    }
    if (token < 0) {
      append_unknown(character, symbols, last_unknown);
    } else {
      symbols.push_back(token);
      last_unknown = false;
    }
  }
  merges_.merge(symbols);
  to.insert(to.end(), symbols.begin(), symbols.end());
}

void Tokenizer::append_unknown(std::string_view character, Tokens& symbols,
                               bool& last_unknown) const {
  const auto token_of = [&](char c) { return byte_tokens_[static_cast<unsigned char>(c)]; };
  if (byte_fallback_ && !byte_level_ &&
      std::all_of(character.begin(), character.end(), [&](char c) { return token_of(c) >= 0; })) {
    for (const char c : character) symbols.push_back(token_of(c));
    last_unknown = false;
    return;
  }
  if (unknown_ < 0 || (fuses_unknown_ && last_unknown)) return;
  symbols.push_back(unknown_);
  last_unknown = true;
}

std::string Tokenizer::piece(std::int32_t token, bool special) const {
  if (token < 0 || token >= size()) return {};
  const auto i = static_cast<std::size_t>(token);
  return special_[i] && !special ? std::string() : pieces_[i];
}

std::string Tokenizer::decode(const Tokens& tokens, bool special) const {
  std::string text;
  for (const std::int32_t t : tokens) text += piece(t, special);
  std::size_t spaces = 0;
  while (spaces < strips_ && spaces < text.size() && text[spaces] == ' ') ++spaces;
  return text.substr(spaces);
}

}  // namespace warpath::models
