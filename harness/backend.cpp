#include "harness/backend.h"

#include <cstdlib>
#include <string>

namespace warpath::harness {

// A value that the user has set is kept.
void prepare_worker(int threads) {
  setenv("SIMT_SHARED_FILL", "255", 0);
  if (threads > 0) setenv("SIMT_THREADS", std::to_string(threads).c_str(), 0);
}

}  // namespace warpath::harness
