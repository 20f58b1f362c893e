// SiLU and its gradient in WGSL: one invocation per element, as in 01_naive.cu.
//! silu: groups n / 256
//! silu_backward: groups n / 256
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // n

@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(0) @binding(3) var<storage, read> backward_sizes: array<u32>;

// WGSL has no infinity that can be relied on: below -88 the sigmoid is zero.
fn sigmoid(v: f32) -> f32 {
  return select(1.0 / (1.0 + exp(-v)), 0.0, v < -88.0);
}

@compute @workgroup_size(256)
fn silu(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < sizes[0]) {
    y[id.x] = x[id.x] * sigmoid(x[id.x]);
  }
}

@compute @workgroup_size(256)
fn silu_backward(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < backward_sizes[0]) {
    let v = x[id.x];
    let s = sigmoid(v);
    dx[id.x] = dy[id.x] * (s * (1.0 + v * (1.0 - s)));
  }
}
