// Dropout and its gradient in WGSL: one invocation has the four elements of a Philox call, as a thread of 02_four.cu has.
// The mask is that of the rungs, for any p that a float holds.
//! dropout: groups n / 1024
//! dropout: 64 bits seed, offset
//! dropout_backward: groups n / 1024
//! dropout_backward: 64 bits seed, offset
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> residual: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read> sizes: array<u32>;  // n, is there a residual, the bits of p, seed, offset

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read_write> dx: array<f32>;
@group(0) @binding(2) var<storage, read> backward_sizes: array<u32>;  // n, the bits of p, seed, offset

// The upper half of a product of 32 bits each.
fn high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u);
}

fn philox(counter: vec4<u32>, seed: vec2<u32>) -> vec4<u32> {
  var c = counter;
  var key = seed;
  for (var round = 0; round < 10; round++) {
    let a = 0xD2511F53u;
    let b = 0xCD9E8D57u;
    c = vec4(high(b, c.z) ^ c.y ^ key.x, b * c.z, high(a, c.x) ^ c.w ^ key.y, a * c.x);
    key += vec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return c;
}

// A choice, not a product with 0: 0 * inf is NaN. No threshold of 32 bits drops every word: p = 1 is asked by itself.
fn dropped(v: f32, word: u32, p: f32) -> f32 {
  let keep = p < 1.0 && word >= u32(p * 4294967296.0);
  let factor = 1.0 / max(1.0 - p, 1.0e-9);  // rounded before the product, as in the rungs
  return select(0.0, v * factor, keep);
}

@compute @workgroup_size(256)
fn dropout(@builtin(global_invocation_id) id: vec3<u32>) {
  let counter = vec4(id.x, 0u, sizes[5], sizes[6]);
  let words = philox(counter, vec2(sizes[3], sizes[4]));
  for (var k = 0u; k < 4u; k++) {
    let i = 4u * id.x + k;
    if (i >= sizes[0]) {
      return;
    }
    var v = dropped(x[i], words[k], bitcast<f32>(sizes[2]));
    if (sizes[1] != 0u) {
      v += residual[i];
    }
    y[i] = v;
  }
}

@compute @workgroup_size(256)
fn dropout_backward(@builtin(global_invocation_id) id: vec3<u32>) {
  let counter = vec4(id.x, 0u, backward_sizes[4], backward_sizes[5]);
  let words = philox(counter, vec2(backward_sizes[2], backward_sizes[3]));
  for (var k = 0u; k < 4u; k++) {
    let i = 4u * id.x + k;
    if (i >= backward_sizes[0]) {
      return;
    }
    dx[i] = dropped(dy[i], words[k], bitcast<f32>(backward_sizes[1]));
  }
}
