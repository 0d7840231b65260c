/** Where the links of guides lead to. */
import type { Token, Tokens } from 'marked';

/** As GitHub makes them, so that a link works there and here. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('text' in token ? String(token.text) : '')).join('');

/** The title of the page is its first heading, so that of the guide is left out. */
export const headingId = ({ depth, tokens }: Tokens.Heading): string | null =>
  depth === 1 ? null : slugOf(plainText(tokens));

/** Null for what is not served: files of the sources. */
export function guideTarget(href: string): string | null {
  if (/^https?:/.test(href) || href.startsWith('#')) return href;
  const found = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href);
  return found ? `/help/${found[1]}${found[2] ?? ''}` : null;
}
