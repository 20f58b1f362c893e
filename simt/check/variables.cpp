// __device__ and __constant__ variables. A checked program names each of its own and puts a red
// zone around it.

#include <link.h>

#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "state.h"

namespace simt::check {
namespace {

constexpr std::size_t zone = 128;  // as the translator makes it: cc/translate/rewrite_device.cpp

struct Variables {
  std::shared_mutex mutex;
  std::map<Address, Variable> by_base;
  // The data of their modules, read without the lock.
  std::array<Area, 64> areas;
  std::atomic<std::size_t> area_count{0};
  std::atomic<bool> templates{false};
};

Variables& variables() {
  static Variables* const it = new Variables;
  return *it;
}

struct Segment {
  Address wanted, begin = 0;
  std::size_t size = 0;
};

int find_segment(dl_phdr_info* info, std::size_t, void* data) {
  auto& segment = *static_cast<Segment*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const Address begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || segment.wanted - begin >= header.p_memsz) continue;
    segment.begin = begin & ~Address{15};
    segment.size = begin + header.p_memsz - segment.begin;
    return 1;
  }
  return 0;
}

const Area* find_area(const Variables& all, Address address) {
  const std::size_t count = all.area_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (all.areas[i].holds(address)) return &all.areas[i];
  }
  return nullptr;
}

}  // namespace

const Area* module_area(Address address) {
  return find_area(variables(), address);
}

bool has_variable_templates() {
  return variables().templates.load(std::memory_order_relaxed);
}

const Variable* variable_near(Address address) {
  Variables& all = variables();
  const std::shared_lock lock(all.mutex);
  auto next = all.by_base.upper_bound(address);
  if (next != all.by_base.begin()) {
    const Variable& before = std::prev(next)->second;
    if (address < before.base + before.size + zone) return &before;
  }
  if (next != all.by_base.end() && next->second.base - address <= zone) return &next->second;
  return nullptr;
}

}  // namespace simt::check

extern "C" void simt_check_shaped_variable(const char* name, const volatile void* base,
                                           std::size_t size, const simt::ArrayShape* shape) {
  using namespace simt::check;
  Variables& all = variables();
  const auto address = reinterpret_cast<Address>(base);
  const std::unique_lock lock(all.mutex);
  all.by_base[address] = {name, address, size, *shape};
  if (find_area(all, address) != nullptr) return;
  Segment segment{address};
  if (dl_iterate_phdr(&find_segment, &segment) == 0) return;
  const std::size_t count = all.area_count;
  if (count == all.areas.size() || !all.areas[count].make(segment.begin, segment.size)) return;
  all.area_count.store(count + 1, std::memory_order_release);
}

extern "C" void simt_check_variable_template() {
  simt::check::variables().templates.store(true, std::memory_order_relaxed);
}
