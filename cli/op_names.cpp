#include "cli/op_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/options.h"
#include "core/host/nearest.h"

namespace warpath::cli {
namespace {

// The tree's folders, and libraries that were built from elsewhere.
std::vector<harness::OpFolder> all_folders(const harness::Places& places) {
  std::vector<harness::OpFolder> all = harness::op_folders(places.root);
  std::vector<std::string> built;
  for (const char* backend : {"host", "simt", "cuda", "checked"})
    for (const std::string& folder : harness::built_folders(places, backend)) {
      const auto same = [&](const harness::OpFolder& f) { return f.name == folder; };
      if (std::any_of(all.begin(), all.end(), same)) continue;
      harness::OpFolder found{"", folder, {}, {}};
      const harness::OpenFolder opened =
          harness::open_folder(places, folder, std::string(backend) == "host" ? "" : backend);
      for (const Op* op : opened.ops) found.ops.push_back(op->contract.name());
      all.push_back(std::move(found));
    }
  return all;
}

}  // namespace

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void add_unique(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string did_you_mean(const std::string& kind, const std::string& word,
                         const std::vector<std::string>& known, const std::string& where) {
  const std::string no = fmt::format("no {} '{}'{}", kind, word, where.empty() ? "" : " " + where);
  if (const std::string near = nearest(word, known); !near.empty())
    return fmt::format("{}; did you mean '{}'?", no, near);
  constexpr std::size_t most = 40;  // names that somebody reads
  if (known.size() > most && kind.starts_with("op")) return no + "; ./warpath ops lists them";
  const bool commas = std::any_of(known.begin(), known.end(),
                                  [](const std::string& k) { return k.find(',') != k.npos; });
  return fmt::format("{}; there are: {}", no, fmt::join(known, commas ? "; " : ", "));
}

std::string no_file(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::vector<std::string> beside;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == file.extension())
      beside.push_back(entry.path().filename().string());
  std::sort(beside.begin(), beside.end());
  const std::string near = nearest(file.filename().string(), beside);
  return near.empty() ? fmt::format("no file '{}'", file.string())
                      : fmt::format("no file '{}'; did you mean '{}'?", file.string(),
                                    (file.parent_path() / near).string());
}

void must_be_there(const std::vector<std::string>& words) {
  std::error_code ignored;
  for (const std::string& word : words)
    if (word.ends_with(".cu") && !std::filesystem::exists(word, ignored))
      throw Refusal(no_file(word));
}

std::vector<std::string> known_names(const harness::Places& places) {
  std::vector<std::string> known;
  for (const harness::OpFolder& f : all_folders(places)) {
    add_unique(known, f.name);
    for (const std::string& op : f.ops) add_unique(known, op);
    if (!f.family.empty()) add_unique(known, f.family);
  }
  return known;
}

std::vector<NamedFolder> named_folders(const harness::Places& places, const std::string& word) {
  const std::vector<harness::OpFolder> all = all_folders(places);
  std::vector<NamedFolder> found;
  const auto take = [&](auto&& wanted) {
    for (const harness::OpFolder& f : all)
      if (wanted(f)) found.push_back({f.family, f.name, ""});
    return !found.empty();
  };
  if (word == "all") {
    take([](const auto&) { return true; });
    return found;
  }
  const auto slash = word.find('/');
  const std::string family = word.substr(0, slash);
  const std::string inside = slash == std::string::npos ? word : word.substr(slash + 1);
  const bool family_said = slash != std::string::npos;
  if (!inside.empty()) {
    const auto in_family = [&](const auto& f) { return !family_said || f.family == family; };
    if (take([&](const auto& f) { return in_family(f) && f.name == inside; })) return found;
    for (const harness::OpFolder& f : all)
      if (in_family(f) && std::find(f.ops.begin(), f.ops.end(), inside) != f.ops.end())
        return {{f.family, f.name, inside}};
  }
  if (inside.empty() || !family_said)
    if (take([&](const auto& f) { return !family.empty() && f.family == family; })) return found;
  const std::vector<std::string> known = known_names(places);
  if (family_said && std::find(known.begin(), known.end(), family) != known.end() &&
      !inside.empty() && std::isdigit(static_cast<unsigned char>(inside[0])))
    throw Refusal(fmt::format("'{0}' is a rung: say {1} --rung {2}", word, family, inside));
  if (std::error_code ignored;
      word.find_first_of("./") != std::string::npos && std::filesystem::exists(word, ignored))
    throw Refusal(fmt::format("'{}' is no op, and no file with kernels (.cu)", word));
  throw Refusal(did_you_mean("op or family", word, known));
}

}  // namespace warpath::cli
