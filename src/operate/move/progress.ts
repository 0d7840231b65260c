/** How far a move has got, for whoever watches: a bar on a terminal, a line now and then elsewhere. */

export interface Progress {
  /** Something of `total` pieces begins. */
  begin(what: string, total: number): void;
  add(count: number): void;
  end(): void;
}

export interface ProgressOutput {
  isTTY?: boolean;
  write(text: string): unknown;
}

const WIDTH = 30;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;

export function showProgress(out: ProgressOutput): Progress {
  let [what, total, done, shownAt, startedAt] = ['', 0, 0, 0, 0];
  const show = (): void => {
    shownAt = performance.now();
    const text = describe(what, done, total, shownAt - startedAt);
    out.write(out.isTTY ? `\r${text}\u001b[K` : `${text}\n`);
  };
  return {
    begin(name, pieces) {
      [what, total, done, startedAt] = [name, pieces, 0, performance.now()];
      show();
    },
    add(count) {
      done += count;
      if (performance.now() - shownAt > (out.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) show();
    },
    end() {
      total = done;
      show();
      if (out.isTTY) out.write('\n');
    },
  };
}

/** `events              ███████░░░  70%  700,000 of 1,000,000, 12 s left` */
export function describe(what: string, done: number, total: number, tookMs: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(part * WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  const left = done > 0 && part < 1 ? `, ${sayTime((tookMs * (1 - part)) / part)} left` : '';
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  return `${what.padEnd(24)} ${bar} ${percent}  ${sayCount(done)} of ${sayCount(total)}${left}`;
}

export const sayCount = (count: number): string => count.toLocaleString('en');

function sayTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
