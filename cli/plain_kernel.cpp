#include "cli/plain_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>

#include "cli/op_names.h"
#include "cli/options.h"

namespace warpath::cli {
namespace {

constexpr const char* page = "docs/your-kernel.md";

std::vector<std::string> names_of(const std::vector<const Kernel*>& kernels) {
  std::vector<std::string> names;
  for (const Kernel* k : kernels) names.push_back(k->bare_name());
  return names;
}

// The kernels that may be meant: the one asked for, those with a comment, else all.
std::vector<const Kernel*> candidates(const KernelSource& source, const std::string& asked) {
  std::vector<const Kernel*> all, commented, named;
  for (const Kernel& k : source.kernels) {
    all.push_back(&k);
    if (k.comment) commented.push_back(&k);
    if (k.bare_name() == asked || k.name == asked) named.push_back(&k);
  }
  const std::string file = source.file.filename().string();
  if (all.empty())
    throw Refusal(fmt::format(
        "{} has no kernel (a __global__ function) and registers no rung (WARPATH_RUNG); {} "
        "shows how to write either",
        file, page));
  if (!asked.empty() && named.empty())
    throw Refusal(did_you_mean("kernel", asked, names_of(all), "in " + file));
  return !named.empty() ? named : !commented.empty() ? commented : all;
}

// The ops that a word of the command line stands for.
std::vector<const Op*> ops_of(const harness::Places& places, const std::string& word) {
  std::vector<const Op*> found;
  for (const NamedFolder& named : named_folders(places, word)) {
    const harness::OpenFolder opened = harness::open_folder(places, named.folder, "");
    if (!opened.ok()) continue;  // not built: find_ops() says so
    for (const Op* op : opened.ops)
      if (named.op.empty() || op->contract.name() == named.op) found.push_back(op);
  }
  return found;
}

bool is_about(const Kernel& kernel, const Op& op) {
  const std::string name = kernel.bare_name();
  return name == op.contract.name() || name == op.contract.name() + "_kernel";
}

// The ops that a kernel may be of, the likeliest alone where the file names it.
std::vector<const Op*> likely_ops(const harness::Places& places, const KernelSource& source,
                                  const Kernel& kernel, const std::vector<std::string>& words) {
  std::vector<const Op*> ops;
  for (const std::string& word : words)
    for (const Op* op : ops_of(places, word)) ops.push_back(op);
  if (kernel.comment) {
    const std::string& name = kernel.comment->op;
    if (words.empty()) ops = ops_of(places, name);
    std::erase_if(ops, [&](const Op* op) { return op->contract.name() != name; });
    if (ops.empty())
      throw Refusal(fmt::format("{}: the comment is about '{}', the command about {}",
                                source.place(kernel.comment->line), name, join(words)));
    return ops;
  }
  if (words.empty()) {
    const std::vector<std::string> known = known_names(places);
    std::string name = kernel.bare_name();
    if (name.ends_with("_kernel")) name.resize(name.size() - 7);
    if (std::find(known.begin(), known.end(), name) != known.end()) ops = ops_of(places, name);
  }
  for (const Op* op : ops)
    if (is_about(kernel, *op)) return {op};
  return ops;
}

// Of several kernels and ops the only pair that fits. Where none does, the likeliest one's reason.
KernelMatch choose(const harness::Places& places, const KernelSource& source,
                   const PlainOptions& options) {
  std::vector<const Kernel*> kernels = candidates(source, options.kernel);
  std::vector<KernelMatch> fits;
  std::string first_reason;
  bool any_op = false;
  for (const Kernel* k : kernels)
    for (const Op* op : likely_ops(places, source, *k, options.ops)) {
      any_op = true;
      try {
        fits.push_back(match_kernel(op->contract, source, *k, options.launch));
        break;  // of the ops of a folder, the first: a forward pass before its backward one
      } catch (const Refusal& refusal) {
        if (first_reason.empty()) first_reason = refusal.what();
      }
    }
  const std::string file = source.file.filename().string();
  if (!any_op)
    throw Refusal(
        fmt::format("which op is '{}' of {}? Name it before the file, as in ./warpath check OP {}, "
                    "or above the kernel: // warpath: "
                    "OP(x, y, …)",
                    kernels.front()->bare_name(), file, file));
  if (fits.size() == 1) return std::move(fits.front());
  for (KernelMatch& m : fits)
    if (m.kernel->bare_name() == m.contract->name()) return std::move(m);
  if (fits.empty() && kernels.size() == 1) throw Refusal(first_reason);
  throw Refusal(fmt::format(
      "{} has the kernels {}{}; choose one: --kernel {}", file, join(names_of(kernels)),
      fits.empty() ? ", and none fits the op as it is" : "", kernels.front()->bare_name()));
}

// --- the launcher -------------------------------------------------------------------------------
std::string quoted(const std::string& text) {
  std::string q = "\"";
  for (const char c : text) q += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return q + "\"";
}

// The contract's names as C++ variables.
std::string variables(const KernelMatch& m) {
  std::string code;
  const Contract& c = *m.contract;
  for (const ArgSpec& a : c.args()) {
    const char* type = a.is_tensor()                     ? "warpath::Tensor"
                       : a.role != Role::scalar          ? nullptr
                       : a.scalar == ScalarType::integer ? "std::int64_t"
                       : a.scalar == ScalarType::real    ? "double"
                       : a.scalar == ScalarType::boolean ? "bool"
                                                         : "int";
    if (type)
      code +=
          fmt::format("  [[maybe_unused]] const auto& {} = warpath::plain::member<{}>(args, {});\n",
                      a.name, type, a.offset);
  }
  for (const Dim* d : dims_of(c)) {
    std::vector<std::string> axes;
    for (const ArgSpec& a : c.args())
      for (std::size_t i = 0; a.is_tensor() && i < a.dims.size(); ++i)
        if (a.dims[i].name == d->name && a.dims[i].and_name.empty())
          axes.push_back(fmt::format("{{{}, {}, {}}}", a.name, i, a.dims[i].plus));
    code += fmt::format(
        "  [[maybe_unused]] const std::int64_t {} = warpath::plain::size_of_dim({{{}}});\n",
        d->name, fmt::join(axes, ", "));
  }
  return code;
}

// Which calls it cannot take, and why: one line of C++ each.
std::string refusals(const KernelMatch& m) {
  std::string code;
  const auto refuse = [&](const std::string& when, const std::string& why) {
    code += fmt::format("  if ({}) return {};\n", when, quoted(why));
  };
  const std::string takes_no = ": the kernel takes no ";
  for (const ArgSpec& a : m.contract->args()) {
    if (a.role == Role::scalar) {
      const auto fixed = m.fixed.find(a.name);
      if (fixed == m.fixed.end() &&
          std::find(m.passed.begin(), m.passed.end(), &a) != m.passed.end())
        continue;
      const double value = fixed == m.fixed.end() ? a.fallback : fixed->second;
      refuse(fmt::format("{} != {}", a.name, value),
             fmt::format("takes only {} = {}{}", a.name, scalar_text(a, value),
                         fixed == m.fixed.end() ? takes_no + a.name : ""));
    }
    if (!a.is_tensor()) continue;
    for (const auto& [output, input] : m.begun)
      if (input == &a && a.strided)
        refuse(fmt::format("!{}.is_contiguous()", a.name),
               fmt::format("takes only {} without gaps, in rows", a.name));
    const auto taken = m.tensors.find(&a);
    if (taken == m.tensors.end()) {
      if (std::find(m.without.begin(), m.without.end(), &a) != m.without.end()) continue;
      refuse(a.name + ".rank > 0",
             fmt::format("takes only without {}{}{}", a.name, takes_no, a.name));
      continue;
    }
    refuse(fmt::format("{}.dtype != warpath::DType::{}", a.name,
                       taken->second == DType::boolean ? "boolean" : name(taken->second)),
           fmt::format("takes only {} in {}", a.name, name(taken->second)));
    if (a.optional) refuse(a.name + ".rank == 0", "takes only with " + a.name);
    if (a.strided)
      refuse(fmt::format("!{}.is_contiguous()", a.name),
             fmt::format("takes only {} without gaps, in rows", a.name));
    if (!a.in_place.empty() && m.restricted)
      refuse(fmt::format("{0}.data && {0}.data == {1}.data", a.name, a.in_place),
             fmt::format("not in place: {} is __restrict__", a.name));
  }
  for (const Dim* d : dims_of(*m.contract)) {
    const auto fixed = m.fixed.find(d->name);
    const bool known =
        std::find(m.known_dims.begin(), m.known_dims.end(), d->name) != m.known_dims.end();
    if (fixed != m.fixed.end())
      refuse(fmt::format("{} != {}", d->name, fixed->second),
             fmt::format("takes only {} = {}", d->name, fixed->second));
    else if (!known && d->leading)
      refuse(d->name + " != 1", fmt::format("takes only {} = 1{}{}", d->name, takes_no, d->name));
  }
  for (std::size_t i = 1; i < m.equal_dims.size(); ++i)
    refuse(fmt::format("{} != {}", m.equal_dims[i], m.equal_dims[0]),
           fmt::format("takes only {}: the kernel takes one size", fmt::join(m.equal_dims, " = ")));
  return code;
}

std::string launcher(const KernelSource& source, const KernelMatch& m) {
  const bool atomics = source.text.find("atomic") != std::string::npos;
  // Which threads of a kernel that adds to its output have work, its inputs say.
  const bool adds = atomics || !m.zeroed.empty();
  std::vector<std::string> inputs, outputs, empty;
  for (const ArgSpec& a : m.contract->args())
    if (m.tensors.contains(&a)) {
      (a.is_output() || adds ? outputs : inputs).push_back("&" + a.name);
      if (a.is_output()) empty.push_back(a.name + ".size() == 0");
    }
  std::string zeroing, widening;
  for (const auto& [a, type] : m.narrow) {
    const bool zero = std::find(m.zeroed.begin(), m.zeroed.end(), a) != m.zeroed.end();
    zeroing += fmt::format("  warpath::plain::Narrow<{1}> warpath_{0}({0}, {2}, stream);\n",
                           a->name, type, zero);
    widening += fmt::format("  warpath_{}.widen();\n", a->name);
  }
  for (const auto& [a, input] : m.begun)
    zeroing += fmt::format(
        "  if ({0}.data != {1}.data)\n    CUDA_CHECK(cudaMemcpyAsync({0}.data, {1}.data, "
        "{0}.bytes(), "
        "cudaMemcpyDeviceToDevice, stream));\n",
        a->name, input->name);
  for (const ArgSpec* a : m.zeroed)
    if (!m.narrow.contains(a))
      zeroing += fmt::format("  CUDA_CHECK(cudaMemsetAsync({0}.data, 0, {0}.bytes(), stream));\n",
                             a->name);
  const std::string names = variables(m);
  return fmt::format(
      R"(namespace warpath_launcher {{
static std::string supports(const void* args) {{
{0}{1}  return "";
}}
static void launch(const void* args, cudaStream_t stream) {{
{0}  if ({2}) return;
{3}  const dim3 warpath_block({4});
  const dim3 warpath_grid({5});
  ::{6}{7}<<<warpath_grid, warpath_block, {8}, stream>>>({9});
  warpath::plain::check_launch({14}, {15});
{13}}}
static const warpath::plain::Registrar registrar({10}, {11}, supports, launch, {12});
}}
)",
      names, refusals(m), fmt::join(empty, " && "), zeroing, m.launch.block,
      m.launch.grid.empty() ? fmt::format("warpath::plain::covering(warpath_block, {{{}}}, {{{}}})",
                                          fmt::join(inputs, ", "), fmt::join(outputs, ", "))
                            : m.launch.grid,
      m.kernel->name, m.template_arguments, m.launch.shared, fmt::join(m.arguments, ", "),
      quoted(m.contract->name()), quoted(source.file.string()),
      // Sums by atomic additions differ from run to run, and are right.
      atomics ? "false" : "true", widening, quoted("the launch of " + m.kernel->bare_name()),
      quoted(source.place(m.kernel->line)));
}

std::string describe_launch(const KernelMatch& m) {
  return fmt::format("<<<{}, {}>>>",
                     m.launch.grid.empty() ? "enough for every element" : m.launch.grid,
                     m.launch.block);
}

std::string describe(const KernelMatch& m) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < m.meanings.size(); ++i) {
    const std::string& name = m.kernel->parameters[i].name;
    arguments.push_back(name == m.meanings[i] || name.empty()
                            ? m.meanings[i]
                            : fmt::format("{} = {}", name, m.meanings[i]));
  }
  return fmt::format("{}{}({}) as {}, {}{}", m.kernel->bare_name(), m.template_arguments,
                     fmt::join(arguments, ", "), m.contract->name(), describe_launch(m),
                     m.launch.grid.empty() ? " (--grid, --block)" : "");
}

}  // namespace

// What such an output held before the launch reaches the result by a wrong read only: out of bounds, or of another thread's element.
static std::vector<std::string> only_assigned(const KernelSource& source, const KernelMatch& m) {
  std::vector<std::string> outputs;
  for (const ArgSpec& a : m.contract->args())
    for (std::size_t i = 0; a.is_output() && i < m.meanings.size(); ++i) {
      if (m.meanings[i] != a.name || m.kernel->parameters[i].name.empty()) continue;
      const std::string name = "\\b" + m.kernel->parameters[i].name + "\\b";
      const auto count = [&](const std::string& pattern) {
        const std::regex r(pattern);
        return std::distance(std::sregex_iterator(source.text.begin(), source.text.end(), r), {});
      };
      // Once more in the list of parameters.
      if (count(name) == 1 + count(name + R"(\s*\[[^\]]*\]\s*=[^=])")) outputs.push_back(a.name);
    }
  return outputs;
}

static std::vector<std::string> absent_outputs(const KernelMatch& m) {
  std::vector<std::string> absent;
  for (const ArgSpec& a : m.contract->args())
    if (a.is_tensor() && a.role == Role::out && a.optional && !m.tensors.contains(&a))
      absent.push_back(a.name);
  return absent;
}

PlainKernel make_plain_kernel(const harness::Places& places, const std::filesystem::path& file,
                              const PlainOptions& options) {
  const KernelSource source = read_kernels(places, file);
  const KernelMatch m = choose(places, source, options);
  // The file comes after our headers: its macros must not change them. #line makes messages and
  // findings name the learner's own lines.
  return {fmt::format("#include \"core/host/plain_kernel.cuh\"\n#line 1 {}\n{}\n#line 1 {}\n{}",
                      quoted(source.file.string()), source.text,
                      quoted(source.file.string() + " (its launcher)"), launcher(source, m)),
          describe(m),
          m.contract->name(),
          m.entries,
          only_assigned(source, m),
          describe_launch(m),
          m.launch_chosen,
          absent_outputs(m)};
}

}  // namespace warpath::cli
