// cuRAND's host functions over the device functions' generators.

#include <curand.h>
#include <simt/allocation.h>
#include <simt/curand_distribution.h>
#include <simt/curand_sobol.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "libraries/sobol.h"

namespace {

// The numbers of XORWOW and MRG32k3a come from this many subsequences in turn.
constexpr unsigned ways = 4096;

const char* name_of(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_MTGP32:
      return "MTGP32";
    case CURAND_RNG_PSEUDO_MT19937:
      return "MT19937";
    default:
      return "of an unknown type";
  }
}

bool is_quasi(curandRngType_t type) {
  return type >= CURAND_RNG_QUASI_SOBOL32 && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}
bool is_long(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

// From one number of a sequence, by the inverse of the distribution.
template <class State>
unsigned quasi_poisson(State* state, double lambda) {
  double u = curand_uniform_double(state);
  if (lambda > 4000) {
    const double normal = -M_SQRT2 * ::erfcinv(2.0 * u);
    return static_cast<unsigned>(
        std::fmax(0, std::floor(lambda + std::sqrt(lambda) * normal + 0.5)));
  }
  unsigned k = 0;
  for (double p = std::exp(-lambda), log_p = -lambda; u > p && k < 100000; p = std::exp(log_p)) {
    u -= p;
    ++k;
    log_p += std::log(lambda / k);
  }
  return k;
}

// CUDA's declarations have no const; nobody writes there.
template <class Word, std::size_t bits>
curandStatus_t give_vectors(Word (**out)[bits], bool scrambled) {
  if (out == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *out = const_cast<Word(*)[bits]>(simt::sobol_vectors<Word>(scrambled));
  return CURAND_STATUS_SUCCESS;
}
template <class Word>
curandStatus_t give_constants(Word** out) {
  if (out == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *out = const_cast<Word*>(simt::sobol_constants<Word>());
  return CURAND_STATUS_SUCCESS;
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
  unsigned dimensions = 1;        // of a quasirandom sequence
  unsigned long long points = 0;  // that were drawn from it

  // All numbers of the first dimension, then those of the next.
  template <class Out, class Draw>
  curandStatus_t fill_quasi(Out* out, std::size_t n, Draw draw) {
    if (n % dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (out == nullptr && n != 0) return CURAND_STATUS_OUT_OF_RANGE;
    switch (type) {
      case CURAND_RNG_QUASI_SOBOL32:
        fill_dimensions<curandStateSobol32_t, unsigned>(out, n, false, draw);
        break;
      case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
        fill_dimensions<curandStateSobol32_t, unsigned>(out, n, true, draw);
        break;
      default:
        fill_dimensions<curandStateSobol64_t, unsigned long long>(
            out, n, type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, draw);
    }
    points += n / dimensions;
    return CURAND_STATUS_SUCCESS;
  }

  template <class State, class Word, class Out, class Draw>
  void fill_dimensions(Out* out, std::size_t n, bool scrambled, Draw draw) {
    const std::size_t each = n / dimensions;
    const auto* const vectors = simt::sobol_vectors<Word>(scrambled);
    const Word* const constants = scrambled ? simt::sobol_constants<Word>() : nullptr;
    for (unsigned d = 0; d < dimensions; ++d) {
      State state;
      simt::curand::sobol_init(&state, vectors[d], scrambled ? constants[d] : Word{0},
                               static_cast<Word>(offset + points));
      for (std::size_t i = 0; i < each; ++i) out[d * each + i] = draw(&state);
    }
  }

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
  if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
  if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
      type != CURAND_RNG_PSEUDO_PHILOX4_32_10 && !is_quasi(type)) {
    std::fprintf(
        stderr,
        "simt: cuRAND's generator %s is not supported; XORWOW, MRG32K3A, PHILOX4_32_10 and "
        "the Sobol sequences are\n",
        name_of(type));
    simt::give_reason(
        (std::string("the generator ") + name_of(type) + " is not supported here").c_str());
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
  if (is_quasi(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  generator->seed = seed;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->points = 0;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int dimensions) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
  if (dimensions > simt::sobol_dimensions) {
    std::fprintf(stderr,
                 "simt: a Sobol sequence of %u dimensions: there are %u here, 20000 in cuRAND\n",
                 dimensions, simt::sobol_dimensions);
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  generator->dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const bool quasi = order == CURAND_ORDERING_QUASI_DEFAULT;
  return quasi == is_quasi(generator->type) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(generator->type)) generator->prepare();
  return CURAND_STATUS_SUCCESS;
}

// QUASI draws from a quasirandom sequence, where each number gives one.
#define GENERATE(FILL, DRAW, QUASI)                                           \
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;             \
  simt::library_writes();                                                     \
  if (is_quasi(generator->type))                                              \
    return generator->fill_quasi(out, n, [=](auto* state) { return QUASI; }); \
  return generator->FILL(out, n, [=](auto* state) { return DRAW; })

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* out, size_t n) {
  if (generator != nullptr && is_long(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  GENERATE(fill, curand(state), static_cast<unsigned>(curand(state)));
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* out,
                                      size_t n) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_long(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  simt::library_writes();
  return generator->fill_quasi(out, n, [](auto* state) { return curand(state); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n) {
  GENERATE(fill, curand_uniform(state), curand_uniform(state));
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n) {
  GENERATE(fill, curand_uniform_double(state), curand_uniform_double(state));
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                    float deviation) {
  const auto shifted = [=](float2 v) {
    return float2{mean + deviation * v.x, mean + deviation * v.y};
  };
  GENERATE(fill_pairs, shifted(curand_normal2(state)), mean + deviation * curand_normal(state));
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                          double mean, double deviation) {
  const auto shifted = [=](double2 v) {
    return double2{mean + deviation * v.x, mean + deviation * v.y};
  };
  GENERATE(fill_pairs, shifted(curand_normal2_double(state)),
           mean + deviation * curand_normal_double(state));
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n,
                                       float mean, float deviation) {
  GENERATE(fill_pairs, curand_log_normal2(state, mean, deviation),
           curand_log_normal(state, mean, deviation));
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n,
                                             double mean, double deviation) {
  GENERATE(fill_pairs, curand_log_normal2_double(state, mean, deviation),
           curand_log_normal_double(state, mean, deviation));
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* out, size_t n,
                                     double lambda) {
  GENERATE(fill, curand_poisson(state, lambda), quasi_poisson(state, lambda));
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[],
                                           curandDirectionVectorSet_t set) {
  const bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
  if (!scrambled && set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
  return give_vectors(vectors, scrambled);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[],
                                           curandDirectionVectorSet_t set) {
  const bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
  if (!scrambled && set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
  return give_vectors(vectors, scrambled);
}
curandStatus_t curandGetScrambleConstants32(unsigned int** constants) {
  return give_constants(constants);
}
curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
  return give_constants(constants);
}
}
