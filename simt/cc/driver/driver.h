#pragma once

#include "driver/options.h"

namespace simt::cc {

// Does what the options ask; the exit status.
int drive(const Options& options);

}  // namespace simt::cc
