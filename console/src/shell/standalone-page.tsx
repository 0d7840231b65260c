import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from './logo.tsx';

/** A page that stands alone: before anybody is signed in. */
export function Alone({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  return (
    <main class="alone">
      <div class="panel">
        <Mark size={44} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
