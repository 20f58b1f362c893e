// The scores of attention in WGSL: 16 x 16 tiles through workgroup memory, the batch in a loop.
//! qk: groups keys / 16, queries / 16, heads
@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read_write> scores: array<f32>;
// batch, queries, heads, dim, keys, kv_heads; bits of scale; causal
@group(0) @binding(3) var<storage, read> sizes: array<u32>;

var<workgroup> of_q: array<array<f32, 16>, 16>;
var<workgroup> of_k: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn qk(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
  let queries = sizes[1];
  let heads = sizes[2];
  let dim = sizes[3];
  let keys = sizes[4];
  let kv_heads = sizes[5];
  let head = group.z;
  let i = group.y * 16u + at.y;
  let j = group.x * 16u + at.x;
  let j_loaded = group.x * 16u + at.y;  // neighbours in a row read neighbouring elements
  var scale = bitcast<f32>(sizes[6]);
  if (sizes[6] << 1u == 0u) {
    scale = inverseSqrt(f32(dim));
  }
  let none = bitcast<f32>(0xff800000u | (sizes[0] & 0u));  // -inf, which WGSL has no constant for
  let seen = sizes[7] == 0u || j + queries <= i + keys;
  for (var b = 0u; b < sizes[0]; b++) {
    var sum = 0.0;
    for (var d = 0u; d < dim; d += 16u) {
      of_q[at.y][at.x] = 0.0;
      of_k[at.y][at.x] = 0.0;
      if (d + at.x < dim && i < queries) {
        of_q[at.y][at.x] = q[((b * queries + i) * heads + head) * dim + d + at.x];
      }
      if (d + at.x < dim && j_loaded < keys) {
        let kv = head / (heads / kv_heads);
        of_k[at.y][at.x] = k[((b * keys + j_loaded) * kv_heads + kv) * dim + d + at.x];
      }
      workgroupBarrier();
      for (var e = 0u; e < 16u; e++) {
        sum += of_q[at.y][e] * of_k[at.x][e];
      }
      workgroupBarrier();  // before the tiles are filled again
    }
    if (i < queries && j < keys) {
      scores[((b * heads + head) * queries + i) * keys + j] = select(none, scale * sum, seen);
    }
  }
}
