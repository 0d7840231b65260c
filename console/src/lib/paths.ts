export type Params = Readonly<Record<string, string>>;

/** `/project/:project/live` on `/project/1/live` gives {project: '1'}; null if it does not match. */
export function matchPath(pattern: string, path: string): Params | null {
  const expected = split(pattern);
  const actual = split(path);
  if (expected.length !== actual.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? '';
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

/** Only paths of this console: anything else could lead to another site. */
export const safePath = (text: string | null): string | null =>
  text !== null && /^\/(?![/\\])/.test(text) ? text : null;
