// Colour to grey in WGSL: one invocation per pixel, as in 01_naive.cu. WGSL has no bytes in buffers: f32 alone.
//! grayscale: groups pixels / 256
//! grayscale_planes: groups width / 64, height / 4, batch
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> sizes: array<u32>;  // pixels, channels; or batch, channels, height, width

fn grey(r: f32, g: f32, b: f32) -> f32 {
  return 0.299 * r + 0.587 * g + 0.114 * b;
}

@compute @workgroup_size(256)
fn grayscale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < sizes[0]) {
    let at = id.x * sizes[1];
    y[id.x] = grey(x[at], x[at + 1u], x[at + 2u]);
  }
}

@compute @workgroup_size(64, 4)
fn grayscale_planes(@builtin(global_invocation_id) id: vec3<u32>) {
  let height = sizes[2];
  let width = sizes[3];
  if (id.x < width && id.y < height) {
    let plane = height * width;
    let inside = id.y * width + id.x;
    let at = id.z * sizes[1] * plane + inside;
    y[id.z * plane + inside] = grey(x[at], x[at + plane], x[at + 2u * plane]);
  }
}
