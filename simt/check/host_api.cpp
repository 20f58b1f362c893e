// What a host program may call to get findings while it runs: one that loads checked kernels from
// libraries, such as a test harness. The functions are looked up by name; see simt/README.md.

#include <string>

#include "findings.h"
#include "json.h"
#include "reach.h"
#include "state.h"
#include "writers.h"

extern "C" {

// All findings since the last call, as --json writes them; the text lives until the next call.
const char* simt_check_take_findings() {
  static std::string text;
  simt::check::append_sites();
  text = simt::check::to_json(simt::check::take_findings());
  return text.c_str();
}

// Findings about the allocation that holds `data` call it by this name. Kernels may not
// touch what the block has in front of `data`.
void simt_check_name(const void* data, const char* name) {
  using namespace simt::check;
  const auto address = reinterpret_cast<Address>(data);
  Region* const region = region_before(address);
  if (region == nullptr || address > region->end()) return;
  region->name = name;
  region->data = address;
  heap_area.set(region->base, address - region->base, unknown);
}

// From now on these bytes of device memory count as never written.
void simt_check_forget(const void* data, std::size_t size) {
  using namespace simt::check;
  const auto address = reinterpret_cast<Address>(data);
  const Region* const region = region_before(address);
  if (region == nullptr || address + size > region->end() || !heap_area.holds(address)) return;
  heap_area.set(address, size, unknown);
}

// Which thread wrote the byte at `address` last; the text lives until the next call.
const char* simt_check_last_writer(const void* address) {
  static std::string text;
  text = simt::check::last_writer(reinterpret_cast<simt::check::Address>(address));
  return text.c_str();
}

}  // extern "C"
