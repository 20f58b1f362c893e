// torch.use_deterministic_algorithms: whether calls shall give the same bits in every run.
#pragma once
#include <string>

namespace warpath::python {

enum class SameBits { as_it_comes, warn, must };

// Asks torch, with the GIL: a microsecond, so only where the answer matters.
SameBits same_bits_wanted();

// A UserWarning, as torch gives under warn_only. Throws Error where Python makes an error of it.
void warn(const std::string& text);

}  // namespace warpath::python
