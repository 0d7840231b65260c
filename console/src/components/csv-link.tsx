import { useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/api-error.ts';
import { countOf } from '../lib/format.ts';
import { saveCsv } from '../lib/save-csv.ts';
import { Button } from './button.tsx';
import { toast, toastError } from './toast.tsx';

/**
 * A true link to the file. A plain click saves it here instead, so that one sees how far it is and can stop it, and so
 * that an error is told rather than written into a file.
 */
export function CsvLink({ href, name, children = 'Save as CSV' }: { href: string; name: string; children?: string }) {
  const [lines, setLines] = useState<number | null>(null);
  const stop = useRef(new AbortController());
  const save = async (): Promise<void> => {
    stop.current = new AbortController();
    setLines(0);
    try {
      const rows = await saveCsv(href, name, { onLines: setLines, signal: stop.current.signal });
      toast(`Saved ${countOf(rows, 'row')} as ${name}.`);
    } catch (error) {
      if (!isAbort(error)) toastError(error);
    }
    setLines(null);
  };
  if (lines !== null) {
    return (
      <span class="row" role="status">
        <span class="small">{countOf(lines, 'row')} so far…</span>
        <Button small onClick={() => stop.current.abort()}>
          Stop
        </Button>
      </span>
    );
  }
  return (
    <a
      class="button"
      href={href}
      download={name}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        void save();
      }}
    >
      {children}
    </a>
  );
}
