// d = activation(alpha a b + beta c + bias) in WGSL: 16 x 16 tiles through workgroup memory, as 03_shared.cu. The
// contract's strided inputs are packed into rows before they come here.
//! matmul: groups n / 16, m / 16, batch
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> c: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> d: array<f32>;
// batch, m, k, n; whether there is a c, a bias; bits of alpha and beta; activation
@group(0) @binding(5) var<storage, read> sizes: array<u32>;

var<workgroup> of_a: array<array<f32, 16>, 16>;
var<workgroup> of_b: array<array<f32, 16>, 16>;

fn sigmoid(x: f32) -> f32 {
  return 1.0 / (1.0 + exp(-x));
}

@compute @workgroup_size(16, 16)
fn matmul(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
  let m = sizes[1];
  let k = sizes[2];
  let n = sizes[3];
  let i = group.y * 16u + at.y;
  let j = group.x * 16u + at.x;
  let first_a = group.z * m * k;
  let first_b = group.z * k * n;
  var sum = 0.0;
  for (var l = 0u; l < k; l += 16u) {
    of_a[at.y][at.x] = 0.0;
    of_b[at.y][at.x] = 0.0;
    if (i < m && l + at.x < k) {
      of_a[at.y][at.x] = a[first_a + i * k + l + at.x];
    }
    if (l + at.y < k && j < n) {
      of_b[at.y][at.x] = b[first_b + (l + at.y) * n + j];
    }
    workgroupBarrier();
    for (var q = 0u; q < 16u; q++) {
      sum += of_a[at.y][q] * of_b[q][at.x];
    }
    workgroupBarrier();  // before the tiles are filled again
  }
  if (i >= m || j >= n) {
    return;
  }
  let place = (group.z * m + i) * n + j;
  var z = bitcast<f32>(sizes[6]) * sum;
  if (sizes[4] != 0u && sizes[7] << 1u != 0u) {  // beta is not 0
    z += bitcast<f32>(sizes[7]) * c[place];
  }
  if (sizes[5] != 0u) {
    z += bias[j];
  }
  switch (sizes[8]) {
    case 1u: { z = max(z, 0.0); }
    case 2u: { z = z * sigmoid(1.5957691216057308 * (z + 0.044715 * z * z * z)); }
    case 3u: { z = z * sigmoid(z); }
    default: {}
  }
  d[place] = z;
}
