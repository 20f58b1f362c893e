// GELU and its gradient in WGSL: one invocation per element, by the formulas of 03_short.cu. WGSL has no erf.
//! gelu: groups n / 256
//! gelu_backward: groups n / 256
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // n, approximate

@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(0) @binding(3) var<storage, read> backward_sizes: array<u32>;

// WGSL has no infinity that can be relied on: below -88 the sigmoid is zero.
fn sigmoid(v: f32) -> f32 {
  return select(1.0 / (1.0 + exp(-v)), 0.0, v < -88.0);
}

// The share of the normal distribution below v; `power` is exp(-v * v / 2).
fn normal(v: f32, power: f32) -> f32 {
  let k = 1.0 / (1.0 + 0.21 * abs(v));
  var factor = -0.0716563287;
  factor = factor * k + 0.283588653;
  factor = factor * k - 0.330253548;
  factor = factor * k + 0.349401183;
  factor = factor * k - 0.0939253223;
  factor = factor * k + 0.124872777;
  factor = factor * k + 0.0691921569;
  factor = factor * k + 0.0850688599;
  factor = factor * k + 0.0837115755;
  let beyond = power * (factor * k);
  return select(beyond, 1.0 - beyond, v > 0.0);
}

// Squares of larger numbers overflow, and change nothing.
fn square(v: f32) -> f32 {
  return min(abs(v), 100.0) * min(abs(v), 100.0);
}

@compute @workgroup_size(256)
fn gelu(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= sizes[0]) {
    return;
  }
  let v = x[id.x];
  let s = square(v);
  if (sizes[1] == 1u) {
    y[id.x] = v * sigmoid(clamp(v, -100.0, 100.0) * (1.59576912 + 0.0713548163 * s));
  } else {
    y[id.x] = v * normal(v, exp(-0.5 * s));
  }
}

@compute @workgroup_size(256)
fn gelu_backward(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= backward_sizes[0]) {
    return;
  }
  let v = x[id.x];
  let s = square(v);
  if (backward_sizes[1] == 1u) {
    let share = sigmoid(clamp(v, -100.0, 100.0) * (1.59576912 + 0.0713548163 * s));
    dx[id.x] = dy[id.x] * (share + v * share * (1.0 - share) * (1.59576912 + 0.214064449 * s));
  } else {
    let power = exp(-0.5 * s);
    dx[id.x] = dy[id.x] * (normal(v, power) + v * (0.39894228 * power));
  }
}
