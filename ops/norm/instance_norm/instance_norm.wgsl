// Instance normalisation in WGSL: one workgroup per channel of an image, trees in its memory, as in 02_block.cu. The
// gradient has ten buffers, two more than WebGPU grants a shader without asking.
//! instance_norm: groups batch, channels
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read_write> mean: array<f32>;
@group(0) @binding(5) var<storage, read_write> rstd: array<f32>;
// batch, outer, channels, inner; is there a weight, a bias; eps, activation
@group(0) @binding(6) var<storage, read> sizes: array<u32>;

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

fn activate(z: f32, kind: u32) -> f32 {
  if (kind == 1u) {
    return max(z, 0.0);
  }
  if (kind == 2u) {
    return z / (1.0 + exp(-z));
  }
  return z;
}

@compute @workgroup_size(128)
fn instance_norm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let channels = sizes[2];
  let run = sizes[3];
  let pitch = channels * run;
  let start = group.x * sizes[1] * pitch + group.y * run;
  let size = sizes[1] * run;
  var sum = 0.0;
  for (var e = id.x; e < size; e += 128u) {
    sum += x[start + e / run * pitch + e % run];
  }
  let center = sum_of_all(id.x, sum) / f32(size);
  var squares = 0.0;
  for (var e = id.x; e < size; e += 128u) {
    let d = x[start + e / run * pitch + e % run] - center;
    squares += d * d;
  }
  let scale = 1.0 / sqrt(sum_of_all(id.x, squares) / f32(size) + bitcast<f32>(sizes[6]));
  for (var e = id.x; e < size; e += 128u) {
    let at = start + e / run * pitch + e % run;
    let channel = group.y;
    var z = (x[at] - center) * scale;
    if (sizes[4] != 0u) {
      z *= weight[channel];
    }
    if (sizes[5] != 0u) {
      z += bias[channel];
    }
    y[at] = activate(z, sizes[7]);
  }
  if (id.x == 0u) {
    mean[group.x * channels + group.y] = center;
    rstd[group.x * channels + group.y] = scale;
  }
}
