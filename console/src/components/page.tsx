import './page.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from '../lib/router.ts';

interface PageFrameProps {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The frame of every page. Sets the window title, and focuses the heading so that screen readers announce the page. */
export function PageFrame({ title, lead, actions, children }: PageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = useLocation();
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new page
  useEffect(() => heading.current?.focus({ preventScroll: true }), [path]);
  return (
    <div class="page">
      <header>
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
