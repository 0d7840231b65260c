import { type Command, EXIT } from './command.ts';
import { readArgs, readOptionalInteger, readPositionals, readTime } from './read-args.ts';

const HELP = `Marks a moment on the charts of a project, such as a release.

  cairn annotate TEXT [--at TIME] [--project ID]

Without --at it is now; TIME is such as 2026-01-31T12:00:00Z. A pipeline on another machine uses the API:
POST /api/projects/ID/annotations/ with {"content": "v1.2.0", "creation_type": "GIT"}.`;

export const annotate: Command = {
  name: 'annotate',
  summary: 'Mark a moment on charts, such as a release.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { at: 'text', project: 'text' });
    const { TEXT } = readPositionals(words, 'TEXT');
    const made = await (await context.operator()).run('annotate', {
      content: TEXT,
      at: options.at === null ? null : readTime('--at', options.at),
      project: readOptionalInteger('--project', options.project),
    });
    if (context.json) context.out.json(made);
    else context.out.print(`Charts of project ${made.project} are marked at ${made.at}.`);
    return EXIT.done;
  },
};
