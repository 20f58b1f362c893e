// Dot products of rows in WGSL: one workgroup per row, a tree in its memory, as in 02_shared_tree.cu.
//! dot: groups rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;  // rows, cols

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn dot(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = sizes[1];
  let row = group.x * cols;
  var mine = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    mine += x[row + c] * y[row + c];
  }
  part[id.x] = mine;
  for (var half = 64u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id.x < half) {
      part[id.x] += part[id.x + half];
    }
  }
  if (id.x == 0u) {
    z[group.x] = part[0];
  }
}
