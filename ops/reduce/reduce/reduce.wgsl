// Sums and maxima of rows in WGSL: one workgroup per row, a tree in its memory, as in 03_no_divergence.cu. WGSL lets a
// compiler assume that there are no NaNs, so a maximum may not pass a NaN on here.
//! reduce: groups rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // rows, cols, kind: 0 sum, 1 max

var<workgroup> part: array<f32, 128>;

fn combine(a: f32, b: f32) -> f32 {
  if (sizes[2] == 0u) {
    return a + b;
  }
  return max(a, b);
}

@compute @workgroup_size(128)
fn reduce(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = sizes[1];
  let row = group.x * cols;
  var mine = x[row];  // for a maximum, the row's first element; a sum starts from zero
  if (sizes[2] == 0u) {
    mine = 0.0;
  }
  for (var c = id.x; c < cols; c += 128u) {
    mine = combine(mine, x[row + c]);
  }
  part[id.x] = mine;
  for (var half = 64u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id.x < half) {
      part[id.x] = combine(part[id.x], part[id.x + half]);
    }
  }
  if (id.x == 0u) {
    y[group.x] = part[0];
  }
}
