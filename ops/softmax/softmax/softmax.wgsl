// Softmax and its gradient in WGSL: one workgroup per row, trees in its memory, as in 02_shared.cu. WGSL has no
// infinity to start a maximum from, and lets a compiler assume that there are none.
//! softmax: groups rows
//! softmax_backward: groups rows
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // rows, cols

@group(0) @binding(0) var<storage, read> result: array<f32>;      // y of the forward pass
@group(0) @binding(1) var<storage, read> slope: array<f32>;       // dy
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(0) @binding(3) var<storage, read> backward_sizes: array<u32>;

var<workgroup> part: array<f32, 128>;

fn largest_of_all(id: u32, mine: f32) -> f32 {
  part[id] = mine;
  for (var half = 64u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id < half) {
      part[id] = max(part[id], part[id + half]);
    }
  }
  workgroupBarrier();
  let all = part[0];
  workgroupBarrier();  // all have read it before it is used again
  return all;
}

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
  workgroupBarrier();
  return all;
}

@compute @workgroup_size(128)
fn softmax(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = sizes[1];
  let row = group.x * cols;
  var mine = x[row];
  for (var c = id.x; c < cols; c += 128u) {
    mine = max(mine, x[row + c]);
  }
  let largest = largest_of_all(id.x, mine);
  var sum = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    sum += exp(x[row + c] - largest);
  }
  let total = sum_of_all(id.x, sum);
  for (var c = id.x; c < cols; c += 128u) {
    y[row + c] = exp(x[row + c] - largest) / total;
  }
}

@compute @workgroup_size(128)
fn softmax_backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let cols = backward_sizes[1];
  let row = group.x * cols;
  var mine = 0.0;
  for (var c = id.x; c < cols; c += 128u) {
    mine += result[row + c] * slope[row + c];
  }
  let dot = sum_of_all(id.x, mine);
  for (var c = id.x; c < cols; c += 128u) {
    dx[row + c] = result[row + c] * (slope[row + c] - dot);
  }
}
