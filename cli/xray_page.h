// xray as one page: the source with heat, a warp's lanes against memory, banks, barriers, the roofline.
#pragma once
#include <string>
#include <vector>

#include "cli/gpu_facts.h"
#include "cli/xray_counts.h"

namespace warpath::cli {

struct XrayPagePart {
  std::string title, test, file;
  double flops = 0;
  std::vector<XrayLaunch> launches;
  std::vector<XrayWaste> waste;
  std::string left, next;  // what no count shows; the next rung
};

// One file, which loads nothing. The first part is shown; the others are its neighbours in the roofline.
void write_xray_page(const std::string& file, const std::vector<XrayPagePart>& parts,
                     const GpuFacts& gpu);

}  // namespace warpath::cli
