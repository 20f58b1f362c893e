#include "cli/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "cli/options.h"
#include "cli/source_text.h"
#include "harness/process.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

std::optional<DType> element_type(const std::set<std::string>& words) {
  static const std::vector<std::pair<const char*, DType>> known = {
      {"float", DType::f32},    {"__half", DType::f16},         {"half", DType::f16},
      {"double", DType::f64},   {"__nv_bfloat16", DType::bf16}, {"nv_bfloat16", DType::bf16},
      {"int64_t", DType::i64},  {"int32_t", DType::i32},        {"int16_t", DType::i16},
      {"int8_t", DType::i8},    {"uint64_t", DType::u64},       {"uint32_t", DType::u32},
      {"uint16_t", DType::u16}, {"uint8_t", DType::u8},         {"bool", DType::boolean},
  };
  for (const auto& [word, dtype] : known)
    if (words.contains(word)) return dtype;
  const bool is_unsigned = words.contains("unsigned");
  if (words.contains("char"))
    return is_unsigned                ? std::optional(DType::u8)
           : words.contains("signed") ? std::optional(DType::i8)
                                      : std::nullopt;
  if (words.contains("short")) return is_unsigned ? DType::u16 : DType::i16;
  if (words.contains("long")) return is_unsigned ? DType::u64 : DType::i64;
  if (is_unsigned) return DType::u32;
  return words.contains("int") ? std::optional(DType::i32) : std::nullopt;
}

bool is_integer_word(const std::string& word) {
  static const std::set<std::string> plain = {"int",   "unsigned", "long",      "short",
                                              "bool",  "char",     "signed",    "uint",
                                              "ulong", "size_t",   "ptrdiff_t", "ssize_t"};
  static const std::regex sized("u?int(8|16|32|64)_t");
  return plain.contains(word) || std::regex_match(word, sized);
}

// One comment is one line.
std::vector<Comment> find_comments(const std::string& text, const std::string& shown) {
  static const std::regex start(R"(//\s*warpath:\s*(.*?)\s*$)");
  static const std::regex whole(R"((\w+)\s*(?:<([^()]*)>)?\s*\((.*?)\)\s*(?:<<<(.*)>>>)?)");
  std::vector<Comment> found;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    std::smatch said, parts;
    if (!std::regex_search(line, said, start)) continue;
    const std::string body = said[1];
    if (!std::regex_match(body, parts, whole))
      throw Refusal(fmt::format(
          "{}:{}: the comment should read `// warpath: OP(x, y, rows, cols)`, with the parameters "
          "of the kernel in its order, and may end in <<<grid, block>>>",
          shown, number));
    Comment c{number, parts[1], trimmed(parts[2]), split_list(parts[3]), split_list(parts[4])};
    found.push_back(std::move(c));
  }
  return found;
}

}  // namespace

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.push_back(trimmed(std::exchange(part, "")));
    else
      part += c;
  }
  if (!trimmed(part).empty() || !parts.empty()) parts.push_back(trimmed(part));
  return parts;
}

std::vector<std::string> names_in(const std::string& expression) {
  static const std::regex name(R"([A-Za-z_]\w*)");
  return {std::sregex_token_iterator(expression.begin(), expression.end(), name), {}};
}

Parameter parse_parameter(const std::string& type, const std::string& name) {
  Parameter p;
  p.type = type;
  p.name = name;
  const auto stars = std::count(type.begin(), type.end(), '*');
  const std::string pointee = type.substr(0, type.find('*'));
  std::set<std::string> words;
  for (const std::string& w : names_in(pointee))
    if (w != "std") words.insert(w);
  const bool constant = words.erase("const") > 0;
  if (stars == 1 && type.find('&') == std::string::npos) {
    p.kind = Parameter::pointer;
    p.constant = constant;
    p.restricted = type.find("restrict", pointee.size()) != std::string::npos;
    p.element = element_type(words);
  } else if (stars == 0 && !words.empty()) {
    if (std::all_of(words.begin(), words.end(), is_integer_word))
      p.kind = Parameter::integer;
    else if (words == std::set<std::string>{"float"} || words == std::set<std::string>{"double"})
      p.kind = Parameter::real;
  }
  return p;
}

std::string KernelSource::place(int line) const {
  return fmt::format("{}:{}", file.filename().string(), line);
}

bool registers_rung(const fs::path& file) {
  static const std::regex line_comment("//[^\n]*");
  const std::string code = std::regex_replace(read_text(file), line_comment, "");
  return code.find("WARPATH_RUNG(") != std::string::npos ||
         code.find("WARPATH_PEER(") != std::string::npos;
}

KernelSource read_kernels(const harness::Places& places, const fs::path& file) {
  KernelSource source{fs::absolute(file), read_text(file), {}};
  const std::string compiler = (places.program.parent_path() / "warpath-cc").string();
  const harness::CommandResult result =
      harness::run_command({compiler, "--list-kernels", "-std=c++20", "-I" + places.root.string(),
                            source.file.string()});
  if (result.status == 127)
    throw Refusal(fmt::format("cannot run {}; `./warpath cc --help` builds it", compiler));
  if (result.status != 0)
    throw Refusal(fmt::format("{} does not compile:\n{}", file.string(), result.output));
  // Warnings of the preprocessor come before it.
  const std::size_t begin = result.output.find("{\"kernels\"");
  const auto listed = nlohmann::json::parse(
      begin == std::string::npos ? "" : result.output.substr(begin), nullptr, false);
  if (listed.is_discarded())
    throw Refusal(fmt::format("{}: no list of kernels from {}", file.string(), compiler));
  for (const auto& k : listed.at("kernels")) {
    if (fs::path(k.at("file").get<std::string>()) != source.file) continue;
    Kernel kernel{k.at("name"), k.at("template"), {}, k.at("line"), {}};
    for (const auto& p : k.at("parameters"))
      kernel.parameters.push_back(parse_parameter(p.at("type"), p.at("name")));
    source.kernels.push_back(std::move(kernel));
  }
  for (Comment& c : find_comments(source.text, source.file.filename().string())) {
    const auto below = std::find_if(source.kernels.begin(), source.kernels.end(),
                                    [&](const Kernel& k) { return k.line >= c.line; });
    if (below == source.kernels.end())
      throw Refusal(fmt::format("{}: no kernel below the comment", source.place(c.line)));
    below->comment = std::move(c);
  }
  return source;
}

}  // namespace warpath::cli
