#pragma once

// The prelude: what cuda_runtime.h, included before every source, and the files of -include become. It is nine tenths of a small program's text and
// the same for every program that is compiled with the same options, so GCC compiles it once (a precompiled header in
// the folder `prelude` beside the libraries). Parsing it takes 0.6 s of the 2.2 s of a small kernel.

#include <string>
#include <vector>

namespace simt::cc {

// `text`, which `command` would compile, with the precompiled prelude in the place of the prelude. It is `text` itself where
// there is none yet: one is made when the same prelude is compiled the second time. `include` and `library` are the folders
// of the installation.
std::string with_precompiled_prelude(const std::string& text,
                                     const std::vector<std::string>& command,
                                     const std::string& include, const std::string& library);

// GCC says so of a precompiled header that another compiler has made. The prelude in `text` is then forgotten.
bool prelude_was_refused(const std::string& text, const std::string& messages);

}  // namespace simt::cc
