// c = a + b in WGSL for matrices without gaps: one invocation per element, as in 02_column_by_x.cu.
//! matrix_add: groups cols / 32, rows / 8
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;  // rows, cols

@compute @workgroup_size(32, 8)
fn matrix_add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y < sizes[0] && id.x < sizes[1]) {
    let i = id.y * sizes[1] + id.x;
    c[i] = a[i] + b[i];
  }
}
