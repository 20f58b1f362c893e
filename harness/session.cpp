#include "harness/session.h"

#include "core/host/choose.h"
#include "core/host/error.h"
#include "harness/open_device.h"

namespace warpath {
namespace {

void must(const char* device_error) {
  if (device_error) throw Error(device_error);
}

}  // namespace

Session::Session(const std::string& backend, std::filesystem::path libraries)
    : places_(harness::find_places()), backend_(backend) {
  if (backend != "simt" && backend != "cuda")
    throw Error("no backend '" + backend + "'; there are: simt (this CPU), cuda (a GPU)");
  if (!libraries.empty()) places_.lib = std::move(libraries);
  const std::filesystem::path device = places_.device_library(backend);
  if (!std::filesystem::exists(device))
    throw Error("backend " + backend + " is not built: there is no " + device.string() +
                (backend == "cuda" ? "; CMake builds it where it finds nvcc (WARPATH_CUDA)" : ""));
  device_ = &harness::open_device(device);
  must(device_->describe(&info_));
}

Session::~Session() {
  device_->synchronise();
  for (void* memory : owned_) device_->release(memory);
}

void* Session::memory(std::int64_t bytes) {
  void* made = nullptr;
  must(device_->alloc(&made, bytes > 0 ? bytes : 1));
  owned_.push_back(made);
  return made;
}

Tensor Session::tensor(DType dtype, std::initializer_list<std::int64_t> shape, const void* values) {
  WARPATH_CHECK(shape.size() <= static_cast<std::size_t>(max_rank),
                "a tensor has at most six axes");
  Tensor t;
  t.dtype = dtype;
  for (const std::int64_t size : shape) {
    WARPATH_CHECK(size >= 0, "the size of an axis is negative");
    t.shape[static_cast<std::size_t>(t.rank++)] = size;
  }
  std::int64_t stride = 1;
  for (int i = t.rank - 1; i >= 0; --i) {
    t.stride[static_cast<std::size_t>(i)] = stride;
    stride *= t.shape[static_cast<std::size_t>(i)];
  }
  t.data = memory(t.bytes());
  if (values && t.bytes() > 0) must(device_->upload(t.data, values, t.bytes()));
  return t;
}

const Session::Ladder& Session::ladder(const char* name) {
  if (const auto known = ladders_.find(name); known != ladders_.end()) return known->second;
  const auto folder = harness::find_folder(places_.root, name);
  if (!folder) throw Error(std::string("there is no op ") + name);
  const harness::OpenFolder opened = harness::open_folder(places_, folder->name, backend_);
  if (!opened.ok())
    throw Error(std::string(name) + ": " + opened.error +
                "; name it in CMake: warpath_use(TARGET " + folder->name + ")");
  Ladder ladder;
  for (const Op* op : opened.ops)
    if (op->contract.name() == name) ladder.op = op;
  for (const Rung* rung : opened.rungs)
    if (rung->op == name && !rung->peer) ladder.rungs.push_back(rung);
  if (!ladder.op || ladder.rungs.empty())
    throw Error(std::string(name) + ": the library has no rung");
  return ladders_.emplace(name, std::move(ladder)).first->second;
}

void Session::run(const char* name, void* args) {
  const Ladder& l = ladder(name);
  check_args(l.op->contract, args);
  if (l.op->check && backend_ == "simt") l.op->check(args);  // it reads the inputs
  const Rung* const rung = choose_rung(l.rungs, args, info_.arch);
  if (!rung) {
    std::string reasons;
    for (const Rung* r : l.rungs) reasons += "; " + r->name + ": " + obstacle(*r, args, info_.arch);
    throw Error(std::string(name) + ": no rung can take this call" + reasons);
  }
  // Memory per rung and size: bytes that a rung wants zeroed are its own from then on.
  for (const ArgSpec& a : l.op->contract.args()) {
    if (a.role != Role::scratch) continue;
    const std::int64_t bytes = rung->scratch(args), zeroed = rung->zeroed(args);
    if (bytes <= 0) continue;
    void*& block = scratch_[{rung, bytes}];
    if (!block) {
      block = memory(bytes);
      if (zeroed > 0) must(device_->fill(block, 0, zeroed));
    }
    *reinterpret_cast<Scratch*>(static_cast<char*>(args) + a.offset) = {block, bytes};
  }
  warpath::call(*l.op, *rung, args, static_cast<cudaStream_t>(device_->stream()));
  rung_ = rung->name;
}

void Session::read(const Tensor& from, void* to) const {
  must(device_->synchronise());
  if (from.bytes() > 0) must(device_->download(to, from.data, from.bytes()));
}

}  // namespace warpath
