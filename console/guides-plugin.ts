/** Guides as modules: Markdown is parsed when the console is built, and drawn by `components/markdown.tsx`. */
import { marked, type Token } from 'marked';
import type { Plugin } from 'vite';

/** What the parser keeps of the source is not needed to draw it, and doubles the size. */
const withoutSource = (tokens: readonly Token[]): string =>
  JSON.stringify(tokens, (key, value: unknown) => (key === 'raw' ? undefined : value));

export const guides = (): Plugin => ({
  name: 'guides',
  transform: (text, id) =>
    id.endsWith('.md') ? { code: `export const tokens = ${withoutSource(marked.lexer(text))};`, map: null } : null,
});
