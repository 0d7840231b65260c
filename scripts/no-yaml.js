// In place of the package `yaml`, which a dependency loads in order to write the API document as YAML. Ours is JSON.
export function stringify() {
  throw new Error('Documents are not written as YAML here.');
}
