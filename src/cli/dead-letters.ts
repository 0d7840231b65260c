import { type Command, type CommandContext, EXIT } from './command.ts';
import { readArgs, readOptionalInteger, readPositionals } from './read-args.ts';

const HELP = `Shows how many events could not be processed, and processes them again.

  cairn dead-letters [--project ID]            Count them, by project.
  cairn dead-letters --replay [--project ID]   Process them again, oldest first, with their original arrival times.

An event becomes a dead letter when its processing fails because of the event itself. After an update that fixes the
reason, replay them; whatever fails again is a dead letter again. All projects unless one is given. The exit code is 3 if
there are dead letters (left).`;

export const deadLetters: Command = {
  name: 'dead-letters',
  summary: 'Count events that could not be processed, and replay them.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { replay: 'flag', project: 'text' });
    readPositionals(words);
    const project = readOptionalInteger('--project', options.project);
    return options.replay ? replay(context, project) : count(context, project);
  },
};

async function count({ operator, out, json }: CommandContext, project: number | null): Promise<number> {
  const found = await (await operator()).run('dead-letters.count', { project });
  if (json) out.json(found);
  else if (found.length === 0) out.print('There are no dead letters.');
  else {
    for (const one of found) out.print(`Project ${one.project} (${one.name}): ${one.deadLetters} dead letters.`);
    out.print('Process them again: cairn dead-letters --replay');
  }
  return found.length === 0 ? EXIT.done : EXIT.attention;
}

async function replay(context: CommandContext, project: number | null): Promise<number> {
  const { out, json, onProgress, signal } = context;
  const operator = await context.operator();
  const done = await operator.run('dead-letters.replay', { project }, { progress: onProgress, signal });
  if (json) out.json(done);
  else out.print(`Replayed ${done.replayed} dead letters; ${done.failed} could not be processed again.`);
  return done.failed === 0 ? EXIT.done : EXIT.attention;
}
