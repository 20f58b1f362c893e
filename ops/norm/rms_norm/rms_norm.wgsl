// RMS normalisation and its gradient in WGSL: one workgroup per row, a tree in its memory, as in 02_segments.cu. The
// gradient's workgroups share out the columns too: each sums dweight for every so many of them over all rows.
//! rms_norm: groups rows
//! rms_norm_backward: groups rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> rstd: array<f32>;
@group(0) @binding(4) var<storage, read> sizes: array<u32>;  // rows, cols, is there a weight, eps

@group(0) @binding(0) var<storage, read> input: array<f32>;  // x of the forward pass
@group(0) @binding(1) var<storage, read> slope: array<f32>;  // dy
@group(0) @binding(2) var<storage, read> kept: array<f32>;   // rstd
@group(0) @binding(3) var<storage, read> factor: array<f32>;  // weight
@group(0) @binding(4) var<storage, read_write> dx: array<f32>;
@group(0) @binding(5) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(6) var<storage, read> backward_sizes: array<u32>;  // rows, cols, is there a weight

var<workgroup> part: array<f32, 128>;

fn sum_of_all(id: u32, mine: f32) -> f32 {
  part[id] = mine;
  for (var half = 64u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id < half) {
      part[id] += part[id + half];
    }
  }
  workgroupBarrier();
  return part[0];
}

@compute @workgroup_size(128)
fn rms_norm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = sizes[1];
  let row = group.x * cols;
  var squares = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    squares += x[row + c] * x[row + c];
  }
  let scale = 1.0 / sqrt(sum_of_all(id.x, squares) / f32(cols) + bitcast<f32>(sizes[3]));
  for (var c = id.x; c < cols; c += 128u) {
    var v = x[row + c] * scale;
    if (sizes[2] != 0u) {
      v *= weight[c];
    }
    y[row + c] = v;
  }
  if (id.x == 0u) {
    rstd[group.x] = scale;
  }
}

fn weighted(at: u32, c: u32) -> f32 {
  if (backward_sizes[2] != 0u) {
    return slope[at] * factor[c];
  }
  return slope[at];
}

@compute @workgroup_size(128)
fn rms_norm_backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let rows = backward_sizes[0];
  let cols = backward_sizes[1];
  let row = group.x * cols;
  let scale = kept[group.x];
  var mine = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    mine += weighted(row + c, c) * input[row + c] * scale;
  }
  let dot = sum_of_all(id.x, mine) / f32(cols);
  for (var c = id.x; c < cols; c += 128u) {
    dx[row + c] = scale * (weighted(row + c, c) - input[row + c] * scale * dot);
  }
  for (var c = group.x * 128u + id.x; c < cols; c += rows * 128u) {
    var sum = 0.0;
    for (var r = 0u; r < rows; r++) {
      sum += slope[r * cols + c] * input[r * cols + c] * kept[r];
    }
    dweight[c] = sum;
  }
}
