// The cases of matmul: sizes around every tile, the layouts a linear layer and its gradients need,
// every part of the epilogue; then what is timed on a GPU.
#include <algorithm>

#include "core/host/registry.h"
#include "ops/matmul/matmul/reference.h"

namespace warpath::matmul {
namespace {

const std::vector<DType> wide_types = {DType::f32, DType::bf16};
const std::vector<DType> half_types = {DType::f16, DType::bf16};

// Of c and bias, a case has those named in `with`.
Case sized(const char* name, std::int64_t m, std::int64_t n, std::int64_t k, Case c = {},
           const std::vector<std::string>& with = {}) {
  c.name = name;
  c.dims.insert({"batch", 1});
  c.dims.insert({{"m", m}, {"n", n}, {"k", k}});
  for (const char* optional : {"c", "bias"})
    if (std::find(with.begin(), with.end(), optional) == with.end()) c.without.push_back(optional);
  return c;
}

Case batched(const char* name, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
             Case c = {}, const std::vector<std::string>& with = {}) {
  c.dims = {{"batch", batch}};
  return sized(name, m, n, k, std::move(c), with);
}

std::vector<Case> sizes() {
  return {
      sized("one", 1, 1, 1),
      sized("nothing", 0, 5, 4),
      sized("no batch", 3, 5, 4, {.dims = {{"batch", 0}}}),
      sized("k = 0", 33, 70, 0, {.scalars = {{"beta", 2}}}, {"c", "bias"}),
      sized("k = 0 bare", 5, 7, 0),
      sized("k = 1", 40, 50, 1),
      sized("tiles-1", 63, 127, 31),
      sized("tiles", 64, 128, 64),
      sized("tiles+1", 65, 129, 33),
      sized("large tiles-1", 127, 255, 63),
      sized("large tiles", 128, 256, 96),
      sized("large tiles+1", 129, 257, 65, {.dtypes = wide_types}),
      sized("other way+1", 257, 129, 97),
      sized("primes", 101, 67, 131),
      sized("square", 67, 67, 67),  // for kernels with one size
      sized("a row", 1, 257, 130),
      sized("a column", 259, 1, 130),
      sized("long k", 17, 24, 2100),
      sized("long k, aligned", 64, 64, 2048, {.dtypes = wide_types}),
      sized("many tiles", 300, 272, 600, {.dtypes = {DType::bf16}}),
      sized("many tiles f32", 300, 270, 200, {.dtypes = {DType::f32}}),
      sized("many odd tiles", 135, 523, 331, {.dtypes = {DType::bf16}}),
      sized("misaligned", 70, 72, 64, {.offset = 1}),
      sized("half-aligned", 70, 72, 64, {.offset = 4}),
      sized("wide", 66, 70, 200, {.fill = Fill::wide}),
      sized("special", 40, 200, 12, {.fill = Fill::special}),
      sized("special long", 24, 136, 70, {.fill = Fill::special, .dtypes = wide_types}),
  };
}

std::vector<Case> layouts() {
  using enum Layout;
  return {
      sized("a^T b", 72, 136, 80, {.layouts = {{"a", columns}}}),
      sized("a b^T", 72, 136, 80, {.layouts = {{"b", columns}}}),
      sized("a^T b^T", 72, 136, 80, {.layouts = {{"a", columns}, {"b", columns}}}),
      sized("a^T b, odd", 67, 131, 45, {.layouts = {{"a", columns}}}),
      sized("a b^T, odd", 67, 131, 45, {.layouts = {{"b", columns}}}),
      sized("a^T b^T, odd", 67, 131, 45, {.layouts = {{"a", columns}, {"b", columns}}}),
      sized("a b^T, many steps", 72, 72, 520, {.dtypes = half_types, .layouts = {{"b", columns}}}),
      sized("a b^T, several tiles", 136, 520, 392,
            {.dtypes = {DType::bf16}, .layouts = {{"b", columns}}}),
      sized("a^T b, many steps", 136, 264, 328,
            {.dtypes = half_types, .layouts = {{"a", columns}}}),
      sized("a^T b, few tiles", 184, 376, 2056,
            {.dtypes = {DType::bf16}, .layouts = {{"a", columns}}}),
      sized("a^T b, whole tiles", 136, 264, 100,
            {.dtypes = {DType::f32}, .layouts = {{"a", columns}}}),
      sized("a^T b^T, special", 40, 120, 13,
            {.fill = Fill::special, .layouts = {{"a", columns}, {"b", columns}}}),
      sized("padded", 70, 130, 50, {.layouts = {{"a", padded}, {"b", padded}}}),
      sized("padded columns", 70, 130, 50,
            {.dtypes = wide_types, .layouts = {{"a", padded_columns}, {"b", padded_columns}}}),
      sized("spread", 35, 41, 37, {.layouts = {{"a", spread}, {"b", spread}}}),
      sized("spread a", 66, 40, 24, {.dtypes = wide_types, .layouts = {{"a", spread}}}),
      batched("batch", 3, 65, 40, 33),
      batched("aligned batch", 3, 64, 72, 64, {.dtypes = half_types}),
      batched("batch of a^T, b^T", 3, 72, 40, 33,
              {.dtypes = wide_types, .layouts = {{"a", columns}, {"b", columns}}}),
      batched("padded batch", 2, 72, 40, 32, {.layouts = {{"a", padded}, {"b", padded_columns}}}),
      batched("shared b", 3, 70, 40, 24, {.layouts = {{"b", broadcast}}}),
      batched("shared a and b, odd", 3, 35, 41, 37,
              {.dtypes = wide_types, .layouts = {{"a", broadcast}, {"b", broadcast}}}),
      batched("shared a and c", 3, 70, 40, 24,
              {.scalars = {{"beta", 0.5}},
               .dtypes = wide_types,
               .layouts = {{"a", broadcast}, {"c", broadcast}}},
              {"c"}),
  };
}

std::vector<Case> epilogues() {
  using enum Layout;
  return {
      sized("bias", 66, 74, 40, {}, {"bias"}),
      sized("bias relu", 66, 74, 40, {.scalars = {{"activation", "relu"}}}, {"bias"}),
      sized("bias gelu", 66, 74, 40, {.scalars = {{"activation", "gelu"}}}, {"bias"}),
      sized("silu", 66, 74, 40, {.scalars = {{"activation", "silu"}}}),
      sized("gelu near 0", 40, 200, 2, {.scalars = {{"activation", "gelu"}}}),
      sized("alpha", 66, 74, 40, {.scalars = {{"alpha", -0.375}}}),
      sized("residual", 66, 72, 40, {}, {"c"}),
      sized("c^T", 66, 72, 40, {.scalars = {{"beta", -2}}, .layouts = {{"c", columns}}}, {"c"}),
      sized("c padded", 65, 70, 40, {.layouts = {{"c", padded}}}, {"c"}),
      sized("beta 0", 40, 200, 12,
            {.fill = Fill::special, .scalars = {{"beta", 0}, {"activation", "relu"}}}, {"c"}),
      batched("all", 2, 70, 74, 41,
              {.scalars = {{"alpha", 0.125}, {"beta", 0.75}, {"activation", "gelu"}}},
              {"c", "bias"}),
      sized("bias gelu, several tiles", 264, 376, 328,
            {.scalars = {{"activation", "gelu"}}, .dtypes = {DType::bf16}}, {"bias"}),
      sized("all, several tiles", 264, 520, 392,
            {.scalars = {{"alpha", 0.125}, {"beta", 0.75}, {"activation", "gelu"}},
             .dtypes = {DType::bf16}},
            {"c", "bias"}),
      batched("all, silu", 2, 64, 72, 48,
              {.scalars = {{"alpha", 0.125}, {"beta", 0.75}, {"activation", "silu"}},
               .layouts = {{"b", columns}, {"c", spread}}},
              {"c", "bias"}),
      sized("to f32", 66, 74, 40, {.dtypes = half_types, .types = {{"d", DType::f32}}}),
      batched("all to f32", 2, 64, 136, 64,
              {.scalars = {{"beta", 2}, {"activation", "relu"}},
               .dtypes = half_types,
               .types = {{"d", DType::f32}}},
              {"c", "bias"}),
  };
}

std::vector<Case> tf32() {
  using enum Layout;
  const auto only = [](const char* name, std::int64_t m, std::int64_t n, std::int64_t k,
                       Case c = {}, const std::vector<std::string>& with = {}) {
    c.dtypes = {DType::f32};
    c.scalars.insert({"tf32", true});
    return sized(name, m, n, k, std::move(c), with);
  };
  return {
      only("tf32 one", 1, 1, 1),
      only("tf32 tiles", 128, 256, 64),
      only("tf32 odd", 129, 257, 67),
      only("tf32 a^T b", 72, 136, 80, {.layouts = {{"a", columns}}}),
      only("tf32 a b^T", 72, 136, 80, {.layouts = {{"b", columns}}}),
      only("tf32 a b^T, many steps", 136, 264, 200, {.layouts = {{"b", columns}}}),
      only("tf32 a^T b^T, odd", 67, 131, 45, {.layouts = {{"a", columns}, {"b", columns}}}),
      only("tf32 spread", 35, 41, 37, {.layouts = {{"a", spread}, {"b", spread}}}),
      only("tf32 long k", 64, 40, 3000),
      only("tf32 misaligned", 70, 72, 64, {.offset = 1}),
      only("tf32 bias gelu", 66, 74, 40, {.scalars = {{"activation", "gelu"}}}, {"bias"}),
  };
}

std::vector<Case> squares() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t n, Case c,
                       const std::vector<std::string>& with = {}) {
    c.bench = true;
    all.push_back(sized(name, n, n, n, std::move(c), with));
  };
  add("2048", 2048, {.dtypes = half_types});
  add("4096", 4096, {});
  add("8192", 8192, {});
  add("16384", 16384, {.dtypes = half_types});
  // As a linear layer lies: wgmma takes tf32 with k contiguous in both inputs, and only so.
  const std::map<std::string, Layout> linear = {{"b", Layout::columns}};
  add("4096 tf32", 4096, {.scalars = {{"tf32", true}}, .dtypes = {DType::f32}, .layouts = linear});
  add("8192 tf32", 8192, {.scalars = {{"tf32", true}}, .dtypes = {DType::f32}, .layouts = linear});
  add("4096 bias gelu", 4096, {.scalars = {{"activation", "gelu"}}, .dtypes = {DType::bf16}},
      {"bias"});
  all.push_back(
      sized("1000x1001x1003", 1000, 1001, 1003, {.dtypes = {DType::bf16}, .bench = true}));
  all.push_back(sized("4095x4097x129", 4095, 4097, 129, {.dtypes = {DType::bf16}, .bench = true}));
  all.push_back(sized("128x128x65536", 128, 128, 65536, {.dtypes = {DType::bf16}, .bench = true}));
  return all;
}

// A linear layer y = x w^T with x of (tokens, in) and w of (out, in), and its gradients dx = dy w
// and dw = dy^T x. All tensors lie in rows as a model keeps them; the form is in the strides.
void add_linear(std::vector<Case>& all, const std::string& layer, std::int64_t tokens,
                std::int64_t in, std::int64_t out) {
  using enum Layout;
  const Case timed = {.dtypes = {DType::bf16}, .bench = true};
  Case forward = timed, dx = timed, dw = timed;
  forward.layouts = {{"b", columns}};
  dw.layouts = {{"a", columns}};
  all.push_back(sized((layer + " y").c_str(), tokens, out, in, forward));
  all.push_back(sized((layer + " dx").c_str(), tokens, in, out, dx));
  all.push_back(sized((layer + " dw").c_str(), out, in, tokens, dw));
}

}  // namespace

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& part : {sizes(), layouts(), epilogues(), tf32(), squares()})
    all.insert(all.end(), part.begin(), part.end());
  constexpr std::int64_t gpt2 = 65536, llama = 4096;  // tokens of a step
  add_linear(all, "gpt2 qkv", gpt2, 768, 2304);
  add_linear(all, "gpt2 proj", gpt2, 768, 768);
  add_linear(all, "gpt2 up", gpt2, 768, 3072);
  add_linear(all, "gpt2 down", gpt2, 3072, 768);
  add_linear(all, "llama qkv", llama, 4096, 6144);
  add_linear(all, "llama proj", llama, 4096, 4096);
  add_linear(all, "llama gate", llama, 4096, 14336);
  add_linear(all, "llama down", llama, 14336, 4096);
  return all;
}

}  // namespace warpath::matmul
