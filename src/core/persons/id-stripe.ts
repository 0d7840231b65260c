/**
 * Distinct ids in a fixed number of stripes, which nodes of a cluster lock. A partition of the log is made of whole
 * stripes (`stripe % partitions`), so that workers of different partitions lock different stripes.
 */
export const STRIPES = 4096;

export const stripeOf = (projectId: number, distinctId: string): number =>
  hashText(`${projectId}:${distinctId}`) % STRIPES;

/** FNV-1a over UTF-16 units, then mixed well, so that the last bits depend on all of them. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
