// y = x w^T + bias in WGSL: one workgroup an element of y, a tree in its memory, as 02_warp.cu.
//! matvec: groups n, rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read> sizes: array<u32>;  // rows, k, n; whether there is a bias

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn matvec(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let k = sizes[1];
  let n = sizes[2];
  var sum = 0.0;
  for (var l = id.x; l < k; l += 64u) {
    sum += x[group.y * k + l] * w[group.x * k + l];
  }
  part[id.x] = sum;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id.x < half) {
      part[id.x] += part[id.x + half];
    }
  }
  if (id.x == 0u) {
    var z = part[0];
    if (sizes[3] != 0u) {
      z += bias[group.x];
    }
    y[group.y * n + group.x] = z;
  }
}
