#pragma once

#include <string>

#include "state.h"

namespace simt::check {

// A grid begins: its sizes turn the numbers of threads and blocks in notes into indices.
void remember_grid(const Grid& grid, Time start);

// Which thread wrote the byte of device memory at this address last, as JSON; what simt/README.md says of
// simt_check_last_writer. Empty where it is not known.
std::string last_writer(Address address);

}  // namespace simt::check
