// scale * (activation(x + bias) + residual) in WGSL: one invocation per element, as in 02_fused.cu.
//! fused_elementwise: groups cols / 64, rows / 4
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> bias: array<f32>;
@group(0) @binding(2) var<storage, read> residual: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// rows, cols; whether there is a bias, a residual; activation, the bits of scale
@group(0) @binding(4) var<storage, read> sizes: array<u32>;

// WGSL has no infinity that can be relied on: below -88 the sigmoid is zero.
fn sigmoid(v: f32) -> f32 {
  return select(1.0 / (1.0 + exp(-v)), 0.0, v < -88.0);
}

@compute @workgroup_size(64, 4)
fn fused_elementwise(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= sizes[1] || id.y >= sizes[0]) {
    return;
  }
  let i = id.y * sizes[1] + id.x;
  var z = x[i];
  if (sizes[2] != 0u) {
    z += bias[id.x];
  }
  switch (sizes[4]) {
    case 1u: {
      z = select(z, 0.0, z <= 0.0);
    }
    case 2u: {
      let bounded = clamp(z, -100.0, 100.0);
      z *= sigmoid(bounded * (1.59576912 + 0.0713548163 * bounded * bounded));
    }
    case 3u: {
      z *= sigmoid(z);
    }
    default: {
    }
  }
  if (sizes[3] != 0u) {
    z += residual[i];
  }
  y[i] = bitcast<f32>(sizes[5]) * z;
}
