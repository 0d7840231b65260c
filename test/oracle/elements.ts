/** Clicked elements, read from their chain and found by selectors, character by character. */
import type { PropertyFilter } from '../../src/core/filters/property-filter.ts';

interface Clicked {
  tag: string;
  classes: readonly string[];
  attributes: ReadonlyMap<string, string>;
}

/** Reads `a.btn:attr__class="btn"text="Buy";div:`, the innermost element first. */
function readElements(chain: string): Clicked[] {
  return splitOutsideQuotes(chain, ';').map((element) => {
    const [, head = '', rest = ''] = /^(.*?)(?::((?:[\w-]+=".*)?))?$/s.exec(element) ?? [];
    const [tag = '', ...classes] = head.split('.');
    const attributes = new Map<string, string>();
    for (let at = 0; at < rest.length; ) {
      const open = rest.indexOf('="', at);
      if (open < 0) break;
      let end = open + 2;
      while (end < rest.length && rest[end] !== '"') end += rest[end] === '\\' ? 2 : 1;
      attributes.set(rest.slice(at, open), rest.slice(open + 2, end).replace(/\\(.)/gs, '$1'));
      at = end + 1;
    }
    return { tag, classes, attributes };
  });
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = [''];
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === separator && !isQuoted) {
      parts.push('');
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    parts.push(`${parts.pop()}${character}`);
    if (character === '\\' && isQuoted) parts.push(`${parts.pop()}${text[++at] ?? ''}`);
  }
  return text === '' ? [] : parts;
}

interface Wanted {
  tag: string | null;
  classes: string[];
  attributes: [key: string, value: string][];
  /** Whether it has to be the direct child of the one before it in the selector. */
  isChild: boolean;
}

/** Reads a selector, the outermost element first. */
class SelectorReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): Wanted[] {
    const wanted: Wanted[] = [];
    for (let isChild = false; this.at < this.text.length; ) {
      if (this.skip(/^\s+/) !== '') continue;
      if (this.skip(/^>/) !== '') {
        isChild = true;
        continue;
      }
      wanted.push(this.element(isChild));
      isChild = false;
    }
    return wanted;
  }

  private element(isChild: boolean): Wanted {
    const tag = this.until(/[\s.#[\]:>"'=]/);
    const wanted: Wanted = { tag: tag === '' || tag === '*' ? null : tag, classes: [], attributes: [], isChild };
    for (;;) {
      const mark = this.skip(/^[.#[]|^:nth-(?:child|of-type)\(/);
      if (mark === '') return wanted;
      if (mark === '.') wanted.classes.push(this.until(/[\s.#[\]:>"'=]/));
      else if (mark === '#') wanted.attributes.push(['attr_id', this.until(/[\s.#[\]:>"'=]/)]);
      else if (mark === '[') wanted.attributes.push(this.attribute());
      else {
        wanted.attributes.push([mark.slice(1, -1), this.until(/\)/)]);
        this.skip(/^\)/);
      }
    }
  }

  private attribute(): [key: string, value: string] {
    const key = this.until(/=/);
    const quote = this.skip(/^=["']?/).slice(1);
    const value = this.until(quote === '' ? /\]/ : new RegExp(quote));
    this.skip(/^["']?\]/);
    return [key === 'id' ? 'attr_id' : `attr__${key}`, value];
  }

  /** Skips what the pattern finds here, and returns it. */
  private skip(pattern: RegExp): string {
    const [found = ''] = pattern.exec(this.text.slice(this.at)) ?? [];
    this.at += found.length;
    return found;
  }

  /** The text up to one of these characters, without escapes. */
  private until(end: RegExp): string {
    let read = '';
    while (this.at < this.text.length && !end.test(this.text[this.at] as string)) {
      const escaped = this.skip(/^\\(?:[0-9a-f]{1,6}\s?|.)/is);
      read += escaped === '' ? this.text[this.at++] : characterOf(escaped);
    }
    return read;
  }
}

/** `\:` is a colon, `\31 ` the character of that code. */
const characterOf = (escaped: string): string => {
  const code = /^\\([0-9a-f]+)\s?$/i.exec(escaped)?.[1];
  return code === undefined ? escaped.slice(1) : String.fromCodePoint(Number.parseInt(code, 16));
};

const fits = ({ tag, classes, attributes }: Wanted, element: Clicked): boolean =>
  (tag === null || tag === element.tag) &&
  classes.every((one) => element.classes.includes(one)) &&
  attributes.every(([key, value]) => element.attributes.get(key) === value);

/** Whether the elements from `at` outwards fit the selector, whose last part is about the element at `at`. */
function fitsFrom(wanted: readonly Wanted[], elements: readonly Clicked[], at: number): boolean {
  const [last, element] = [wanted.at(-1), elements[at]];
  if (last === undefined) return true;
  if (element === undefined || !fits(last, element)) return false;
  const outer = wanted.slice(0, -1);
  if (outer.length === 0) return true;
  if (last.isChild) return fitsFrom(outer, elements, at + 1);
  return elements.some((_, further) => further > at && fitsFrom(outer, elements, further));
}

type Search = (pattern: string, text: string) => boolean | null;

/** Whether a filter on elements matches: one element is enough, and none for negative operators. */
export function matchesElements({ key, operator, values }: PropertyFilter, chain: string, search: Search): boolean {
  const elements = readElements(chain);
  const texts = elements.flatMap(({ attributes }) => attributes.get(key) ?? []);
  const isFound = (value: string): boolean => {
    if (key === 'selector') {
      const wanted = new SelectorReader(value).read();
      return elements.some((_, at) => fitsFrom(wanted, elements, at));
    }
    if (key === 'tag_name') return elements.some(({ tag }) => tag === value);
    if (operator === 'exact' || operator === 'is_not') return texts.includes(value);
    if (operator === 'regex' || operator === 'not_regex') return texts.some((text) => search(`^(?:${value})$`, text));
    return texts.some((text) => text.toLowerCase().includes(value.toLowerCase()));
  };
  const hasText = texts.some((text) => text !== '');
  switch (operator) {
    case 'is_set':
      return hasText;
    case 'is_not_set':
      return !hasText;
    case 'not_regex':
      return values.every((value) => search(value, '') !== null && !isFound(value));
    case 'is_not':
    case 'not_icontains':
      return !values.some(isFound);
    default:
      return values.some(isFound);
  }
}
