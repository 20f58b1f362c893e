// Global average pooling and its gradient in WGSL: one workgroup of 64 per channel, a tree in its memory.
//! global_avg_pool: groups channels, batch
//! global_avg_pool_backward: groups channels, batch
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // batch, channels, pixels

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> like: array<f32>;  // x, for its shape
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(0) @binding(3) var<storage, read> backward_sizes: array<u32>;  // batch, channels, pixels

var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn global_avg_pool(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let pixels = sizes[2];
  let row = group.y * sizes[1] + group.x;
  var mine = 0.0;
  for (var i = id.x; i < pixels; i += 64u) {
    mine += x[row * pixels + i];
  }
  part[id.x] = mine;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id.x < half) {
      part[id.x] += part[id.x + half];
    }
  }
  if (id.x == 0u) {
    y[row] = part[0] / f32(pixels);
  }
}

@compute @workgroup_size(64)
fn global_avg_pool_backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let pixels = backward_sizes[2];
  let row = group.y * backward_sizes[1] + group.x;
  if (arrayLength(&like) == 0u) {
    return;
  }
  let value = dy[row] / f32(pixels);
  for (var i = id.x; i < pixels; i += 64u) {
    dx[row * pixels + i] = value;
  }
}
