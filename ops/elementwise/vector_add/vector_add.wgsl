// c = a + b in WGSL: one invocation per element, as in 01_naive.cu.
//! vector_add: groups n / 256
// Bindings are the tensors of the contract in its order; after them its sizes, in the order in which the contract names
// them, then its scalars.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;  // n

@compute @workgroup_size(256)
fn vector_add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < sizes[0]) {
    c[id.x] = a[id.x] + b[id.x];
  }
}
