import { type Command, EXIT } from './command.ts';
import { readArgs, readOptionalInteger, readPositionals } from './read-args.ts';

const HELP = `Loads demo data: two months of a fictional hiking app, with two flags, a cohort and a dashboard.

  cairn demo [--project ID]

The data is the same every time, so loading it again only adds what is new since then. Load it into a project of its own
(cairn projects create Demo) if you want to delete it later.`;

export const demo: Command = {
  name: 'demo',
  summary: 'Load demo data.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { project: 'text' });
    readPositionals(words);
    const operator = await context.operator({ mayBegin: true });
    const outlet = { progress: context.onProgress, signal: context.signal };
    const project = readOptionalInteger('--project', options.project);
    const loaded = await operator.run('demo', { project }, outlet);
    if (context.json) context.out.json(loaded);
    else
      context.out.print(
        `Project ${loaded.project} has ${loaded.events} demo events. Open the console to explore them.`,
      );
    return EXIT.done;
  },
};
