// Words of a text, as byte-level tokenizers split it before they merge: no token crosses a border of words.
#pragma once
#include <string_view>
#include <vector>

namespace warpath::models {

// Which regular expression finds the words. They are written out by hand in words.cpp: each alternative is a few lines, and
// none needs to look back.
enum class WordPattern {
  whole,   // the text is one word
  gpt2,    // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  digits,  // every \p{N} is a word; gpt2 for what lies between them
  llama3,  // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|
           // \s+(?!\S)|\s+
};

// One behind the other; together they are the text. A byte that belongs to no character counts as punctuation.
std::vector<std::string_view> words_of(WordPattern pattern, std::string_view text);

// The pattern that a tokenizer.json writes so; `whole` where it is another one.
WordPattern pattern_by(std::string_view regular_expression);

}  // namespace warpath::models
