/** One clicked element, as the interface describes it. */
type ClickedElement = {
  event: null;
  text: string | null;
  tag_name: string | null;
  attr_class: string[] | null;
  href: string | null;
  attr_id: string | null;
  nth_child: number | null;
  nth_of_type: number | null;
  /** All other attributes, under their names in the chain: `attr__data-x`. */
  attributes: Record<string, string>;
  /** 0: the innermost. */
  order: number;
};

/** More elements than any page has; a chain from outside may be anything. */
const MAX_ELEMENTS = 1000;

const ELEMENT = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/gs;
const HEAD_AND_ATTRIBUTES = /^(.*?)(?::((?:[\w-]+="(?:[^"\\]|\\.)*")*))?$/s;
const ATTRIBUTE = /([\w-]+)="((?:[^"\\]|\\.)*)"/gs;

/** Reads the elements from a chain such as `a.btn:attr__class="btn"href="/x"text="Buy";div:`. */
export function parseElements(chain: string): ClickedElement[] {
  return (chain.match(ELEMENT) ?? []).slice(0, MAX_ELEMENTS).map(parseElement);
}

function parseElement(text: string, order: number): ClickedElement {
  const [, head = '', written = ''] = HEAD_AND_ATTRIBUTES.exec(text) ?? [];
  const [tag = '', ...classes] = head.split('.');
  const found = new Map([...written.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, unescaped(value)]));
  const take = (key: string): string | null => {
    const value = found.get(key) ?? null;
    found.delete(key);
    return value;
  };
  const names = classes.filter((name) => name !== '');
  return {
    event: null,
    text: take('text'),
    tag_name: tag === '' ? null : tag,
    attr_class: names.length === 0 ? null : names,
    href: take('href'),
    attr_id: take('attr_id'),
    nth_child: numberOrNull(take('nth-child')),
    nth_of_type: numberOrNull(take('nth-of-type')),
    attributes: Object.fromEntries(found),
    order,
  };
}

const unescaped = (text: string): string => text.replace(/\\(["\\])/g, '$1');

const numberOrNull = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
