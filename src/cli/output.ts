/** Results go to standard output, everything else to standard error, so that results can be piped. */
import type { Writable } from 'node:stream';
import type { OperationProgress } from '../operate/operation.ts';

export interface Output {
  print(text: string): void;
  /** For `--json`. */
  json(value: unknown): void;
  table(columns: readonly string[], rows: readonly (readonly string[])[], whenEmpty: string): void;
  /** To standard error. */
  note(text: string): void;
  progress(now: OperationProgress): void;
  stdout: Writable;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5000;

export function makeOutput(stdout: Writable, stderr: Writable & { isTTY?: boolean }, isQuiet: boolean): Output {
  let shownAt = Number.NEGATIVE_INFINITY;
  let isLineOpen = false;
  const closeLine = (): void => {
    if (isLineOpen) stderr.write('\r\u001b[K');
    isLineOpen = false;
  };
  const say = (text: string): void => {
    closeLine();
    stdout.write(`${text}\n`);
  };
  return {
    print: say,
    stdout,
    json: (value) => say(JSON.stringify(value, null, 2)),
    note: (text) => {
      closeLine();
      if (!isQuiet) stderr.write(`${text}\n`);
    },
    table(columns, rows, whenEmpty) {
      if (rows.length === 0) say(whenEmpty);
      else for (const line of alignTable([columns, ...rows])) say(line);
    },
    progress(now) {
      const every = stderr.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
      if (isQuiet || performance.now() - shownAt < every) return;
      // Elsewhere, short work prints nothing.
      const isFirst = shownAt === Number.NEGATIVE_INFINITY;
      shownAt = performance.now();
      if (stderr.isTTY) stderr.write(`\r\u001b[K${describeProgress(now)}`);
      else if (!isFirst) stderr.write(`${describeProgress(now)}\n`);
      isLineOpen = stderr.isTTY === true;
    },
  };
}

function describeProgress({ what, done, total }: OperationProgress): string {
  if (total === null || total === 0) return done === 0 ? what : `${what}: ${done.toLocaleString('en')}`;
  const share = Math.min(100, Math.floor((100 * done) / total));
  return `${what}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} (${share} %)`;
}

function alignTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export const formatTime = (ms: number | null): string =>
  ms === null ? 'never' : new Date(ms).toISOString().slice(0, 19);

export const formatBytes = (bytes: number): string => {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${step === 0 ? bytes : (bytes / 1000 ** step).toFixed(1)} ${units[step]}`;
};
