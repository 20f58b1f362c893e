#include "models/grammar.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace warpath::models {
namespace {

struct Word {
  const char *one, *many;
};
constexpr std::array<Word, 4> articles = {
    {{"the", "the"}, {"a", "two"}, {"one", "some"}, {"this", "these"}}};
constexpr std::array<const char*, 6> adjectives = {"small", "red",   "old",
                                                   "happy", "green", "quiet"};
constexpr std::array<Word, 8> nouns = {{{"dog", "dogs"},
                                        {"cat", "cats"},
                                        {"bird", "birds"},
                                        {"tree", "trees"},
                                        {"child", "children"},
                                        {"house", "houses"},
                                        {"fish", "fishes"},
                                        {"ball", "balls"}}};
constexpr std::array<Word, 6> verbs = {{{"sees", "see"},
                                        {"likes", "like"},
                                        {"finds", "find"},
                                        {"hears", "hear"},
                                        {"has", "have"},
                                        {"wants", "want"}}};
constexpr std::array<const char*, 4> places = {"near", "under", "behind", "with"};

// Takes one random number after the other.
struct Dice {
  Random random;
  std::uint64_t at = 0;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random.below(at++, n)); }
  bool one_in(std::size_t n) { return below(n) == 0; }
};

std::string noun_phrase(Dice& dice, bool many) {
  const auto form = [many](const Word& w) { return many ? w.many : w.one; };
  std::string text = form(articles[dice.below(articles.size())]);
  if (dice.one_in(2)) text.append(" ").append(adjectives[dice.below(adjectives.size())]);
  return text.append(" ").append(form(nouns[dice.below(nouns.size())]));
}

std::string clause(Dice& dice) {
  const bool many = dice.one_in(2);
  std::string text = noun_phrase(dice, many);
  const Word& verb = verbs[dice.below(verbs.size())];
  text.append(" ").append(many ? verb.many : verb.one).append(" ");
  text += noun_phrase(dice, dice.one_in(2));
  if (dice.one_in(3)) {
    text.append(" ").append(places[dice.below(places.size())]).append(" ");
    text += noun_phrase(dice, dice.one_in(2));
  }
  return text;
}

// Reads words from the front.
class Reader {
 public:
  explicit Reader(const std::string& text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) words_.push_back(word);
  }
  bool end() const { return at_ == words_.size(); }
  bool take(const std::string& word) { return !end() && words_[at_] == word && (++at_, true); }
  template <std::size_t N>
  bool take_any(const std::array<const char*, N>& all) {
    return std::any_of(all.begin(), all.end(), [&](const char* w) { return take(w); });
  }
  template <std::size_t N>
  bool take_any(const std::array<Word, N>& all, bool many) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Word& w) { return take(many ? w.many : w.one); });
  }
  bool noun_phrase(bool many) {
    const std::size_t begin = at_;
    if (take_any(articles, many)) {
      take_any(adjectives);
      if (take_any(nouns, many)) return true;
    }
    at_ = begin;
    return false;
  }
  bool noun_phrase() { return noun_phrase(false) || noun_phrase(true); }
  bool clause() {
    const std::size_t begin = at_;
    for (const bool many : {false, true}) {
      if (noun_phrase(many) && take_any(verbs, many) && noun_phrase())
        return !take_any(places) || noun_phrase();
      at_ = begin;
    }
    return false;
  }

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

// The words of a text in the order of the grammar: those that begin a sentence, then those behind a space.
std::vector<std::string> tokens_of_text() {
  std::vector<std::string> all = {"\n", "."};
  const auto add = [&](const std::string& token) {
    if (std::find(all.begin(), all.end(), token) == all.end()) all.push_back(token);
  };
  for (const Word& w : articles) add(w.one), add(w.many);
  const auto add_word = [&](const std::string& word) { add(" " + word); };
  for (const Word& w : articles) add_word(w.one), add_word(w.many);
  for (const char* w : adjectives) add_word(w);
  for (const Word& w : nouns) add_word(w.one), add_word(w.many);
  for (const Word& w : verbs) add_word(w.one), add_word(w.many);
  for (const char* w : places) add_word(w);
  add_word("and");
  return all;
}

}  // namespace

// Byte-level BPE without merges: a word is a token because the vocabulary has it ("ignore_merges"). A byte is written as a
// character that can be seen, so a space is U+0120 and the end of a line U+010A.
std::string grammar_tokenizer() {
  using nlohmann::ordered_json;
  ordered_json vocabulary = ordered_json::object();
  for (std::string token : tokens_of_text()) {
    if (token == "\n") token = "\u010a";
    if (token[0] == ' ') token = "\u0120" + token.substr(1);
    const auto id = vocabulary.size();
    vocabulary[token] = id;
  }
  const ordered_json level = {{"type", "ByteLevel"},
                              {"add_prefix_space", false},
                              {"trim_offsets", true},
                              {"use_regex", true}};
  const ordered_json j = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", ordered_json::array()},
                          {"normalizer", nullptr},
                          {"pre_tokenizer", level},
                          {"post_processor", nullptr},
                          {"decoder", level},
                          {"model",
                           {{"type", "BPE"},
                            {"dropout", nullptr},
                            {"unk_token", nullptr},
                            {"continuing_subword_prefix", nullptr},
                            {"end_of_word_suffix", nullptr},
                            {"fuse_unk", false},
                            {"byte_fallback", false},
                            {"ignore_merges", true},
                            {"vocab", vocabulary},
                            {"merges", ordered_json::array()}}}};
  return j.dump(2) + "\n";
}

std::string grammar_sentence(std::uint64_t seed, std::uint64_t index) {
  Dice dice{{seed, index}};
  std::string text = clause(dice);
  if (dice.one_in(4)) text += " and " + clause(dice);
  return text + ".";
}

std::string grammar_text(std::uint64_t seed, std::size_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < bytes; ++i)
    text.append(grammar_sentence(seed, i)).append("\n");
  return text;
}

bool grammar_accepts(const std::string& sentence) {
  if (sentence.empty() || sentence.back() != '.' || sentence.find("  ") != sentence.npos ||
      sentence.front() == ' ' || sentence.find(" .") != sentence.npos)
    return false;
  Reader reader(sentence.substr(0, sentence.size() - 1));
  return reader.clause() && (reader.end() || (reader.take("and") && reader.clause())) &&
         reader.end();
}

}  // namespace warpath::models
