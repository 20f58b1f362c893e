#include "cli/models/written_texts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/text/unicode.h"

namespace warpath::cli {
namespace {

// A model may write anything. A terminal must not take it for commands.
std::string shown(const std::string& text) {
  static const bool terminal = isatty(STDOUT_FILENO);
  if (!terminal) return text;
  std::string result;
  for (const char c : text) {
    const bool control = (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7F;
    if (control)
      result += "\uFFFD";
    else
      result += c;
  }
  return result;
}

double logprob(const std::vector<float>& logits, std::int32_t token) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - most);
  return logits[static_cast<std::size_t>(token)] - most - std::log(sum);
}

}  // namespace

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

WrittenTexts::WrittenTexts(const models::Tokenizer& tokenizer, std::vector<Prompt> prompts,
                           TextOptions options)
    : tokenizer_(tokenizer),
      prompts_(std::move(prompts)),
      options_(std::move(options)),
      texts_(prompts_.size()) {}

// A stop may begin in one token and end in another, and the token may go on behind it.
bool WrittenTexts::meets_stop(Text& t, std::size_t before) const {
  std::size_t end = t.text.npos;
  for (const std::string& stop : options_.stops) {
    const std::size_t from = before - std::min(before, stop.size() - 1);
    if (const std::size_t at = t.text.find(stop, from); at != t.text.npos)
      end = std::min(end, at + stop.size());
  }
  if (end == t.text.npos) return false;
  t.text.resize(end);
  return true;
}

bool WrittenTexts::take(std::size_t i, std::int32_t token, const std::vector<float>& logits) {
  Text& t = texts_[i];
  const std::size_t before = t.text.size();
  t.last = Clock::now();
  if (t.ids.empty()) t.first = t.last;
  t.ids.push_back(token);
  ++tokens_;
  if (options_.logprobs) t.logprobs.push_back(logprob(logits, token));
  const bool is_end =
      std::find(options_.ends.begin(), options_.ends.end(), token) != options_.ends.end();
  if (!is_end) t.text += tokenizer_.piece(token);
  t.why = is_end                          ? "eos"
          : meets_stop(t, before)         ? "stop"
          : t.ids.size() == options_.most ? "length"
                                          : nullptr;
  if (t.why) return false;  // ended() prints it
  if (i == next_) print_new();
  return true;
}

void WrittenTexts::ended(std::size_t i, int moves) {
  texts_[i].moves = moves;
  ++whole_;
  print_new();
}

void WrittenTexts::finish() {
  for (Text& t : texts_)
    if (!t.why) t.why = "interrupted";
  print_new();
}

void WrittenTexts::print_new() {
  for (; next_ < texts_.size(); ++next_) {
    Text& t = texts_[next_];
    if (options_.json && t.why) print_json(next_);
    if (!options_.json && !t.ids.empty()) print_part(t, next_);
    if (!t.why) break;
  }
  std::fflush(stdout);
}

void WrittenTexts::print_part(Text& t, std::size_t i) const {
  if (!t.prompt_printed) fmt::print("{}", shown(prompts_[i].text));
  t.prompt_printed = true;
  const std::size_t end = t.why ? t.text.size() : models::whole_characters(t.text);
  fmt::print("{}{}", shown(t.text.substr(t.printed, end - t.printed)), t.why ? "\n" : "");
  t.printed = end;
}

void WrittenTexts::print_json(std::size_t i) const {
  const Text& t = texts_[i];
  const auto list = [](const auto& numbers) { return nlohmann::json(numbers).dump(); };
  std::string more;
  if (options_.logprobs) more += ",\"logprobs\":" + list(t.logprobs);
  const auto between = [](auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const double seconds = between(t.first, t.last);
  if (options_.speed && !t.ids.empty())
    more += fmt::format(",\"seconds_to_first_token\":{:.6f}", between(t.begun, t.first));
  if (options_.speed && seconds > 0)
    more += fmt::format(",\"tokens_per_second\":{:.1f}",
                        static_cast<double>(t.ids.size() - 1) / seconds);
  more += fmt::format(",\"calls_per_token\":{}", options_.calls);
  fmt::print(
      "{{\"prompt\":{},\"prompt_ids\":{},\"seed\":{},\"text\":{},\"ids\":{},\"ended\":\"{}\","
      "\"moves\":"
      "{}{}}}\n",
      json_text(prompts_[i].text), list(prompts_[i].tokens), prompts_[i].seed, json_text(t.text),
      list(t.ids), t.why, t.moves, more);
}

}  // namespace warpath::cli
