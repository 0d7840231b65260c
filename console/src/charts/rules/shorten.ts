/** Long names lose their middle, because values that begin alike differ at their end: addresses, paths, versions. */

/** At most `length` characters. */
export function shorten(name: string, length: number): string {
  const letters = [...name];
  if (letters.length <= length) return name;
  const tail = Math.ceil((length - 1) * 0.6);
  return `${letters.slice(0, length - 1 - tail).join('')}…${letters.slice(letters.length - tail).join('')}`;
}

const MIN_TAIL = 12;
const MAX_TAIL = 22;

function commonEnd(names: readonly string[]): number {
  const [first = '', ...others] = names;
  let length = 0;
  while (length < first.length && others.every((name) => name.at(-1 - length) === first.at(-1 - length))) length++;
  return length;
}

/** How many characters at the end must stay to tell these names apart. */
export const tailLength = (names: readonly string[]): number =>
  names.length < 2 ? MIN_TAIL : Math.min(MAX_TAIL, MIN_TAIL + commonEnd(names));

const IS_RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** What may be cut, and what must stay. Short names stay whole, and so does text whose letters would lose their order. */
export function splitName(name: string, tail = MIN_TAIL): [head: string, tail: string] {
  const letters = [...name];
  if (letters.length <= 2 * MIN_TAIL || letters.length <= tail || IS_RIGHT_TO_LEFT.test(name)) return ['', name];
  return [letters.slice(0, -tail).join(''), letters.slice(-tail).join('')];
}
