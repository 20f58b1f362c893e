#include "cli/save_results.h"

#include <fmt/format.h>

#include <map>

#include "cli/source_digest.h"
#include "cli/tables.h"

namespace fs = std::filesystem;

namespace warpath::cli {

using harness::OpOutcome;

fs::path result_file(const harness::Places& places, const OpEntry& entry, const Backend& backend) {
  return places.root / "ops" / entry.family / entry.folder / "results" /
         (harness::device_slug(backend.probe.info.name) + ".json");
}

std::vector<std::string> save_results(const harness::Places& places, const Backend& backend,
                                      const harness::ResultHead& head,
                                      const std::vector<OpOutcome>& outcomes, bool whole) {
  std::map<fs::path, std::vector<harness::Rated>> records;  // by file
  SourceDigests sources(places.root);
  for (const OpOutcome& o : outcomes)
    for (harness::Rated& r : harness::rate(o.records, head.roofline)) {
      for (const harness::Contestant& c : o.entry->contestants)
        if (c.name == r.record.name && !c.rung->peer) r.record.source = sources.of(c.rung->file);
      records[result_file(places, *o.entry, backend)].push_back(std::move(r));
    }
  std::vector<std::string> files;
  for (const auto& [file, rated] : records) {
    const bool create = whole || !fs::exists(file);
    (create ? harness::write_results : harness::update_results)(file, head, rated);
    files.push_back(file.string());
  }
  return files;
}

std::vector<std::string> refresh_tables(const harness::Places& places,
                                        const std::set<std::string>& folders) {
  // The measurements are safe on disk by now: a page that cannot be written is no reason to fail.
  try {
    return refresh_pages(places.root, {folders.begin(), folders.end()});
  } catch (const std::exception& e) {
    fmt::print(stderr, "warpath: the pages are left as they were: {}\n", e.what());
    return {};
  }
}

}  // namespace warpath::cli
