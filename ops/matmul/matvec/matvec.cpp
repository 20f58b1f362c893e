#include "ops/matmul/matvec/matvec.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::matvec {

static void reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.rows(), n = args.n(), k = args.k();
  parallel_for(n, 16, [&](std::int64_t j) {
    const double* w = args.w.as<double>() + j * k;
    for (std::int64_t r = 0; r < rows; ++r) {
      const double* x = args.x.as<double>() + r * k;
      double sum = 0, size = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += x[l] * w[l];
        size += std::abs(x[l] * w[l]);
      }
      const double bias = args.bias.data ? args.bias.as<double>()[j] : 0;
      args.y.as<double>()[r * n + j] = sum + bias;
      scale.y.as<double>()[r * n + j] = size + std::abs(bias);
    }
  });
}

static Cost cost(const Args& args) {
  double bytes = static_cast<double>(args.x.bytes() + args.w.bytes() + args.y.bytes());
  if (args.bias.rank > 0) bytes += static_cast<double>(args.bias.bytes());
  return {.flops = 2 * static_cast<double>(args.y.size()) * static_cast<double>(args.k()),
          .bytes = bytes};
}

// Against the sum of |x| |w| a chain of additions in float errs by far less than 4 units, by
// chance; tensor cores cut off where a float would round, and that adds up.
static Tolerance tolerance(const Args& args) {
  return {.out_ulps = 1, .f32_ulps = 4 + std::sqrt(static_cast<double>(args.k())) / 16};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t n, std::int64_t k,
                       Case c = {}, bool bias = false) {
    c.name = name;
    c.dims = {{"rows", rows}, {"n", n}, {"k", k}};
    if (!bias) c.without = {"bias"};
    all.push_back(std::move(c));
  };
  add("one", 1, 1, 1);
  add("no rows", 0, 5, 8);
  add("nothing of k", 2, 33, 0, {}, true);
  add("k = 1", 3, 40, 1);
  add("warp-1", 1, 31, 31);
  add("warp+1", 2, 33, 33);
  add("primes", 5, 101, 257);
  add("aligned", 1, 64, 512);
  add("four rows", 4, 48, 1024);
  add("seven rows", 7, 50, 264);
  add("eight rows", 8, 130, 520);
  add("nine rows", 9, 17, 136);
  add("sixteen rows", 16, 65, 800);
  add("seventeen rows", 17, 20, 64);
  add("long k", 2, 9, 20000);
  add("long k, odd", 3, 5, 9001);
  add("many outputs", 1, 3000, 72);
  add("stages, the last short", 1, 17, 1544);
  add("many stages", 9, 7, 5128);
  add("stages, bias", 8, 11, 3080, {}, true);
  const std::map<std::string, Value> constant = {{"w_is_constant", true}};
  add("w is constant", 2, 33, 1544, {.scalars = constant});
  add("w is constant, many tiles", 1, 4400, 72, {.scalars = constant});
  add("w is constant, many stages", 9, 7, 5128, {.scalars = constant});
  add("bias", 3, 70, 128, {}, true);
  add("bias, long k", 8, 16, 8192, {}, true);
  add("misaligned", 2, 40, 256, {.offset = 1});
  add("wide", 3, 40, 500, {.fill = Fill::wide});
  add("special", 6, 90, 12, {.fill = Fill::special});
  add("special long", 4, 60, 600, {.fill = Fill::special});
  add("special longer", 4, 10, 2056, {.fill = Fill::special});
  const std::vector<DType> timed = {DType::bf16};
  for (const std::int64_t rows : {1, 8}) {
    const std::string words = rows == 1 ? "1 row" : "8 rows";
    add((words + " 8192x8192").c_str(), rows, 8192, 8192, {.dtypes = timed, .bench = true});
    add((words + " 4096x14336").c_str(), rows, 4096, 14336, {.dtypes = timed, .bench = true});
    add((words + " 768x768").c_str(), rows, 768, 768, {.dtypes = timed, .bench = true});
  }
  add("1 row 8192x8192 f32", 1, 8192, 8192, {.dtypes = {DType::f32}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::matvec
