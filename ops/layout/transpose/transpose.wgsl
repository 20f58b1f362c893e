// y = x transposed in WGSL: a tile through workgroup memory, its rows padded by one element, as in 03_padded.cu.
//! transpose: groups cols / 16, rows / 16
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // rows, cols

var<workgroup> tile: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn transpose(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
  let rows = sizes[0];
  let cols = sizes[1];
  let corner = group.xy * 16u;  // column, row
  if (corner.x + at.x < cols && corner.y + at.y < rows) {
    tile[at.y][at.x] = x[(corner.y + at.y) * cols + corner.x + at.x];
  }
  workgroupBarrier();
  if (corner.x + at.y < cols && corner.y + at.x < rows) {
    y[(corner.x + at.y) * rows + corner.y + at.x] = tile[at.x][at.y];
  }
}
