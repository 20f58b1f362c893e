// Layer normalisation in WGSL: one workgroup per row, trees in its memory, as in 02_shared.cu. The gradient has nine
// buffers, one more than WebGPU grants a shader without asking.
//! layer_norm: groups rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read_write> mean: array<f32>;
@group(0) @binding(5) var<storage, read_write> rstd: array<f32>;
@group(0) @binding(6) var<storage, read> sizes: array<u32>;  // rows, cols, is there a weight, a bias, eps

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
fn layer_norm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = sizes[1];
  let row = group.x * cols;
  var sum = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    sum += x[row + c];
  }
  let center = sum_of_all(id.x, sum) / f32(cols);
  var squares = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    let d = x[row + c] - center;
    squares += d * d;
  }
  let scale = 1.0 / sqrt(sum_of_all(id.x, squares) / f32(cols) + bitcast<f32>(sizes[4]));
  for (var c = id.x; c < cols; c += 128u) {
    var v = (x[row + c] - center) * scale;
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
