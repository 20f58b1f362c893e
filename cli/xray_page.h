// xray as one page: the source with heat, a warp's lanes against memory, banks, barriers, the roofline.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/gpu_facts.h"
#include "cli/xray_counts.h"
#include "cli/xray_waste.h"

namespace warpath::cli {

struct XrayPagePart {
  std::string title, test, file;
  double flops = 0;
  std::vector<XrayLaunch> launches;
  std::vector<XrayWaste> waste;
  std::string left, next;  // what no count shows; the next rung
  XrayRoof roof;           // that its arithmetic is under
  std::string bound_by;    // and which side of it; empty: unknown
};

// One file, which loads nothing. The first part is shown; the others are its neighbours in the roofline.
// Lessons are linked where they are in the tree at `root`.
void write_xray_page(const std::string& file, const std::vector<XrayPagePart>& parts,
                     const GpuFacts& gpu, const std::filesystem::path& root);

}  // namespace warpath::cli
