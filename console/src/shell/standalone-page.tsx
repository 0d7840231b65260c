import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Logo } from './logo.tsx';

/** A page without the sidebar, for visitors who are not signed in. */
export function StandalonePage({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  return (
    <main class="standalone">
      <div class="panel">
        <Logo size={44} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
