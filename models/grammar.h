// A small grammar of English-like sentences, for training without any data. Its words agree in number, so a model has
// something to learn beyond the words: "the small dog sees two birds near a tree."
//
//   text     = { sentence "\n" }
//   sentence = clause [ " and " clause ] "."
//   clause   = subject " " verb " " object [ " " place " " object ]
//   subject, object = article " " [ adjective " " ] noun, all singular or all plural
//
// A verb has the subject's number.
#pragma once
#include <string>

#include "models/random.h"

namespace warpath::models {

// Sentence `index` of a seed; every index has its own random numbers.
std::string grammar_sentence(std::uint64_t seed, std::uint64_t index);
// Whole sentences, a line each, `bytes` or a little more.
std::string grammar_text(std::uint64_t seed, std::size_t bytes);
// Whether it is one sentence of the grammar, with its full stop and without spaces around it.
bool grammar_accepts(const std::string& sentence);
// A tokenizer.json for such texts: its tokens are the grammar's words, each with the space before it, and no others.
std::string grammar_tokenizer();
inline constexpr std::int64_t grammar_vocabulary = 55;  // how many they are

}  // namespace warpath::models
