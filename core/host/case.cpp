#include "core/host/case.h"

#include "core/host/error.h"

namespace warpath {

std::vector<std::int64_t> shape_of(const ArgSpec& a, const Dims& dims) {
  std::vector<std::int64_t> shape;
  for (const Dim& d : a.dims) {
    std::int64_t n = d.plus;
    for (const std::string& name : {d.name, d.and_name}) {
      if (name.empty()) continue;
      const auto it = dims.find(name);
      WARPATH_CHECK(it != dims.end(),
                    "no size given for dimension '" + name + "' of '" + a.name + "'");
      n += it->second;
    }
    shape.push_back(n);
  }
  return shape;
}

}  // namespace warpath
