import './help.css';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from '../../components/link.tsx';
import { useLocation } from '../../lib/router.ts';
import { Logo } from '../../shell/logo.tsx';
import { guideSections } from './guides.ts';

interface HelpFrameProps {
  /** Below the link to the API reference, on its own page. */
  contents?: ComponentChildren;
  children: ComponentChildren;
}

/** Guides and API reference, also for visitors who are not signed in. */
export function HelpFrame({ contents, children }: HelpFrameProps) {
  const { path } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page starts at its top
  useEffect(() => {
    if (location.hash === '') scrollTo(0, 0);
  }, [path]);
  const currentOf = (to: string) => (to === path ? 'page' : undefined);
  return (
    <div class="help">
      <header class="help-bar">
        <Link class="brand" to="/help">
          <Logo />
          <span>Cairn help</span>
        </Link>
        <Link to="/">Go to the console</Link>
      </header>
      <nav class="help-contents" aria-label="Help">
        <details open={matchMedia('(width > 48rem)').matches}>
          <summary>Contents</summary>
          {guideSections().map(({ title, guides }) => (
            <section key={title} aria-label={title}>
              <p>{title}</p>
              {guides.map((guide) => (
                <Link key={guide.slug} to={`/help/${guide.slug}`} aria-current={currentOf(`/help/${guide.slug}`)}>
                  {guide.title}
                </Link>
              ))}
            </section>
          ))}
          <section aria-label="Reference">
            <p>Reference</p>
            <Link to="/docs" aria-current={currentOf('/docs')}>
              API reference
            </Link>
            {contents}
          </section>
        </details>
      </nav>
      <main id="main" class="help-page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
