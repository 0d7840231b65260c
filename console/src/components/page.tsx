import './page.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePlace } from '../lib/router.ts';

export interface PageFrameProps {
  title: string;
  /** A sentence on what this page is for. */
  lead?: ComponentChildren;
  /** Buttons on the right. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** Around every page: its name in the window, and where the focus goes when it opens, so that it is read out. */
export function PageFrame({ title, lead, actions, children }: PageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = usePlace();
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new page, even of the same kind
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
