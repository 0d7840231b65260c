import './code.css';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { toastError } from './toast.tsx';

/** Code to copy. `label` names it for screen readers. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
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
      toastError(new Error('The browser did not let us copy. Mark the text and copy it by hand.'));
    }
  };
  return (
    <Button small onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : children}</span>
    </Button>
  );
}

/** Browsers lend the clipboard to encrypted sites only; the old way still works where a server has no certificate. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const worked = document.execCommand('copy');
  area.remove();
  if (!worked) throw new Error('not copied');
}
