// Reading a tokenizer.json. The file is not trusted: what is wrong with it, or not known here, is refused in one line.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/host/error.h"
#include "models/files.h"
#include "models/text/tokenizer.h"
#include "models/text/unicode.h"

using nlohmann::json;  // with a sorted map: a vocabulary has too many keys for a list of them

namespace warpath::models {
namespace {

constexpr std::int64_t most_tokens = std::int64_t{1} << 24;

// Byte-level vocabularies write every byte as a character that can be seen: printable ones as themselves, the others from
// U+0100 on.
std::map<std::uint32_t, unsigned char> bytes_by_character() {
  std::map<std::uint32_t, unsigned char> bytes;
  std::uint32_t next = 0x100;
  for (std::uint32_t b = 0; b < 256; ++b) {
    const bool seen =
        (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
    bytes[seen ? b : next++] = static_cast<unsigned char>(b);
  }
  return bytes;
}

// The bytes that such a token stands for; none where it has another character.
std::optional<std::string> bytes_of(const std::string& token) {
  static const auto bytes = bytes_by_character();
  std::string result;
  for (std::size_t at = 0; at < token.size();) {
    const Character c = character_at(token, at);
    const auto found = bytes.find(c.code);
    if (!c.valid || found == bytes.end()) return {};
    result += static_cast<char>(found->second);
    at += c.bytes;
  }
  return result;
}

// "<0x0A>" is a token of one byte.
std::optional<unsigned char> byte_token(const std::string& token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return {};
  if (token.find_first_not_of("0123456789ABCDEFabcdef", 3) != 5) return {};
  return static_cast<unsigned char>(std::stoi(token.substr(3, 2), nullptr, 16));
}

}  // namespace

class TokenizerFile {
 public:
  TokenizerFile(const std::string& text, std::string name)
      : file_(std::move(name)), j_(json::parse(text, nullptr, false)) {
    if (!j_.is_object()) refuse("no JSON object");
  }

  Tokenizer tokenizer() {
    for (const char* key : {"truncation", "padding"})
      if (has(j_, key)) refuse(fmt::format("'{}' is not known", key));
    if (has(j_, "normalizer")) normaliser(j_["normalizer"]);
    if (has(j_, "pre_tokenizer")) pre_tokenizer(j_["pre_tokenizer"]);
    model(object(j_, "model"));
    if (has(j_, "decoder")) decoder(j_["decoder"]);
    added();
    if (has(j_, "post_processor")) around(j_["post_processor"]);
    return std::move(t_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(file_ + ": " + why); }

  static bool has(const json& j, const char* key) { return j.contains(key) && !j[key].is_null(); }
  const json& object(const json& j, const char* key) const {
    if (!j.is_object() || !j.contains(key) || !j[key].is_object())
      refuse(fmt::format("'{}' is no object", key));
    return j[key];
  }
  const json& array(const json& j, const char* key) const {
    if (!j.is_object() || !j.contains(key) || !j[key].is_array())
      refuse(fmt::format("'{}' is no list", key));
    return j[key];
  }
  std::string text(const json& j, const char* key) const {
    if (!j.is_object() || !j.contains(key) || !j[key].is_string())
      refuse(fmt::format("'{}' is no text", key));
    return j[key].get<std::string>();
  }
  bool yes(const json& j, const char* key, bool otherwise) const {
    if (!has(j, key)) return otherwise;
    if (!j[key].is_boolean()) refuse(fmt::format("'{}' is neither true nor false", key));
    return j[key].get<bool>();
  }
  std::int32_t token(const json& j, const std::string& of) const {
    if (!j.is_number_integer() || j < 0 || j >= most_tokens)
      refuse(fmt::format("the id of {} is no count below {}", shown(of), most_tokens));
    return j.get<std::int32_t>();
  }
  // A name from the file in a message of one line.
  static std::string shown(const std::string& name) {
    return json(name.substr(0, whole_characters(name.substr(0, 40)))).dump();
  }
  // One part, or the parts of a "Sequence" under `key`, in their order.
  template <class Each>
  void parts(const json& j, const char* key, const Each& each) const {
    const std::string type = text(j, "type");
    if (type != "Sequence") return each(type, j);
    for (const json& part : array(j, key)) each(text(part, "type"), part);
  }

  void normaliser(const json& j) {
    parts(j, "normalizers", [&](const std::string& type, const json& part) {
      if (type == "Prepend" && t_.replacements_.empty() && t_.prefix_.empty()) {
        t_.prefix_ = text(part, "prepend");
      } else if (type == "Replace") {
        t_.replacements_.push_back(replacement(part));
      } else {
        refuse(fmt::format("the normalizer {} is not known", shown(type)));
      }
    });
  }

  Tokenizer::Replacement replacement(const json& part) const {
    Tokenizer::Replacement r{text(object(part, "pattern"), "String"), text(part, "content")};
    if (r.from.empty()) refuse("a replacement of nothing");
    return r;
  }

  void pre_tokenizer(const json& j) {
    bool bytes = false;
    parts(j, "pretokenizers", [&](const std::string& type, const json& part) {
      if (bytes) refuse("a pre-tokenizer behind ByteLevel is not known");
      if (type == "Split" && t_.pattern_ == WordPattern::whole) {
        t_.pattern_ = pattern_by(text(object(part, "pattern"), "Regex"));
        if (t_.pattern_ == WordPattern::whole || text(part, "behavior") != "Isolated" ||
            yes(part, "invert", false))
          refuse("the pre-tokenizer splits by a pattern that is not known");
      } else if (type == "Digits" && t_.pattern_ == WordPattern::whole) {
        if (!yes(part, "individual_digits", false)) refuse("numbers as words are not known");
        t_.pattern_ = WordPattern::digits;
      } else if (type == "ByteLevel") {
        bytes = true;
        t_.adds_space_ = yes(part, "add_prefix_space", true);
        if (yes(part, "use_regex", true)) {
          if (t_.pattern_ == WordPattern::llama3) refuse("two patterns of words are not known");
          if (t_.pattern_ == WordPattern::whole) t_.pattern_ = WordPattern::gpt2;
        } else if (t_.pattern_ == WordPattern::digits) {
          refuse("digits without other words are not known");
        }
        if (t_.adds_space_ && t_.pattern_ != WordPattern::gpt2)
          refuse("'add_prefix_space' with these words is not known");
      } else {
        refuse(fmt::format("the pre-tokenizer {} is not known", shown(type)));
      }
    });
    if (!bytes) refuse("a pre-tokenizer without ByteLevel is not known");
    t_.byte_level_ = true;
  }

  void model(const json& m) {
    // Older files have no type.
    if (has(m, "type") && m["type"] != "BPE") refuse("the model is no BPE");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (has(m, key) && m[key] != "") refuse(fmt::format("'{}' is not known", key));
    if (has(m, "dropout") && m["dropout"] != 0) refuse("'dropout' is not known");
    t_.byte_fallback_ = yes(m, "byte_fallback", false);
    t_.fuses_unknown_ = yes(m, "fuse_unk", false);
    t_.whole_words_ = yes(m, "ignore_merges", false);
    vocabulary(object(m, "vocab"));
    if (has(m, "unk_token")) t_.unknown_ = known(text(m, "unk_token"));
    std::int32_t rank = 0;
    for (const json& merge : array(m, "merges")) {
      const auto [left, right] = pair_of(merge);
      t_.merges_.add(known(left), known(right), rank++, known(left + right));
    }
  }

  void put(std::int32_t token, std::string piece) {
    const auto i = static_cast<std::size_t>(token);
    if (i >= t_.pieces_.size()) {
      t_.pieces_.resize(i + 1);
      t_.special_.resize(i + 1, false);
      taken_.resize(i + 1, false);
    }
    taken_[i] = true;
    t_.pieces_[i] = std::move(piece);
  }

  bool taken(std::int32_t token) const {
    const auto i = static_cast<std::size_t>(token);
    return i < taken_.size() && taken_[i];
  }

  void vocabulary(const json& vocabulary) {
    std::fill(std::begin(t_.byte_tokens_), std::end(t_.byte_tokens_), -1);
    for (const auto& [name, id] : vocabulary.items()) {
      const std::int32_t token = this->token(id, name);
      if (taken(token)) refuse(fmt::format("two tokens have the id {}", token));
      ids_[name] = token;
      std::string piece = name;
      bool reachable = true;  // by symbols and merges
      if (t_.byte_level_) {
        const auto bytes = bytes_of(name);
        reachable = bytes.has_value();
        if (bytes) piece = *bytes;
        if (bytes && bytes->size() == 1)
          t_.byte_tokens_[static_cast<unsigned char>((*bytes)[0])] = token;
      } else if (const auto byte = byte_token(name); byte && t_.byte_fallback_) {
        t_.byte_tokens_[*byte] = token;
        piece.assign(1, static_cast<char>(*byte));
      }
      if (reachable) t_.tokens_[t_.byte_level_ ? piece : name] = token;
      put(token, std::move(piece));
    }
    if (ids_.empty()) refuse("the vocabulary is empty");
  }

  std::int32_t known(const std::string& name) const {
    const auto found = ids_.find(name);
    if (found == ids_.end())
      refuse(fmt::format("{} is not in the vocabulary, but a merge or the model names it",
                         shown(name)));
    return found->second;
  }

  // "a b", or ["a", "b"] as newer files have it.
  std::pair<std::string, std::string> pair_of(const json& merge) const {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
      return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    const std::string words = merge.is_string() ? merge.get<std::string>() : "";
    const std::size_t space = words.find(' ');
    if (space == words.npos || words.find(' ', space + 1) != words.npos)
      refuse(fmt::format("merge {} is no pair of tokens",
                         shown(merge.is_string() ? words : merge.type_name())));
    return {words.substr(0, space), words.substr(space + 1)};
  }

  void decoder(const json& j) {
    std::vector<Tokenizer::Replacement> replacements;
    parts(j, "decoders", [&](const std::string& type, const json& part) {
      if (type == "ByteLevel" && t_.byte_level_) return;
      if (t_.byte_level_) refuse(fmt::format("the decoder {} is not known", shown(type)));
      if (type == "Replace") return replacements.push_back(replacement(part));
      if (type == "ByteFallback" || type == "Fuse") return;
      if (type == "Strip" && text(part, "content") == " " && part.value("stop", json(0)) == 0) {
        t_.strips_ = static_cast<std::size_t>(token(part.value("start", json(0)), "Strip"));
        return;
      }
      refuse(fmt::format("the decoder {} is not known", shown(type)));
    });
    for (auto& piece : t_.pieces_)
      for (const Tokenizer::Replacement& r : replacements)
        for (std::size_t at = 0; (at = piece.find(r.from, at)) != piece.npos; at += r.to.size())
          piece.replace(at, r.from.size(), r.to);
  }

  void added() {
    if (!has(j_, "added_tokens")) return;
    for (const json& a : array(j_, "added_tokens")) {
      const std::string content = text(a, "content");
      if (content.empty()) refuse("an added token without any text");
      if (!a.contains("id")) refuse(fmt::format("the added token {} has no id", shown(content)));
      const std::int32_t token = this->token(a["id"], content);
      const auto other = ids_.find(content);
      if (other != ids_.end() ? other->second != token : taken(token))
        refuse(
            fmt::format("the added token {} has the id {} of another one", shown(content), token));
      if (yes(a, "single_word", false))
        refuse(fmt::format("'single_word' of {} is not known", shown(content)));
      const bool normalised = yes(a, "normalized", false);
      t_.added_[normalised].push_back({normalised ? t_.normalise(content) : content, token,
                                       yes(a, "lstrip", false), yes(a, "rstrip", false)});
      t_.first_bytes_[normalised] += t_.added_[normalised].back().content[0];
      put(token, content);
      t_.special_[static_cast<std::size_t>(token)] = yes(a, "special", false);
      ids_[content] = token;
    }
    for (std::string& firsts : t_.first_bytes_) {
      std::sort(firsts.begin(), firsts.end());
      firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    }
    for (auto& list : t_.added_)
      std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
        return a.content.size() > b.content.size();
      });
  }

  // What a post-processor puts around one text.
  void around(const json& j) {
    parts(j, "processors", [&](const std::string& type, const json& part) {
      if (type == "ByteLevel") return;  // changes offsets only
      if (type != "TemplateProcessing")
        refuse(fmt::format("the post-processor {} is not known", shown(type)));
      bool behind = false;
      for (const json& item : array(part, "single")) {
        if (item.is_object() && item.contains("Sequence")) {
          if (behind) refuse("a template with two texts");
          behind = true;
          continue;
        }
        const std::string name = text(object(item, "SpecialToken"), "id");
        for (const json& id : array(object(object(part, "special_tokens"), name.c_str()), "ids")) {
          const std::int32_t token = this->token(id, name);
          if (token >= t_.size()) refuse(fmt::format("{} is no token", shown(name)));
          (behind ? t_.behind_ : t_.before_).push_back(token);
        }
      }
      if (!behind) refuse("a template without a text");
    });
  }

  std::string file_;
  json j_;
  Tokenizer t_;
  std::unordered_map<std::string, std::int32_t> ids_;  // by the name in the file
  std::vector<bool> taken_;                            // by token
};

Tokenizer Tokenizer::read(const std::filesystem::path& file) {
  return parse(read_whole(file), file.string());
}

Tokenizer Tokenizer::parse(const std::string& text, const std::string& name) {
  return TokenizerFile(text, name).tokenizer();
}

}  // namespace warpath::models
