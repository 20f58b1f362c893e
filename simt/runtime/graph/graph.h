#pragma once

// Graphs: nodes with what each does, and the capture of streams into them. A launch runs the nodes
// one after the other, each after those it depends on.

#include <simt/launch.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "api/internal.h"
#include "graph/memory.h"

namespace simt::graph {

using Work = std::function<cudaError_t()>;

// A launch that has been put aside: the bytes of its closure, as a GPU keeps its parameters.
class KernelCall {
 public:
  KernelCall(const Config& config, const Kernel& kernel);
  cudaError_t run() const;
  cudaKernelNodeParams params();
  const void* identity() const { return kernel_.identity; }
  std::shared_ptr<KernelCall> with(const Config& other) const;
  Config config;

 private:
  Kernel kernel_;
  struct alignas(128) Line {  // more than any parameter asks for; a CUtensorMap wants 64
    unsigned char bytes[128];
  };
  std::vector<Line> lines_;
  std::vector<void*> arguments_;
};

// While one lives on this thread, launches are put there and do not run.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  std::shared_ptr<KernelCall> call;
};

// How many captures are open: most programs never have one.
extern std::atomic<int> open_captures;

// For run_grid: whether this launch was taken by a recorder or a capture, and with what answer.
std::optional<cudaError_t> take_launch(const Config& config, const Kernel& kernel);

// For everything else in streams: empty if `stream` is not being captured and the work must be done
// now. `node` gets the new node, for what more there is to say about it.
std::optional<cudaError_t> take(cudaStream_t stream, cudaGraphNodeType type, const Work& work,
                                cudaGraphNode_t* node = nullptr);

// Waiting for a stream that is captured, or for the device while any is, ends the capture.
cudaError_t refuse_wait(cudaStream_t stream);
cudaError_t refuse_wait();

// An event recorded in a captured stream, or waited for in any.
std::optional<cudaError_t> take_record(cudaStream_t stream, cudaEvent_t event);
std::optional<cudaError_t> take_wait(cudaStream_t stream, cudaEvent_t event);
bool is_captured(cudaEvent_t event);

// A new node of `graph` after `count` others of it, also in `*node`; null if the arguments do not
// fit.
cudaGraphNode_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                         std::size_t count, cudaGraphNodeType type);

// Ends captures and forgets events: cudaDeviceReset, destruction of a stream or event.
void forget(cudaStream_t stream);
void forget(cudaEvent_t event);

}  // namespace simt::graph

struct CUgraph_st;

namespace simt::graph {

// A node that asks a condition which of its bodies to run, and a `while` after each time again.
// Programs fill the bodies after the node is made; a launch has copies of its own.
struct Branches {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<CUgraph_st>> bodies;
  std::vector<cudaGraph_t> given;  // the array that the program got

  std::shared_ptr<Branches> clone() const;
  cudaError_t run() const;
};

// Adds such a node; its bodies are empty graphs that the program fills.
cudaError_t add_branches(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                         std::size_t count, cudaConditionalNodeParams& params);

// Sets each condition of the graph that has one to its value at launch.
void start_conditions(const CUgraph_st& graph);

// References that a graph and its copies have to an object of the program's.
struct Hold {
  Hold(cudaUserObject_t o, unsigned n) : object(o), count(n) {}
  ~Hold();
  Hold(const Hold&) = delete;
  cudaUserObject_t object;
  unsigned count;
};

}  // namespace simt::graph

struct CUgraphNode_st {
  CUgraph_st* graph = nullptr;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::vector<cudaGraphNode_t> after;  // the nodes it depends on
  bool enabled = true;
  simt::graph::Work work;
  const void* origin = nullptr;  // in a clone: the node it was made from
  // What it was made of, for the kinds that can be asked.
  std::shared_ptr<simt::graph::KernelCall> kernel;
  cudaMemcpy3DParms copy = {};
  cudaMemsetParams fill = {};
  cudaHostNodeParams host = {};
  std::shared_ptr<CUgraph_st> child;
  std::shared_ptr<simt::graph::GraphAllocation> memory;
  cudaMemAllocNodeParams allocation = {};
  std::shared_ptr<simt::graph::Branches> branches;
  cudaEvent_t event = nullptr;
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<cudaGraphConditionalHandle> conditions;
  std::vector<std::shared_ptr<simt::graph::Hold>> objects;

  CUgraphNode_st* add(cudaGraphNodeType type, std::vector<cudaGraphNode_t> after,
                      simt::graph::Work work);
  bool has(cudaGraphNode_t node) const;
  // Each node after those it depends on; empty if there is a cycle (or no node).
  std::vector<CUgraphNode_st*> order() const;
  std::shared_ptr<CUgraph_st> clone() const;
  CUgraphNode_st* clone_of(cudaGraphNode_t original) const;
  cudaError_t run() const;
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;  // a copy of its own
  bool frees_on_launch = false;
};
