// warpath tables: writes the quoted parts of the pages again, from the result files and the
// sources.
#include "cli/tables.h"
#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/op_names.h"
#include "cli/page.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

constexpr const char* tables_examples = R"(
Examples:
  ./warpath tables               every lesson, README.md and docs/
  ./warpath tables softmax       that lesson, its family's page, README.md and docs/
  ./warpath tables --check       writes nothing; 1 if a page is stale

A page marks what is written here: <!-- results:BEGIN softmax -->, <!-- results:BEGIN families -->,
<!-- course:BEGIN -->, <!-- code:BEGIN 03_vector.cu vectorised -->, <!-- programs:BEGIN FOLDER --> or <!-- measured:BEGIN FILE.json -->,
up to the line <!-- results:END --> and so on.
Exit status: 0 done, 1 --check found a stale page, 2 a page, a result file or the command is wrong.)";

std::vector<std::string> folders_of(const harness::Places& places,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    if (name == "all") return {};
    for (const NamedFolder& named : named_folders(places, name)) folders.push_back(named.folder);
  }
  return folders;
}

// All pages are filled in before any is written: an error in one leaves all of them unchanged.
std::vector<Page> fill_pages(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<Page> pages;
  for (const fs::path& file : find_pages(root, folders)) pages.push_back(fill_page(root, file));
  return pages;
}

int tables(const Options& o) {
  const harness::Places places = harness::find_places();
  const fs::path& root = places.root;
  const std::vector<Page> pages = fill_pages(root, folders_of(places, o.names));
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

const Command tables_command = {
    "tables", "writes the tables and code of the lessons again", tables_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "only the lessons of these ops or families", false);
      flags.yes("--check", o.check_only, "write nothing; exit status 1 if a page is stale");
      add_json_flag(flags, o);
    },
    tables};

}  // namespace warpath::cli
