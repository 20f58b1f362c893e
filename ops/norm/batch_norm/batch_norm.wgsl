// Batch normalisation for inference in WGSL: one workgroup per channel, which stays in its invocations' registers, as in
// inference_02_vector.cu. Training has eleven buffers, three more than WebGPU grants a shader without asking.
//! batch_norm_inference: groups channels
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> running_mean: array<f32>;
@group(0) @binding(2) var<storage, read> running_var: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
// batch, channels, space; is there a weight, a bias; eps, activation
@group(0) @binding(6) var<storage, read> sizes: array<u32>;

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
fn batch_norm_inference(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let channel = group.x;
  let space = sizes[2];
  let pitch = sizes[1] * space;
  let size = sizes[0] * space;
  let center = running_mean[channel];
  var scale = 1.0 / sqrt(running_var[channel] + bitcast<f32>(sizes[5]));
  if (sizes[3] != 0u) {
    scale *= weight[channel];
  }
  var shift = 0.0;
  if (sizes[4] != 0u) {
    shift = bias[channel];
  }
  for (var e = id.x; e < size; e += 128u) {
    let at = e / space * pitch + channel * space + e % space;
    y[at] = activate((x[at] - center) * scale + shift, sizes[6]);
  }
}
