import './code.css';
import type { ComponentChildren } from 'preact';

/** Any JSON, rendered as text only, since visitors can send anything. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    <section aria-label={label}>
      <pre class="json">{render(value, '')}</pre>
    </section>
  );
}

function render(value: unknown, indent: string): ComponentChildren {
  if (Array.isArray(value))
    return renderAll(
      value.map((item) => [null, item]),
      '[]',
      indent,
    );
  if (typeof value === 'object' && value !== null) return renderAll(Object.entries(value), '{}', indent);
  return typeof value === 'string' ? JSON.stringify(value) : <span class="scalar">{JSON.stringify(value)}</span>;
}

function renderAll(entries: [string | null, unknown][], brackets: string, indent: string): ComponentChildren {
  const inner = `${indent}  `;
  if (entries.length === 0) return brackets;
  return [
    brackets[0],
    ...entries.map(([key, item], index) => [
      `\n${inner}`,
      key !== null && [<span class="key">{JSON.stringify(key)}</span>, ': '],
      render(item, inner),
      index < entries.length - 1 && ',',
    ]),
    `\n${indent}${brackets[1]}`,
  ];
}
