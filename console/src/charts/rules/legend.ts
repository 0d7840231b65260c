/** Hiding and showing series, by index. */

/** Hides a series, or shows it again. The last visible one is not hidden. */
export function toggleHidden(hidden: ReadonlySet<number>, index: number, count: number): ReadonlySet<number> {
  const next = new Set(hidden);
  if (!next.delete(index)) next.add(index);
  return next.size >= count ? hidden : next;
}

/** Shows only this series, or all again if it is alone already. */
export function soloHidden(hidden: ReadonlySet<number>, index: number, count: number): ReadonlySet<number> {
  const others = Array.from({ length: count }, (_, at) => at).filter((at) => at !== index);
  const isSolo = !hidden.has(index) && others.every((at) => hidden.has(at));
  return new Set(isSolo ? [] : others);
}
