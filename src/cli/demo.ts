import { type Command, EXIT } from './command.ts';
import { readArgs, readOptionalInteger, readPositionals } from './read-args.ts';

const HELP = `Two months of a made-up hiking app: visits, sign-ups, people who come back, groups, two flags, a cohort, a dashboard.

  cairn demo [--project ID]

It is the same every time, so loading it again adds nothing but what has happened since. To be rid of it, load it into
a project of its own (cairn projects create Demo) and delete that.`;

export const demo: Command = {
  name: 'demo',
  summary: 'Loads a made-up product to look around in.',
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
        `Project ${loaded.project} has ${loaded.events} events of the demo. Open the console and look around.`,
      );
    return EXIT.done;
  },
};
