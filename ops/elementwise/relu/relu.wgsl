// ReLU and its gradient in WGSL: one invocation per element, as in 01_naive.cu. WGSL lets a compiler assume that there
// is no NaN.
//! relu: groups n / 256
//! relu_backward: groups n / 256
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // n

@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(0) @binding(3) var<storage, read> backward_sizes: array<u32>;

@compute @workgroup_size(256)
fn relu(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < sizes[0]) {
    y[id.x] = select(x[id.x], 0.0, x[id.x] <= 0.0);
  }
}

@compute @workgroup_size(256)
fn relu_backward(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < backward_sizes[0]) {
    dx[id.x] = select(dy[id.x], 0.0, x[id.x] <= 0.0);
  }
}
