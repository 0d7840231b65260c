import './code.css';
import { useState } from 'preact/hooks';
import { writeClipboard } from '../lib/clipboard.ts';
import { Button } from './button.tsx';
import { toastError } from './toast.tsx';

/** Code to copy. `label` names it for screen readers. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}

export function CopyButton({ text, children = 'Copy' }: { text: string; children?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await writeClipboard(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      toastError(new Error('The browser blocked copying. Select the text and copy it yourself.'));
    }
  };
  return (
    <Button small onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : children}</span>
    </Button>
  );
}
