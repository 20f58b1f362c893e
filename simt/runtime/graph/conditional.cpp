// Conditional nodes: handles whose values kernels set, and nodes that run other graphs accordingly.

#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>

#include "faults/timeout.h"
#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

namespace {

struct Condition {
  unsigned launch_value = 0;
  bool assigned = false;  // whether each launch begins with that value
  std::atomic<unsigned> value = 0;
};

// A handle is a place in here, counted from one: a wrong one is no address. Nothing is taken out,
// for a copy of the graph may outlive the graph.
std::deque<Condition>& conditions() {
  static auto* all = new std::deque<Condition>;
  return *all;
}
std::mutex lock;

Condition* find(cudaGraphConditionalHandle handle) {
  const std::lock_guard guard(lock);
  auto& all = conditions();
  return handle >= 1 && handle <= all.size() ? &all[handle - 1] : nullptr;
}

// Whether a loop has run longer than a kernel may, and with what report it ends then.
bool is_late(std::chrono::steady_clock::time_point begin) {
  if (user_stops()) {
    kernel_faulted(cudaErrorLaunchTimeout, "simt: a graph's while was stopped by Ctrl-C\n");
    return true;
  }
  const double limit = time_limit();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  if (limit <= 0 || passed.count() <= limit) return false;
  char text[120];
  std::snprintf(text, sizeof text,
                "simt: a graph's while was stopped: it ran longer than %g s (SIMT_TIMEOUT)\n",
                limit);
  kernel_faulted(cudaErrorLaunchTimeout, text);
  return true;
}

unsigned value_of(cudaGraphConditionalHandle handle) {
  const Condition* const condition = find(handle);
  return condition ? condition->value.load() : 0;
}

}  // namespace

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int launch_value, unsigned int flags) {
  if (!handle || !graph || (flags & ~cudaGraphCondAssignDefault) != 0)
    return record(cudaErrorInvalidValue);
  const std::lock_guard guard(lock);
  auto& all = conditions();
  Condition& made = all.emplace_back();
  made.launch_value = launch_value;
  made.assigned = (flags & cudaGraphCondAssignDefault) != 0;
  *handle = all.size();
  graph->conditions.push_back(*handle);
  return cudaSuccess;
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  if (Condition* const condition = find(handle)) condition->value = value;
}

void graph::start_conditions(const CUgraph_st& graph) {
  for (const cudaGraphConditionalHandle handle : graph.conditions) {
    Condition* const condition = find(handle);
    if (condition->assigned) condition->value = condition->launch_value;
  }
  for (const auto& node : graph.nodes) {
    if (node->child) start_conditions(*node->child);
    if (!node->branches) continue;
    for (const auto& body : node->branches->bodies) start_conditions(*body);
  }
}

std::shared_ptr<graph::Branches> graph::Branches::clone() const {
  auto copy = std::make_shared<Branches>();
  copy->handle = handle;
  copy->type = type;
  for (const auto& body : bodies) {
    copy->bodies.push_back(body->clone());
    copy->given.push_back(copy->bodies.back().get());
  }
  return copy;
}

cudaError_t graph::Branches::run() const {
  if (type == cudaGraphCondTypeWhile) {
    const auto begin = std::chrono::steady_clock::now();
    while (value_of(handle) != 0) {
      if (const cudaError_t error = bodies[0]->run()) return error;
      if (is_poisoned()) break;  // a body that faults can no longer end the loop
      if (is_late(begin)) break;
    }
    return cudaSuccess;
  }
  unsigned which = value_of(handle);
  if (type == cudaGraphCondTypeIf) which = which != 0 ? 0 : 1;
  return which < bodies.size() ? bodies[which]->run() : cudaSuccess;
}

cudaError_t graph::add_branches(cudaGraphNode_t* node, cudaGraph_t graph,
                                const cudaGraphNode_t* after, std::size_t count,
                                cudaConditionalNodeParams& params) {
  const unsigned most = params.type == cudaGraphCondTypeIf ? 2 : 1;
  if (!find(params.handle) || params.size == 0 || params.type < cudaGraphCondTypeIf ||
      params.type > cudaGraphCondTypeSwitch ||
      (params.type != cudaGraphCondTypeSwitch && params.size > most))
    return cudaErrorInvalidValue;
  if (!add_node(node, graph, after, count, cudaGraphNodeTypeConditional))
    return cudaErrorInvalidValue;
  const auto branches = std::make_shared<Branches>();
  branches->handle = params.handle;
  branches->type = params.type;
  for (unsigned i = 0; i < params.size; ++i) {
    branches->bodies.push_back(std::make_shared<CUgraph_st>());
    branches->given.push_back(branches->bodies.back().get());
  }
  params.phGraph_out = branches->given.data();
  (*node)->branches = branches;
  (*node)->work = [branches] { return branches->run(); };
  return cudaSuccess;
}
