// cuFFT over Fft: every transform is loaded into a full complex array of doubles, transformed along
// each axis, and stored.

#include <cufft.h>
#include <simt/allocation.h>

#include <map>
#include <mutex>
#include <numeric>

#include "libraries/fft.h"

namespace simt {
namespace {

using Complex = Fft::Complex;
using Index = std::size_t;

// Where element (i0, i1, ..) of transform b lies: b * dist + ((i0 * embed1 + i1) * embed2 + ..) *
// stride.
struct Layout {
  std::vector<int> embed;
  Index stride = 1, dist = 0;
};

struct Plan {
  bool made = false;
  std::vector<int> n;
  cufftType type{};
  int batch = 1;
  bool basic = true;  // no embed given: rows one behind the other
  Layout in, out;
  std::map<int, Fft> axes;  // by length
};

std::mutex lock;
std::map<cufftHandle, Plan> plans;
cufftHandle next_handle = 1;

bool from_real(cufftType type) {
  return type == CUFFT_R2C || type == CUFFT_D2Z;
}
bool to_real(cufftType type) {
  return type == CUFFT_C2R || type == CUFFT_Z2D;
}

Index volume(const std::vector<int>& n) {
  return std::accumulate(n.begin(), n.end(), Index{1}, std::multiplies<>());
}

// Rows one behind the other, with `last` elements in each.
Layout packed(std::vector<int> n, int last) {
  n.back() = last;
  return {n, 1, volume(n)};
}

cufftResult make(cufftHandle handle, std::vector<int> n, const int* inembed, int istride, int idist,
                 const int* onembed, int ostride, int odist, cufftType type, int batch) {
  const std::lock_guard guard(lock);
  const auto found = plans.find(handle);
  if (found == plans.end() || found->second.made) return CUFFT_INVALID_PLAN;
  if (type != CUFFT_C2C && type != CUFFT_Z2Z && !from_real(type) && !to_real(type)) {
    return CUFFT_INVALID_TYPE;
  }
  for (const int length : n) {
    if (length < 1) return CUFFT_INVALID_SIZE;
  }
  if (batch < 1) return CUFFT_INVALID_SIZE;
  Plan& plan = found->second;
  const int last = n.back(), half = last / 2 + 1;
  plan.basic = inembed == nullptr || onembed == nullptr;
  plan.in = packed(n, to_real(type) ? half : last);
  plan.out = packed(n, from_real(type) ? half : last);
  if (!plan.basic) {
    plan.in = {{inembed, inembed + n.size()}, Index(istride), Index(idist)};
    plan.out = {{onembed, onembed + n.size()}, Index(ostride), Index(odist)};
  }
  for (const int length : n) plan.axes.try_emplace(length, length);
  plan.n = std::move(n);
  plan.type = type;
  plan.batch = batch;
  plan.made = true;
  return CUFFT_SUCCESS;
}

// Calls visit(position in the full array, place in memory) for the elements whose last index is
// below `last`.
template <class Visit>
void each(const std::vector<int>& n, int last, const Layout& layout, Index batch, Visit visit) {
  std::vector<int> at(n.size(), 0);
  while (true) {
    Index position = 0, place = 0;
    for (Index d = 0; d < n.size(); ++d) {
      position = position * n[d] + at[d];
      place = (d == 0 ? 0 : place * layout.embed[d]) + at[d];
    }
    for (at.back() = 0; at.back() < last; ++at.back()) {
      visit(position + at.back(), batch * layout.dist + (place + at.back()) * layout.stride);
    }
    at.back() = 0;
    int d = static_cast<int>(n.size()) - 2;
    while (d >= 0 && ++at[d] == n[d]) at[d--] = 0;
    if (d < 0) return;
  }
}

void transform(Plan& plan, std::vector<Complex>& full, int sign) {
  std::vector<Complex> line;
  Index inner = full.size();
  for (const int length : plan.n) {
    inner /= length;
    Fft& fft = plan.axes.at(length);
    line.resize(length);
    for (Index start = 0; start < full.size(); start += inner * length) {
      for (Index i = start; i < start + inner; ++i) {
        if (inner == 1) {
          fft.run(&full[i], sign);
          continue;
        }
        for (int k = 0; k < length; ++k) line[k] = full[i + k * inner];
        fft.run(line.data(), sign);
        for (int k = 0; k < length; ++k) full[i + k * inner] = line[k];
      }
    }
  }
}

// The place of the element with all indices negated, whose value is the conjugate when the result
// is real.
Index mirror(const std::vector<int>& n, Index position) {
  Index result = 0, scale = 1;
  for (Index d = n.size(); d-- > 0;) {
    const Index i = position % n[d];
    position /= n[d];
    result += (i == 0 ? 0 : n[d] - i) * scale;
    scale *= n[d];
  }
  return result;
}

template <class In>
Complex load(const In& value) {
  if constexpr (std::is_arithmetic_v<In>) {
    return value;
  } else {
    return {value.x, value.y};
  }
}
template <class Out>
Out rounded(Complex value) {
  if constexpr (std::is_arithmetic_v<Out>) {
    return static_cast<Out>(value.real());
  } else {
    return {static_cast<decltype(Out::x)>(value.real()),
            static_cast<decltype(Out::x)>(value.imag())};
  }
}

template <class In, class Out>
cufftResult execute(cufftHandle handle, cufftType type, const In* in, Out* out, int sign) {
  const std::lock_guard guard(lock);
  const auto found = plans.find(handle);
  if (found == plans.end() || !found->second.made) return CUFFT_INVALID_PLAN;
  library_writes();
  Plan& plan = found->second;
  if (plan.type != type) return CUFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (sign != 1 && sign != -1)) return CUFFT_INVALID_VALUE;
  const int last = plan.n.back(), half = last / 2 + 1;
  Layout from = plan.in, to = plan.out;
  // In place, a row of reals is padded to the length of its row of complex numbers.
  if (plan.basic && static_cast<const void*>(in) == static_cast<void*>(out)) {
    if (from_real(type)) from = packed(plan.n, 2 * half);
    if (to_real(type)) to = packed(plan.n, 2 * half);
  }
  std::vector<Complex> full(volume(plan.n));
  // In place, a batch's result must not overwrite the next one's input: padded rows keep them
  // apart, and other layouts are the caller's to keep apart, as on a GPU.
  for (Index b = 0; b < Index(plan.batch); ++b) {
    each(plan.n, to_real(type) ? half : last, from, b,
         [&](Index position, Index place) { full[position] = load(in[place]); });
    if (to_real(type)) {
      for (Index i = 0; i < full.size(); ++i) {
        if (i % last >= Index(half)) full[i] = std::conj(full[mirror(plan.n, i)]);
      }
    }
    transform(plan, full, sign);
    each(plan.n, from_real(type) ? half : last, to, b,
         [&](Index position, Index place) { out[place] = rounded<Out>(full[position]); });
  }
  return CUFFT_SUCCESS;
}

cufftResult basic(cufftHandle plan, std::vector<int> n, cufftType type, int batch, size_t* work) {
  if (work != nullptr) *work = 0;
  return make(plan, std::move(n), nullptr, 1, 0, nullptr, 1, 0, type, batch);
}

// A plan made in one call is gone when it cannot be made.
template <class Make>
cufftResult create(cufftHandle* plan, Make make_it) {
  cufftResult result = cufftCreate(plan);
  if (result == CUFFT_SUCCESS) result = make_it();
  if (result != CUFFT_SUCCESS && plan != nullptr) cufftDestroy(*plan);
  return result;
}

cufftResult known(cufftHandle plan) {
  const std::lock_guard guard(lock);
  return plans.count(plan) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

}  // namespace
}  // namespace simt

extern "C" {
cufftResult cufftCreate(cufftHandle* plan) {
  if (plan == nullptr) return CUFFT_INVALID_VALUE;
  const std::lock_guard guard(simt::lock);
  *plan = simt::next_handle++;
  simt::plans[*plan];
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
  const std::lock_guard guard(simt::lock);
  return simt::plans.erase(plan) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* work) {
  return simt::basic(plan, {nx}, type, batch, work);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* work) {
  return simt::basic(plan, {nx, ny}, type, 1, work);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t* work) {
  return simt::basic(plan, {nx, ny, nz}, type, 1, work);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride,
                              int idist, int* onembed, int ostride, int odist, cufftType type,
                              int batch, size_t* work) {
  if (rank < 1 || rank > 3 || n == nullptr) return CUFFT_INVALID_VALUE;
  if (work != nullptr) *work = 0;
  return simt::make(plan, {n, n + rank}, inembed, istride, idist, onembed, ostride, odist, type,
                    batch);
}
cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  return simt::create(plan, [=] { return cufftMakePlan1d(*plan, nx, type, batch, nullptr); });
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  return simt::create(plan, [=] { return cufftMakePlan2d(*plan, nx, ny, type, nullptr); });
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  return simt::create(plan, [=] { return cufftMakePlan3d(*plan, nx, ny, nz, type, nullptr); });
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                          int* onembed, int ostride, int odist, cufftType type, int batch) {
  return simt::create(plan, [=] {
    return cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type,
                             batch, nullptr);
  });
}
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return simt::execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return simt::execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return simt::execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out,
                         int direction) {
  return simt::execute(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return simt::execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return simt::execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t) {
  return simt::known(plan);
}
cufftResult cufftGetSize(cufftHandle plan, size_t* work) {
  if (work != nullptr) *work = 0;
  return simt::known(plan);
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  return simt::known(plan);
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) {
  return simt::known(plan);
}
cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = 12000;
  return CUFFT_SUCCESS;
}
}
