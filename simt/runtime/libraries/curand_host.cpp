// cuRAND's host functions over the device functions' generators.

#include <curand.h>
#include <simt/allocation.h>
#include <simt/curand_distribution.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// The numbers of XORWOW and MRG32k3a come from this many subsequences in turn.
constexpr unsigned ways = 4096;

const char* name_of(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_MTGP32:
      return "MTGP32";
    case CURAND_RNG_PSEUDO_MT19937:
      return "MT19937";
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
      return "SOBOL32";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
      return "SCRAMBLED_SOBOL32";
    case CURAND_RNG_QUASI_SOBOL64:
      return "SOBOL64";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      return "SCRAMBLED_SOBOL64";
    default:
      return "of an unknown type";
  }
}

curandStatus_t no_table(const char* function) {
  std::fprintf(
      stderr,
      "simt: %s: NVIDIA's tables of Sobol sequences are not here; make direction vectors of "
      "published "
      "numbers (as simt/tests/conformance/curand_sobol.cu does) and give them to curand_init\n",
      function);
  return CURAND_STATUS_TYPE_ERROR;
}

}  // namespace

struct curandGenerator_st {
  curandRngType_t type;
  unsigned long long seed = 0, offset = 0;
  bool seeded = false;
  std::vector<curandStateXORWOW_t> xorwow;
  std::vector<curandStateMRG32k3a_t> mrg;
  unsigned way = 0;
  curandStatePhilox4_32_10_t philox;

  void prepare() {
    if (seeded) return;
    seeded = true;
    if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) return curand_init(seed, 0, offset, &philox);
    way = static_cast<unsigned>(offset % ways);
    if (type == CURAND_RNG_PSEUDO_MRG32K3A) return start(mrg);
    start(xorwow);
  }

  template <class State>
  void start(std::vector<State>& states) {
    states.resize(ways);
    for (unsigned i = 0; i < ways; ++i) {
      // The ways before the first have given one number more.
      curand_init(seed, i, offset / ways + (i < way ? 1 : 0), &states[i]);
    }
  }

  // Calls draw(state) with the state whose turn it is.
  template <class Draw>
  auto next(Draw draw) {
    if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) return draw(&philox);
    const unsigned turn = way;
    way = (way + 1) % ways;
    return type == CURAND_RNG_PSEUDO_MRG32K3A ? draw(&mrg[turn]) : draw(&xorwow[turn]);
  }

  template <class Out, class Draw>
  curandStatus_t fill(Out* out, std::size_t n, Draw draw) {
    if (out == nullptr && n != 0) return CURAND_STATUS_OUT_OF_RANGE;
    prepare();
    for (std::size_t i = 0; i < n; ++i) out[i] = next(draw);
    return CURAND_STATUS_SUCCESS;
  }

  // Normal numbers come in pairs, so there must be an even number of them.
  template <class Out, class Draw>
  curandStatus_t fill_pairs(Out* out, std::size_t n, Draw draw) {
    if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (out == nullptr && n != 0) return CURAND_STATUS_OUT_OF_RANGE;
    prepare();
    for (std::size_t i = 0; i < n; i += 2) {
      const auto pair = next(draw);
      out[i] = pair.x;
      out[i + 1] = pair.y;
    }
    return CURAND_STATUS_SUCCESS;
  }
};

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  if (generator == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
  if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
      type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    std::fprintf(stderr,
                 "simt: cuRAND's generator %s is not supported; XORWOW, MRG32K3A and PHILOX4_32_10 "
                 "are\n",
                 name_of(type));
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = new curandGenerator_st{};
  (*generator)->type = type;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return curandCreateGenerator(generator, type);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t) {
  return generator != nullptr ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
  return generator != nullptr ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->prepare();
  return CURAND_STATUS_SUCCESS;
}

#define GENERATE(FILL, DRAW)                                      \
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED; \
  simt::library_writes();                                         \
  return generator->FILL(out, n, [=](auto* state) { return DRAW; })

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* out, size_t n) {
  GENERATE(fill, curand(state));
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n) {
  GENERATE(fill, curand_uniform(state));
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n) {
  GENERATE(fill, curand_uniform_double(state));
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                    float deviation) {
  const auto shifted = [=](float2 v) {
    return float2{mean + deviation * v.x, mean + deviation * v.y};
  };
  GENERATE(fill_pairs, shifted(curand_normal2(state)));
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                          double mean, double deviation) {
  const auto shifted = [=](double2 v) {
    return double2{mean + deviation * v.x, mean + deviation * v.y};
  };
  GENERATE(fill_pairs, shifted(curand_normal2_double(state)));
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n,
                                       float mean, float deviation) {
  GENERATE(fill_pairs, curand_log_normal2(state, mean, deviation));
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                             double mean, double deviation) {
  GENERATE(fill_pairs, curand_log_normal2_double(state, mean, deviation));
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* out, size_t n,
                                     double lambda) {
  GENERATE(fill, curand_poisson(state, lambda));
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t*[],
                                           curandDirectionVectorSet_t) {
  return no_table("curandGetDirectionVectors32");
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t*[],
                                           curandDirectionVectorSet_t) {
  return no_table("curandGetDirectionVectors64");
}
curandStatus_t curandGetScrambleConstants32(unsigned int**) {
  return no_table("curandGetScrambleConstants32");
}
curandStatus_t curandGetScrambleConstants64(unsigned long long**) {
  return no_table("curandGetScrambleConstants64");
}
}
