// Texts to tokens and back, by byte-pair encoding as Hugging Face's tokenizer.json describes it: byte-level (GPT-2, Llama 3),
// or on characters with single bytes for those that the vocabulary has not (Llama 2).
//
//   added tokens are cut out of the text  ->  the rest is normalised  ->  words  ->  symbols  ->  merges
//
// A model without that file has bytes as tokens.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/text/merges.h"
#include "models/text/words.h"

namespace warpath::models {

class Tokenizer {
 public:
  static constexpr const char* file_name = "tokenizer.json";

  static Tokenizer of_bytes();
  // Refuses, in one line that names it, a file that is damaged or asks for what is not here.
  static Tokenizer read(const std::filesystem::path& file);
  // The same from a file's text; `name` is for messages.
  static Tokenizer parse(const std::string& text, const std::string& name);
  // The tokenizer of a model's folder: its file, or bytes where it has none.
  static Tokenizer of_folder(const std::filesystem::path& folder);

  // With what the file puts around a text, such as a token for its beginning; `plain`: without. Any bytes can be encoded.
  Tokens encode(std::string_view text, bool plain = false) const;

  // The bytes of one token, which may be a part of a character. Special tokens have none unless they are asked for.
  std::string piece(std::int32_t token, bool special = false) const;
  std::string decode(const Tokens& tokens, bool special = false) const;

  bool bytes() const { return bytes_; }
  // One more than the largest token: what a model's vocabulary must have room for.
  std::int64_t size() const { return static_cast<std::int64_t>(pieces_.size()); }

 private:
  friend class TokenizerFile;

  struct Added {
    std::string content;
    std::int32_t token;
    bool strips_left, strips_right;  // takes the white space beside it
  };
  struct Replacement {
    std::string from, to;
  };
  struct Words;  // encoded before, to be looked up

  void cut_added(std::string_view text, bool normalised, Tokens& to, Words& known) const;
  void encode_text(std::string_view text, Tokens& to, Words& known) const;
  void encode_word(std::string_view word, Tokens& to) const;
  void append_unknown(std::string_view character, Tokens& symbols, bool& last_unknown) const;
  std::string normalise(std::string_view text) const;

  bool bytes_ = false;
  bool byte_level_ = false;
  bool adds_space_ = false;     // in front of a text that begins with none
  bool whole_words_ = false;    // a word that is a token is not merged from its symbols
  bool byte_fallback_ = false;  // a character that is no symbol becomes tokens of its bytes
  bool fuses_unknown_ = false;  // several unknown characters are one token
  std::size_t strips_ = 0;      // spaces at the beginning of a decoded text
  std::int32_t unknown_ = -1;
  WordPattern pattern_ = WordPattern::whole;
  std::string prefix_;                     // of every text, by the normalisation
  std::vector<Replacement> replacements_;  // by the normalisation, in this order
  std::vector<Added> added_[2];            // [1]: looked for in the normalised text; longest first
  std::string first_bytes_[2];             // of their contents
  Tokens before_, behind_;                 // a text
  std::unordered_map<std::string, std::int32_t> tokens_;  // by their bytes
  std::int32_t byte_tokens_[256] = {};                    // -1: none
  std::vector<std::string> pieces_;                       // by token; empty where there is none
  std::vector<bool> special_;
  Merges merges_;
};

}  // namespace warpath::models
