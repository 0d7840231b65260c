/** Where the links of guides lead to. */
import type { Token } from 'marked';

/** As GitHub makes them, so that a link works there and here. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

export const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('text' in token ? String(token.text) : '')).join('');

/** Null for what is not served: files of the sources. */
export function guideTarget(href: string): string | null {
  if (/^https?:/.test(href) || href.startsWith('#')) return href;
  const found = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href);
  return found ? `/help/${found[1]}${found[2] ?? ''}` : null;
}
