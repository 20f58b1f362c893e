#include "models/grammar.h"

#include <algorithm>
#include <array>
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

}  // namespace

std::string grammar_sentence(std::uint64_t seed, std::uint64_t index) {
  Dice dice{{seed, index}};
  std::string text = clause(dice);
  if (dice.one_in(4)) text += " and " + clause(dice);
  return text + ".";
}

std::string grammar_text(std::uint64_t seed, std::size_t bytes) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < bytes; ++i)
    text.append(text.empty() ? "" : " ").append(grammar_sentence(seed, i));
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
