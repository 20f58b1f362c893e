// What `warpath generate` prints of its texts: as they are written, in the order of their prompts, or as a line of JSON each.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "models/text/tokenizer.h"

namespace warpath::cli {

struct Prompt {
  std::string text;
  models::Tokens tokens;
  std::uint64_t seed = 0;
};

struct TextOptions {
  std::vector<std::string> stops;  // a text ends behind the first of them
  models::Tokens ends;             // tokens that end a text
  std::size_t most = 48;           // tokens of a text
  bool json = false, logprobs = false, speed = false;
  std::size_t calls = 0;  // of ops, for a token
};

class WrittenTexts {
 public:
  WrittenTexts(const models::Tokenizer& tokenizer, std::vector<Prompt> prompts,
               TextOptions options);

  void begins(std::size_t text) { texts_[text].begun = Clock::now(); }
  // A new token of a text; false: the text ends with it.
  bool take(std::size_t text, std::int32_t token, const std::vector<float>& logits);
  void ended(std::size_t text, int moves);
  // Texts that have not ended were interrupted; what they have is printed.
  void finish();

  std::size_t tokens() const { return tokens_; }
  std::size_t whole() const { return whole_; }  // texts that were not interrupted

 private:
  using Clock = std::chrono::steady_clock;
  struct Text {
    std::string text;
    std::size_t printed = 0;
    models::Tokens ids;
    std::vector<double> logprobs;
    const char* why = nullptr;  // it ended; null: it has not
    bool prompt_printed = false;
    int moves = 0;
    // When its prompt was begun, when it had its first token, and its last one.
    Clock::time_point begun, first, last;
  };

  bool meets_stop(Text& t, std::size_t before) const;
  void print_new();
  void print_json(std::size_t i) const;
  void print_part(Text& t, std::size_t i) const;

  const models::Tokenizer& tokenizer_;
  std::vector<Prompt> prompts_;
  TextOptions options_;
  std::vector<Text> texts_;
  std::size_t next_ = 0;  // the first text that is not wholly printed
  std::size_t tokens_ = 0, whole_ = 0;
};

// A text as JSON has it, in ASCII, so that nothing in it ends a line: what is no character is replaced.
std::string json_text(const std::string& text);

}  // namespace warpath::cli
