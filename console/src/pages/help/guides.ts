/** The guides of `docs/guides`, in sections. */
import type { Token } from 'marked';

export interface Guide {
  slug: string;
  title: string;
  load(): Promise<{ tokens: readonly Token[] }>;
}

const FILES = import.meta.glob<{ tokens: readonly Token[] }>('../../../../docs/guides/*.md');

const SECTIONS: readonly { title: string; slugs: readonly string[] }[] = [
  { title: 'Get started', slugs: ['getting-started', 'sdks', 'moving-from-posthog'] },
  {
    title: 'Run a server',
    slugs: [
      'deploying',
      'configuration',
      'sign-in',
      'single-sign-on',
      'audit-log',
      'behind-a-proxy',
      'backups',
      'upgrading',
      'moving-to-a-cluster',
      'command-line',
      'privacy',
    ],
  },
];
/** The section of all other guides. */
const OTHERS = 'Use Cairn';

const NAMES: Readonly<Record<string, string>> = { api: 'API', posthog: 'PostHog', sdks: 'SDKs', sql: 'SQL' };

/** `moving-from-posthog` is 'Moving from PostHog'. */
export function titleOf(slug: string): string {
  const text = slug
    .split('-')
    .map((word) => NAMES[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const GUIDES: readonly Guide[] = Object.entries(FILES).map(([path, load]) => {
  const slug = path.replace(/^.*\/|\.md$/g, '');
  return { slug, title: titleOf(slug), load };
});

export const findGuide = (slug: string): Guide | undefined => GUIDES.find((guide) => guide.slug === slug);

export function guideSections(): { title: string; guides: readonly Guide[] }[] {
  const [start, ...rest] = SECTIONS.map(({ title, slugs }) => ({
    title,
    guides: slugs.flatMap((slug) => findGuide(slug) ?? []),
  }));
  const listed = new Set(SECTIONS.flatMap(({ slugs }) => slugs));
  const others = { title: OTHERS, guides: GUIDES.filter(({ slug }) => !listed.has(slug)) };
  return [...(start ? [start] : []), others, ...rest];
}
