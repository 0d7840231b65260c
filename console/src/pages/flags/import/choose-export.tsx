/** Which product, and its export: dropped, chosen or pasted. */
import { useRef, useState } from 'preact/hooks';
import type { ImportSource } from '../../../api/flag-imports.ts';
import { FileField, Select, TextArea } from '../../../components/field.tsx';
import { Link } from '../../../components/link.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { classes } from '../../../lib/classes.ts';
import { pathTo } from '../../../lib/route-table.ts';
import { type ExportFile, FileProblem, readExport, requireSize } from './export-file.ts';
import { SOURCE_OPTIONS, SOURCES } from './sources.ts';

interface ChooseExportProps {
  source: ImportSource;
  onSource(source: ImportSource): void;
  environment: string;
  /** Those of the file; empty: it has none, or they are not known yet. */
  environments: readonly string[];
  onEnvironment(name: string): void;
  file: ExportFile | null;
  onFile(file: ExportFile | null): void;
}

export function ChooseExport(props: ChooseExportProps) {
  const { source, onSource, environment, environments, onEnvironment, onFile } = props;
  const [picked, setPicked] = useState<File | null>(null);
  const [pasted, setPasted] = useState('');
  const [problem, setProblem] = useState<unknown>(null);
  const [isOver, setOver] = useState(false);
  const latest = useRef(0);
  const use = async (read: () => ExportFile | null | Promise<ExportFile>): Promise<void> => {
    const turn = ++latest.current;
    const [file, failure] = await attempt(read);
    // Another one was chosen meanwhile.
    if (turn !== latest.current) return;
    setProblem(failure);
    onFile(file);
  };
  const pick = (chosen: File | null): void => {
    setPicked(chosen);
    setPasted('');
    void use(() => (chosen === null ? null : readFile(chosen)));
  };
  const paste = (text: string): void => {
    setPasted(text);
    setPicked(null);
    void use(() => (text.trim() === '' ? null : readText('The text', text)));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    pick(event.dataTransfer?.files[0] ?? null);
  };
  return (
    <section
      class={classes('card stack import-drop', isOver && 'over')}
      aria-label="Export"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div class="import-fields">
        <Select label="Product" value={source} options={SOURCE_OPTIONS} onChange={onSource} />
        {environments.length > 0 && (
          <Select
            label="Environment"
            value={environment}
            options={environments.map((value) => ({ value, label: value }))}
            onChange={onEnvironment}
          />
        )}
        <FileField
          label={picked === null ? 'File' : `File: ${picked.name}`}
          hint="Choose it, or drop it anywhere in this box."
          accept=".json,application/json"
          value={picked}
          onChange={pick}
        />
      </div>
      <p class="muted">
        {SOURCES[source].file} <Link to={pathTo('guide', { guide: 'moving-flags' }) ?? '/help'}>Guide</Link>
      </p>
      <details>
        <summary>Paste it instead</summary>
        <TextArea label="JSON" isCode rows={8} value={pasted} onInput={paste} />
      </details>
      {problem !== null && <ErrorNote error={problem} />}
    </section>
  );
}

async function attempt(read: () => ExportFile | null | Promise<ExportFile>): Promise<[ExportFile | null, unknown]> {
  try {
    return [await read(), null];
  } catch (error) {
    return [null, error];
  }
}

async function readFile(file: File): Promise<ExportFile> {
  requireSize(file.name, file.size);
  const text = await file.text().catch(() => null);
  if (text === null) throw new FileProblem(`${file.name} could not be read. Choose it again.`);
  return readExport(file.name, text);
}

function readText(name: string, text: string): ExportFile {
  requireSize(name, text.length);
  return readExport(name, text);
}
