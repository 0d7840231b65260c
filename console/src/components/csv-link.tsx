import { useRef, useState } from 'preact/hooks';
import { isAbort } from '../api/api-error.ts';
import { pluralize } from '../lib/numbers.ts';
import { saveCsv } from '../lib/save-csv.ts';
import { Button } from './button.tsx';
import { toast, toastError } from './toast.tsx';

/** A link to the file. A plain click downloads it here, to show progress and errors and to allow cancelling. */
export function CsvLink({ href, name, children = 'Export CSV' }: { href: string; name: string; children?: string }) {
  const [lines, setLines] = useState<number | null>(null);
  const stop = useRef(new AbortController());
  const save = async (): Promise<void> => {
    stop.current = new AbortController();
    setLines(0);
    try {
      const rows = await saveCsv(href, name, { onLines: setLines, signal: stop.current.signal });
      toast(`Exported ${pluralize(rows, 'row')} to ${name}.`);
    } catch (error) {
      if (!isAbort(error)) toastError(error);
    }
    setLines(null);
  };
  if (lines !== null) {
    return (
      <span class="row" role="status">
        <span class="small">Exporting… {pluralize(lines, 'row')}</span>
        <Button small onClick={() => stop.current.abort()}>
          Cancel
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
