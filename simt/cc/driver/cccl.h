#pragma once

// NVIDIA's CCCL: Thrust and libcu++ come from its headers, where they are installed. simt's own
// folder comes before them in the search path and replaces the parts that need a GPU's compiler.

#include <string>
#include <vector>

namespace simt::cc {

// The include folders of a CUDA toolkit among -I and -isystem leave `flags`: they would hide
// simt's headers. They are returned, for their CCCL may be wanted.
std::vector<std::string> take_toolkit_folders(std::vector<std::string>& flags);

// The folder that holds thrust/ and cuda/std/: one of `given`, of $CCCL_HOME, or where toolkits
// and Python packages put it. Empty if there is none that is new enough.
std::string find_cccl(const std::vector<std::string>& given);

// What to tell when this source could not be preprocessed and there is no CCCL; empty if nothing.
std::string missing_cccl_hint(const std::string& source_text);

}  // namespace simt::cc
