// warpath tables: what the pages quote, written anew from the result files and the sources.
#include "cli/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "cli/page.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

constexpr const char* examples = R"(
Examples:
  ./warpath tables               every lesson, README.md and docs/
  ./warpath tables softmax       that lesson, README.md and docs/
  ./warpath tables --check       writes nothing; 1 if a page is stale

A page marks what is written here: <!-- results:BEGIN softmax -->, <!-- results:BEGIN best -->,
<!-- code:BEGIN 03_vector.cu vectorised -->, <!-- programs:BEGIN FOLDER --> or <!-- measured:BEGIN FILE.json -->,
up to the line <!-- results:END --> and so on.
Exit status: 0 done, 1 --check found a stale page, 2 a page, a result file or the command is wrong.)";

std::vector<std::string> named_folders(const fs::path& root,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    if (name == "all") return {};
    const std::string folder = folder_of(root, name);
    if (folder.empty()) {
      std::vector<std::string> known;
      for (const auto& e : fs::directory_iterator(root / "ops"))
        known.push_back(e.path().filename().string());
      std::sort(known.begin(), known.end());
      const std::string near = nearest(name, known);
      throw Refusal(near.empty() ? fmt::format("no op '{}'; there are: {}", name, join(known))
                                 : fmt::format("no op '{}'; did you mean '{}'?", name, near));
    }
    folders.push_back(folder);
  }
  return folders;
}

// All are filled before any is written: a page that is wrong leaves the others alone.
std::vector<Page> fill_pages(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<Page> pages;
  for (const fs::path& file : find_pages(root, folders)) pages.push_back(fill_page(root, file));
  return pages;
}

int tables(const Options& o) {
  const fs::path root = harness::find_places().root;
  const std::vector<Page> pages = fill_pages(root, named_folders(root, o.names));
  int stale = 0;
  nlohmann::ordered_json j = {{"pages", nlohmann::ordered_json::array()}};
  for (const Page& page : pages) {
    stale += page.stale();
    if (page.stale() && !o.check_only) write_page(page);
    const std::string name = page.file.lexically_relative(root).string();
    j["pages"].push_back({{"file", name}, {"stale", page.stale()}});
    if (o.json || !page.stale()) continue;
    fmt::print("{} {}\n", o.check_only ? paint(Tone::bad, "stale") : "wrote", name);
  }
  j["passed"] = !o.check_only || stale == 0;
  if (o.json)
    print_json(j);
  else if (o.check_only && stale)
    fmt::print("{} of {} pages are stale: ./warpath tables\n", stale, pages.size());
  else
    fmt::print("{} pages are up to date\n", pages.size());
  return o.check_only && stale ? check_failed : all_passed;
}

}  // namespace

std::vector<std::string> refresh_pages(const fs::path& root,
                                       const std::vector<std::string>& folders) {
  std::vector<std::string> written;
  for (const Page& page : fill_pages(root, folders)) {
    if (!page.stale()) continue;
    write_page(page);
    written.push_back(page.file.string());
  }
  return written;
}

void add_tables(Registry& r) {
  CLI::App* c = r.app.add_subcommand("tables", "writes the tables and code of the lessons anew");
  c->footer(examples);
  c->add_option("op", r.options.names, "only the lessons of these ops");
  c->add_flag("--check", r.options.check_only, "write nothing; exit status 1 if a page is stale");
  add_json_flag(*c, r.options);
  c->callback([&r] { r.status = tables(r.options); });
}

}  // namespace warpath::cli
