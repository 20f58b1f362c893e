#pragma once

#include "counts.h"

namespace simt::xray {

// A launch has ended. Those of one kernel with one shape are added up.
void add_launch(LaunchCounts counts);

// To SIMT_XRAY_JSON, else xray.json.
void write_at_exit();

}  // namespace simt::xray
