import { invalid } from '../../../core/errors.ts';

/** Each item after those that it refers to; others are not in the list. Throws if some refer to each other in a circle. */
export function inReferenceOrder<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  referencesOf: (item: T) => readonly string[],
): T[] {
  const byName = new Map(items.map((item) => [nameOf(item), item]));
  const done = new Set<string>();
  const ordered: T[] = [];
  const visit = (item: T, path: readonly string[]): void => {
    const name = nameOf(item);
    if (done.has(name)) return;
    if (path.includes(name))
      throw invalid('file', `They refer to each other in a circle: ${[...path, name].join(' → ')}.`);
    for (const other of referencesOf(item)) {
      const next = byName.get(other);
      if (next !== undefined) visit(next, [...path, name]);
    }
    done.add(name);
    ordered.push(item);
  };
  for (const item of items) visit(item, []);
  return ordered;
}
