// Attention in WGSL: one workgroup per query and head, as a warp of 04_warp.cu has a row. Of 64 keys at a time each
// invocation has the score of one, then every 64th column of the output. Running sums start at the lowest float: WGSL lets a
// compiler assume that there is no infinity.
//! attention: groups queries, heads, batch
@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read> q_offsets: array<i32>;
@group(0) @binding(4) var<storage, read> k_offsets: array<i32>;
@group(0) @binding(5) var<storage, read_write> o: array<f32>;
@group(0) @binding(6) var<storage, read_write> lse: array<f32>;
// batch, queries, heads, dim, keys, kv_heads, value_dim, with offsets the number of sequences; are there offsets of queries,
// of keys; scale, causal, window, softcap, dropout, seed, offset
@group(0) @binding(7) var<storage, read> sizes: array<u32>;

const lowest = -3.0e38;
const columns = 4u;  // per invocation: heads of up to 256

var<workgroup> weights: array<f32, 64>;
var<workgroup> part: array<f32, 64>;

struct Sequence {
  first_query: i32,
  queries: i32,
  first_key: i32,
  keys: i32,
}

fn scalar(i: u32) -> u32 {
  return sizes[arrayLength(&sizes) - 9u + i];
}

fn sequence_of(query: i32) -> Sequence {
  if (scalar(0u) == 0u) {
    return Sequence(0, i32(sizes[1]), 0, i32(sizes[4]));
  }
  for (var b = 0u; b < sizes[7]; b++) {
    if (q_offsets[b] <= query && query < q_offsets[b + 1u]) {
      let first = q_offsets[b];
      return Sequence(first, q_offsets[b + 1u] - first, k_offsets[b], k_offsets[b + 1u] - k_offsets[b]);
    }
  }
  return Sequence(query, 1, 0, 0);
}

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

// Integers come with 32 bits; their sign fills the others.
fn wide(i: u32) -> vec2<u32> {
  return vec2(scalar(i), bitcast<u32>(bitcast<i32>(scalar(i)) >> 31u));
}

// What dropout makes of a probability: 0 or 1 / (1 - dropout).
fn kept(row: u32, key: u32) -> f32 {
  let dropout = bitcast<f32>(scalar(6u));
  if (dropout == 0.0) {
    return 1.0;
  }
  let word = philox(vec4(key / 4u, row, wide(8u)), wide(7u))[key % 4u];
  return select(0.0, 1.0 / (1.0 - dropout), word >= u32(dropout * 4294967296.0));
}

fn logit(product: f32) -> f32 {
  var scale = bitcast<f32>(scalar(2u));
  if (scale == 0.0) {
    scale = inverseSqrt(f32(sizes[3]));
  }
  let cap = bitcast<f32>(scalar(5u));
  let s = product * scale;
  if (cap == 0.0) {
    return s;
  }
  return cap * (1.0 - 2.0 / (exp(clamp(2.0 * s / cap, -80.0, 80.0)) + 1.0));
}

@compute @workgroup_size(64)
fn attention(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let id = local.x;
  let queries = sizes[1];
  let heads = sizes[2];
  let dim = sizes[3];
  let value_dim = sizes[6];
  let query_row = (group.z * queries + group.x) * heads + group.y;
  let row = (group.z * heads + group.y) * queries + group.x;  // of lse
  let kv_heads = sizes[5];
  let kv_head = group.y / (heads / kv_heads);
  let s = sequence_of(i32(group.x));
  let position = i32(group.x) - s.first_query + s.keys - s.queries;
  let causal = scalar(3u) != 0u;
  let window = bitcast<i32>(scalar(4u));
  var first = 0;
  var last = s.keys;
  if (causal) {
    last = min(last, position + 1);
  }
  if (window > 0) {
    first = max(first, position - window + 1);
    last = min(last, position + window);
  }

  var most = lowest;
  var total = 0.0;
  var sums = array<f32, columns>();
  for (var start = first; start < last; start += 64) {
    let j = start + i32(id);
    var mine = lowest;
    if (j < last) {
      let at = ((group.z * sizes[4] + u32(s.first_key + j)) * kv_heads + kv_head) * dim;
      var product = 0.0;
      for (var d = 0u; d < dim; d++) {
        product += q[query_row * dim + d] * k[at + d];
      }
      mine = logit(product);
    }
    part[id] = mine;
    for (var half = 32u; half > 0u; half /= 2u) {
      workgroupBarrier();
      if (id < half) {
        part[id] = max(part[id], part[id + half]);
      }
    }
    workgroupBarrier();
    let new_most = max(most, part[0]);
    let shrink = exp(most - new_most);
    most = new_most;
    workgroupBarrier();  // part is read no more
    var p = 0.0;
    if (j < last) {
      p = exp(mine - most);
    }
    part[id] = p;
    weights[id] = p * kept(row, u32(j));
    workgroupBarrier();
    total *= shrink;
    for (var c = 0u; c < columns; c++) {
      sums[c] *= shrink;
    }
    for (var l = 0; l < min(64, last - start); l++) {
      total += part[l];
      let at = ((group.z * sizes[4] + u32(s.first_key + start + l)) * kv_heads + kv_head) * value_dim;
      for (var c = 0u; c < columns; c++) {
        let column = id + 64u * c;
        if (column < value_dim) {
          sums[c] += weights[l] * v[at + column];
        }
      }
    }
    workgroupBarrier();  // weights and part are read no more
  }

  for (var c = 0u; c < columns; c++) {
    let column = id + 64u * c;
    if (column < value_dim) {
      o[query_row * value_dim + column] = select(0.0, sums[c] / max(total, 1.0e-30), total > 0.0);
    }
  }
  if (id == 0u) {
    let none = bitcast<f32>(0xff800000u | (sizes[0] & 0u));  // -inf, which WGSL has no constant for
    lse[row] = select(none, most + log(max(total, 1.0e-30)), total > 0.0);
  }
}
