#include "graph/graph.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

using namespace simt;
using namespace simt::graph;

namespace {
thread_local Recorder* recorder = nullptr;
}

KernelCall::KernelCall(const Config& c, const Kernel& kernel)
    : config(c), kernel_(kernel), lines_((kernel.call_size + sizeof(Line) - 1) / sizeof(Line)) {
  std::memcpy(lines_.data(), kernel.call, kernel.call_size);
  kernel_.call = lines_.data();
}

cudaError_t KernelCall::run() const {
  return run_grid(config, kernel_);
}

cudaKernelNodeParams KernelCall::params() {
  if (kernel_.addresses != nullptr) {
    arguments_.resize(kernel_.arguments);
    kernel_.addresses(lines_.data(), arguments_.data());
  }
  return {const_cast<void*>(kernel_.identity),
          config.grid,
          config.block,
          static_cast<unsigned>(config.dynamic_shared),
          kernel_.addresses != nullptr ? arguments_.data() : nullptr,
          nullptr};
}

std::shared_ptr<KernelCall> KernelCall::with(const Config& other) const {
  return std::make_shared<KernelCall>(other, kernel_);
}

Recorder::Recorder() {
  recorder = this;
}
Recorder::~Recorder() {
  recorder = nullptr;
}

std::optional<cudaError_t> graph::take_launch(const Config& config, const Kernel& kernel) {
  if (recorder != nullptr) {
    recorder->call = std::make_shared<KernelCall>(config, kernel);
    return cudaSuccess;
  }
  // A kernel's own launches are not the capture's.
  if (open_captures == 0 || in_kernel()) return {};
  const auto call = std::make_shared<KernelCall>(config, kernel);
  call->config.stream = nullptr;
  cudaGraphNode_t node = nullptr;
  const auto taken = take(
      config.stream, cudaGraphNodeTypeKernel, [call] { return call->run(); }, &node);
  if (node != nullptr) node->kernel = call;
  return taken;
}

CUgraphNode_st* CUgraph_st::add(cudaGraphNodeType type, std::vector<cudaGraphNode_t> after,
                                Work work) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->graph = this;
  node->type = type;
  node->after = std::move(after);
  node->work = std::move(work);
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool CUgraph_st::has(cudaGraphNode_t node) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& n) { return n.get() == node; });
}

cudaGraphNode_t simt::graph::add_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, std::size_t count,
                                      cudaGraphNodeType type) {
  if (!node || !graph || (count != 0 && !after)) return nullptr;
  for (std::size_t i = 0; i < count; ++i)
    if (!graph->has(after[i])) return nullptr;
  return *node = graph->add(type, {after, after + count}, {});
}

std::vector<CUgraphNode_st*> CUgraph_st::order() const {
  std::unordered_map<cudaGraphNode_t, std::size_t> open;  // dependencies not yet in the result
  std::unordered_map<cudaGraphNode_t, std::vector<CUgraphNode_st*>> followers;
  std::vector<CUgraphNode_st*> result;
  for (const auto& node : nodes) {
    open[node.get()] = node->after.size();
    for (const cudaGraphNode_t before : node->after) followers[before].push_back(node.get());
    if (node->after.empty()) result.push_back(node.get());
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (CUgraphNode_st* follower : followers[result[i]]) {
      if (--open[follower] == 0) result.push_back(follower);
    }
  }
  if (result.size() != nodes.size()) result.clear();
  return result;
}

std::shared_ptr<CUgraph_st> CUgraph_st::clone() const {
  auto copy = std::make_shared<CUgraph_st>();
  copy->conditions = conditions;
  copy->objects = objects;
  std::unordered_map<cudaGraphNode_t, cudaGraphNode_t> made;
  for (const auto& node : nodes) {
    copy->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    CUgraphNode_st* const twin = copy->nodes.back().get();
    twin->graph = copy.get();
    twin->origin = node.get();
    if (node->child) {
      twin->child = node->child->clone();
      twin->work = [child = twin->child] { return child->run(); };
    }
    if (node->branches) {
      twin->branches = node->branches->clone();
      twin->work = [branches = twin->branches] { return branches->run(); };
    }
    made[node.get()] = twin;
  }
  for (const auto& node : copy->nodes) {
    for (cudaGraphNode_t& before : node->after) before = made[before];
  }
  return copy;
}

CUgraphNode_st* CUgraph_st::clone_of(cudaGraphNode_t original) const {
  for (const auto& node : nodes) {
    if (node->origin == original) return node.get();
  }
  return nullptr;
}

cudaError_t CUgraph_st::run() const {
  for (const CUgraphNode_st* node : order()) {
    if (!node->enabled || !node->work) continue;
    if (const cudaError_t error = node->work()) return error;
  }
  return cudaSuccess;
}
