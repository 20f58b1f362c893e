#pragma once

// For libraries on the host whose calls can be captured into a graph.

#include <driver_types.h>

#include <functional>

namespace simt {

// Makes `work` a node of the graph that `stream` is being captured into; it answers whether it went
// well.
cudaError_t capture_call(cudaStream_t stream, std::function<bool()> work);

}  // namespace simt
