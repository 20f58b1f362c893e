// The residual addition and the normalisation behind it in WGSL, and their gradient: one workgroup per row, trees in its
// memory, as in 02_fused.cu. The gradient's workgroups share out the columns too: each sums dweight and dbias for every so
// many of them over all rows.
//! add_norm: groups rows
//! add_norm_backward: groups rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> residual: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<storage, read_write> s: array<f32>;
@group(0) @binding(6) var<storage, read_write> mean: array<f32>;
@group(0) @binding(7) var<storage, read_write> rstd: array<f32>;
// rows, cols, is there a weight, a bias, kind (0: layer, 1: rms), the bits of eps
@group(0) @binding(8) var<storage, read> sizes: array<u32>;

@group(0) @binding(0) var<storage, read> total: array<f32>;  // s of the forward pass
@group(0) @binding(1) var<storage, read> slope: array<f32>;  // dy
@group(0) @binding(2) var<storage, read> kept_mean: array<f32>;
@group(0) @binding(3) var<storage, read> kept_rstd: array<f32>;
@group(0) @binding(4) var<storage, read> sum_slope: array<f32>;  // ds
@group(0) @binding(5) var<storage, read> factor: array<f32>;  // weight
@group(0) @binding(6) var<storage, read_write> dx: array<f32>;
@group(0) @binding(7) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(8) var<storage, read_write> dbias: array<f32>;
// rows, cols, is there a ds, a weight, kind
@group(0) @binding(9) var<storage, read> backward_sizes: array<u32>;

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
  let all = part[0];
  workgroupBarrier();  // all have read it before it is used again
  return all;
}

@compute @workgroup_size(128)
fn add_norm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = sizes[1];
  let row = group.x * cols;
  var sum = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    let v = x[row + c] + residual[row + c];
    s[row + c] = v;  // read again by this invocation alone
    sum += v;
  }
  let all = sum_of_all(id.x, sum);
  let center = select(0.0, all / f32(cols), sizes[4] == 0u);
  var squares = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    let d = s[row + c] - center;
    squares += d * d;
  }
  let scale = 1.0 / sqrt(sum_of_all(id.x, squares) / f32(cols) + bitcast<f32>(sizes[5]));
  for (var c = id.x; c < cols; c += 128u) {
    var v = (s[row + c] - center) * scale;
    if (sizes[2] != 0u) {
      v *= weight[c];
    }
    if (sizes[3] != 0u) {
      v += bias[c];
    }
    y[row + c] = v;
  }
  if (id.x == 0u) {
    mean[group.x] = center;
    rstd[group.x] = scale;
  }
}

fn is_layer() -> bool {
  return backward_sizes[4] == 0u;
}

fn weighted(at: u32, c: u32) -> f32 {
  if (backward_sizes[3] != 0u) {
    return slope[at] * factor[c];
  }
  return slope[at];
}

// The normalised element that the forward pass had.
fn normal(r: u32, at: u32) -> f32 {
  return (total[at] - select(0.0, kept_mean[r], is_layer())) * kept_rstd[r];
}

@compute @workgroup_size(128)
fn add_norm_backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let rows = backward_sizes[0];
  let cols = backward_sizes[1];
  let row = group.x * cols;
  var plain = 0.0;
  var along = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    plain += weighted(row + c, c);
    along += weighted(row + c, c) * normal(group.x, row + c);
  }
  let average = select(0.0, sum_of_all(id.x, plain) / f32(cols), is_layer());
  let dot = sum_of_all(id.x, along) / f32(cols);
  for (var c = id.x; c < cols; c += 128u) {
    let d = weighted(row + c, c) - average - normal(group.x, row + c) * dot;
    var v = kept_rstd[group.x] * d;
    if (backward_sizes[2] != 0u) {
      v += sum_slope[row + c];
    }
    dx[row + c] = v;
  }
  for (var c = group.x * 128u + id.x; c < cols; c += rows * 128u) {
    var weight_sum = 0.0;
    var bias_sum = 0.0;
    for (var r = 0u; r < rows; r++) {
      weight_sum += slope[r * cols + c] * normal(r, r * cols + c);
      bias_sum += slope[r * cols + c];
    }
    dweight[c] = weight_sum;
    dbias[c] = bias_sum;
  }
}
