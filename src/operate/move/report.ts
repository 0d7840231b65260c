import { differences, totalCount } from './checksums.ts';
import { formatCount } from './progress.ts';
import { formatDay } from './verify-events.ts';
import type { TableComparison } from './verify-tables.ts';

export interface ReportLine {
  what: string;
  source: number;
  target: number;
  /** One line for each difference. */
  differences: string[];
}

export const tableReport = (what: string, compared: TableComparison): ReportLine =>
  lineOf(what, compared, (project) => (project === '' ? 'rows without a project' : `project ${project}`));

export const eventsReport = (compared: TableComparison): ReportLine => lineOf('events', compared, formatDay);

function lineOf(what: string, { source, target }: TableComparison, say: (key: string) => string): ReportLine {
  return {
    what,
    source: totalCount(source),
    target: totalCount(target),
    differences: differences(source, target).map((key) => {
      const [here, there] = [source.get(key)?.count ?? 0, target.get(key)?.count ?? 0];
      const how =
        here === there
          ? `${formatCount(here)} rows, different content`
          : `${formatCount(here)} rows, ${formatCount(there)} there`;
      return `${what}: ${say(key)}: ${how}`;
    }),
  };
}

const MAX_DIFFERENCES_SHOWN = 50;

/** A table, and the differences. */
export function formatReport(lines: readonly ReportLine[]): string {
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
        formatCount(line.source),
        formatCount(line.target),
        line.differences.length === 0 ? 'same' : 'DIFFERENT',
      ),
    ),
    ...(wrong.length > 0 ? ['', ...wrong.slice(0, MAX_DIFFERENCES_SHOWN)] : []),
    ...(wrong.length > MAX_DIFFERENCES_SHOWN
      ? [`… and ${formatCount(wrong.length - MAX_DIFFERENCES_SHOWN)} more`]
      : []),
  ].join('\n');
}
