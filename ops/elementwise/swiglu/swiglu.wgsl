// SwiGLU and its gradient in WGSL: one invocation per element, as in the naive rungs.
//! swiglu: groups n / 256
//! swiglu_backward: groups n / 256
//! swiglu_packed: groups cols / 256, rows
//! swiglu_packed_backward: groups cols / 256, rows
@group(0) @binding(0) var<storage, read> gate: array<f32>;
@group(0) @binding(1) var<storage, read> up: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;  // n

@group(0) @binding(2) var<storage, read> dy: array<f32>;
@group(0) @binding(3) var<storage, read_write> dgate: array<f32>;
@group(0) @binding(4) var<storage, read_write> dup: array<f32>;
@group(0) @binding(5) var<storage, read> backward_sizes: array<u32>;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> packed_y: array<f32>;
@group(0) @binding(2) var<storage, read> packed_sizes: array<u32>;  // rows, cols

@group(0) @binding(1) var<storage, read> packed_dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(0) @binding(3) var<storage, read> packed_backward_sizes: array<u32>;

// WGSL has no infinity that can be relied on: below -88 the sigmoid is zero.
fn sigmoid(v: f32) -> f32 {
  return select(1.0 / (1.0 + exp(-v)), 0.0, v < -88.0);
}

@compute @workgroup_size(256)
fn swiglu(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < sizes[0]) {
    y[id.x] = gate[id.x] * sigmoid(gate[id.x]) * up[id.x];
  }
}

@compute @workgroup_size(256)
fn swiglu_backward(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < backward_sizes[0]) {
    let g = gate[id.x];
    let s = sigmoid(g);
    dgate[id.x] = dy[id.x] * up[id.x] * (s * (1.0 + g * (1.0 - s)));
    dup[id.x] = dy[id.x] * (g * s);
  }
}

@compute @workgroup_size(256)
fn swiglu_packed(@builtin(global_invocation_id) id: vec3<u32>) {
  let cols = packed_sizes[1];
  if (id.x < cols) {
    let at = id.y * 2u * cols + id.x;
    packed_y[id.y * cols + id.x] = x[at] * sigmoid(x[at]) * x[at + cols];
  }
}

@compute @workgroup_size(256)
fn swiglu_packed_backward(@builtin(global_invocation_id) id: vec3<u32>) {
  let cols = packed_backward_sizes[1];
  if (id.x < cols) {
    let at = id.y * 2u * cols + id.x;
    let d = packed_dy[id.y * cols + id.x];
    let s = sigmoid(x[at]);
    dx[at] = d * x[at + cols] * (s * (1.0 + x[at] * (1.0 - s)));
    dx[at + cols] = d * (x[at] * s);
  }
}
