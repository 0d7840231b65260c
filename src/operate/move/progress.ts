/** Shows the progress of a move: a bar on a terminal, or a line every few seconds. */

export interface MoveProgress {
  begin(what: string, total: number): void;
  add(count: number): void;
  end(): void;
}

interface ProgressOutput {
  isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_WIDTH = 30;
const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5000;

export function showProgress(out: ProgressOutput): MoveProgress {
  let [what, total, done, shownAt, startedAt] = ['', 0, 0, 0, 0];
  const show = (): void => {
    shownAt = performance.now();
    const text = formatProgress(what, done, total, shownAt - startedAt);
    out.write(out.isTTY ? `\r${text}\u001b[K` : `${text}\n`);
  };
  return {
    begin(name, pieces) {
      [what, total, done, startedAt] = [name, pieces, 0, performance.now()];
      show();
    },
    add(count) {
      done += count;
      if (performance.now() - shownAt > (out.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS)) show();
    },
    end() {
      total = done;
      show();
      if (out.isTTY) out.write('\n');
    },
  };
}

/** `events              ███████░░░  70%  700,000 of 1,000,000, 12 s left` */
export function formatProgress(what: string, done: number, total: number, tookMs: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(part * BAR_WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
  const left = done > 0 && part < 1 ? `, ${formatDuration((tookMs * (1 - part)) / part)} left` : '';
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  return `${what.padEnd(24)} ${bar} ${percent}  ${formatCount(done)} of ${formatCount(total)}${left}`;
}

export const formatCount = (count: number): string => count.toLocaleString('en');

function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
