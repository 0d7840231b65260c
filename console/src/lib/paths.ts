/** Addresses, without a browser. */
export type Params = Readonly<Record<string, string>>;

/** `/project/:project/live` on `/project/1/live` gives {project: '1'}; null where it does not fit. */
export function matchPath(pattern: string, path: string): Params | null {
  const wanted = split(pattern);
  const given = split(path);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decode(value);
    else if (part !== value) return null;
  }
  return params;
}

const split = (path: string): string[] => path.split('/').filter((part) => part !== '');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path of this console to come back to; anything else could lead to another site. */
export const safePath = (text: string | null): string | null =>
  text !== null && /^\/(?![/\\])/.test(text) ? text : null;
