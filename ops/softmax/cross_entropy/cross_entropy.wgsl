// The gradient of cross entropy in WGSL: one workgroup per row, as backward_01_naive.cu, where lse is known. The losses
// themselves have no twin here: their sum needs an order between workgroups, which one dispatch has not.
//! cross_entropy_backward: groups rows
@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;  // two words each where they are of 8 bytes
@group(0) @binding(2) var<storage, read> lse: array<f32>;
@group(0) @binding(3) var<storage, read> dtotal: array<f32>;
@group(0) @binding(4) var<storage, read> dloss: array<f32>;
@group(0) @binding(5) var<storage, read> dlse: array<f32>;
@group(0) @binding(6) var<storage, read_write> dlogits: array<f32>;
// rows, words, whether dtotal, dloss and dlse are there, reduction (1: mean), ignore_index, label_smoothing
@group(0) @binding(7) var<storage, read> sizes: array<u32>;

var<workgroup> part: array<u32, 128>;

fn label_of(row: u32) -> i32 {
  return labels[row * (arrayLength(&labels) / sizes[0])];
}

// How many labels are not ignored: every workgroup counts for itself.
fn count_labels(id: u32) -> f32 {
  part[id] = 0u;
  for (var r = id; r < sizes[0]; r += 128u) {
    if (label_of(r) != bitcast<i32>(sizes[6])) {
      part[id] += 1u;
    }
  }
  for (var half = 64u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (id < half) {
      part[id] += part[id + half];
    }
  }
  workgroupBarrier();
  return f32(part[0]);
}

@compute @workgroup_size(128)
fn cross_entropy_backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
  let row = group.x;
  let words = sizes[1];
  let smoothing = bitcast<f32>(sizes[7]);
  let counted = count_labels(id.x);
  let label = label_of(row);
  let ignored = label == bitcast<i32>(sizes[6]);
  let is_word = label >= 0 && u32(label) < words;
  var weight = 0.0;
  if (sizes[2] == 1u) {
    weight = select(dtotal[0], dtotal[0] / counted, sizes[5] == 1u);
  }
  if (sizes[3] == 1u) {
    weight += dloss[row];
  }
  if (ignored) {
    weight = 0.0;
  } else if (!is_word) {
    weight = bitcast<f32>(sizes[0] | 0x7fc00000u);  // NaN, which no constant may be
  }
  var of_lse = 0.0;
  if (sizes[4] == 1u) {
    of_lse = dlse[row];
  }
  for (var c = id.x; c < words; c += 128u) {
    let at = row * words + c;
    let target_share = smoothing / f32(words) + select(0.0, 1.0 - smoothing, i32(c) == label);
    let slope = (weight + of_lse) * exp(logits[at] - lse[row]) - weight * target_share;
    dlogits[at] = select(slope, 0.0, ignored && of_lse == 0.0);
  }
}
