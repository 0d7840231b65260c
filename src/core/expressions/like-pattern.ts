/** The RE2 pattern of a `like`: `%` is any text, `_` any character, and a backslash takes away such a meaning. */
export function likePattern(text: string, ignoresCase: boolean): string {
  const parts = text.match(/\\[\s\S]|[\s\S]/gu) ?? [];
  // Without the ends, so that the engine searches for plain text in `%text%`.
  const from = parts[0] === '%' ? 1 : 0;
  const to = parts.length > 1 && parts.at(-1) === '%' ? parts.length - 1 : parts.length;
  const body = parts.slice(from, to).map(partPattern).join('');
  if (parts.length === 1 && from === 1) return '';
  return `(?s${ignoresCase ? 'i' : ''})${from === 1 ? '' : '\\A'}${body}${to < parts.length ? '' : '\\z'}`;
}

function partPattern(part: string): string {
  if (part === '%') return '.*';
  if (part === '_') return '.';
  const literal = part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
  return literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
