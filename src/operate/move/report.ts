import { countOf, differences } from './checksums.ts';
import { sayCount } from './progress.ts';
import { sayDay } from './verify-events.ts';
import type { Compared } from './verify-tables.ts';

export interface ReportLine {
  what: string;
  source: number;
  target: number;
  /** Where the two differ, in words. */
  differences: string[];
}

export const tableLine = (what: string, compared: Compared): ReportLine =>
  lineOf(what, compared, (project) => (project === '' ? 'what belongs to no project' : `project ${project}`));

export const eventsLine = (compared: Compared): ReportLine => lineOf('events', compared, sayDay);

function lineOf(what: string, { source, target }: Compared, say: (key: string) => string): ReportLine {
  return {
    what,
    source: countOf(source),
    target: countOf(target),
    differences: differences(source, target).map((key) => {
      const [here, there] = [source.get(key)?.count ?? 0, target.get(key)?.count ?? 0];
      const how =
        here === there ? `${sayCount(here)} rows, not the same` : `${sayCount(here)} rows, ${sayCount(there)} there`;
      return `${what}: ${say(key)}: ${how}`;
    }),
  };
}

const MOST_SAID = 50;

/** A small table, and every place where the two sides differ. */
export function sayReport(lines: readonly ReportLine[]): string {
  const shown = lines.filter(({ source, target }) => source + target > 0);
  const width = Math.max(...shown.map(({ what }) => what.length), 8);
  const row = (what: string, source: string, target: string, end: string): string =>
    `${what.padEnd(width)} ${source.padStart(14)} ${target.padStart(14)}  ${end}`.trimEnd();
  const wrong = lines.flatMap((line) => line.differences);
  return [
    row('', 'source', 'target', ''),
    ...shown.map((line) =>
      row(
        line.what,
        sayCount(line.source),
        sayCount(line.target),
        line.differences.length === 0 ? 'same' : 'DIFFERENT',
      ),
    ),
    ...(wrong.length > 0 ? ['', ...wrong.slice(0, MOST_SAID)] : []),
    ...(wrong.length > MOST_SAID ? [`… and ${sayCount(wrong.length - MOST_SAID)} more`] : []),
  ].join('\n');
}
