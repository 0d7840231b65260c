import { csvCell, csvLine } from '../lib/csv-line.ts';
import { type Command, EXIT } from './command.ts';
import { readArgs, readOptionalInteger, readPositionals } from './read-args.ts';

const HELP = `Runs a SELECT statement over the events of a project.

  cairn sql STATEMENT [--project ID] [--limit ROWS] [--csv]

Tables are events, persons, person_distinct_ids, sessions, groups, cohorts and cohort_people; see the guide to SQL.
Without --limit at most 100 rows are shown.`;

const DEFAULT_ROWS = 100;

export const sqlCommand: Command = {
  name: 'sql',
  summary: 'Run a SELECT statement over the events of a project.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { project: 'text', limit: 'text', csv: 'flag' });
    const { STATEMENT } = readPositionals(words, 'STATEMENT');
    const { columns, rows, hasMore, warnings } = await (await context.operator()).run('sql', {
      sql: STATEMENT,
      project: readOptionalInteger('--project', options.project),
      limit: readOptionalInteger('--limit', options.limit) ?? DEFAULT_ROWS,
    });
    const texts = rows.map((row) => row.map(csvCell));
    if (context.json) context.out.json({ columns, rows, has_more: hasMore, warnings });
    else if (options.csv) for (const line of [columns, ...texts]) context.out.stdout.write(csvLine(line, 'raw'));
    else context.out.table(columns, texts, 'No rows.');
    for (const { message } of warnings) context.out.note(message);
    if (hasMore) context.out.note('There are more rows; use --limit.');
    return EXIT.done;
  },
};
