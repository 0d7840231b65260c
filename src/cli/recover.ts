import { describeLoss } from '../stores/metadata/event-losses.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { readArgs, readPositionals } from './read-args.ts';

const HELP = `Shows what was lost, and accepts the loss.

  cairn recover                  List losses that were not accepted.
  cairn recover --accept-loss    Accept all of them.

Every start compares the stores with each other. If one is behind, because its file was damaged or replaced by an older
one, the server still starts and goes on with new events, but /_readyz, /_status, the console and cairn doctor say what is
missing, and no backup counts as complete. There are two ways out:

  cairn restore FILE --replace   Restore a backup, after stopping the server. What came after the backup is then gone.
  cairn recover --accept-loss    Go on without the lost events. Their ids are forgotten, so they can be sent again.

The exit code is 3 if there are losses that were not accepted.`;

export const recover: Command = {
  name: 'recover',
  summary: 'Show what a damaged store has lost, and accept the loss.',
  help: HELP,
  async run(context, args) {
    const { words, options } = readArgs(args, { 'accept-loss': 'flag' });
    readPositionals(words);
    return options['accept-loss'] ? accept(context) : list(context);
  },
};

async function list({ operator, out, json }: CommandContext): Promise<number> {
  const losses = await (await operator()).run('losses.list', {});
  if (json) out.json(losses);
  else if (losses.length === 0) out.print('Nothing is missing.');
  else {
    for (const loss of losses) out.print(`${describeLoss(loss)}.`);
    out.print('Restore a backup (cairn restore FILE --replace), or go on without: cairn recover --accept-loss');
  }
  return losses.length === 0 ? EXIT.done : EXIT.attention;
}

async function accept({ operator, out, json }: CommandContext): Promise<number> {
  const { losses, forgotten } = await (await operator()).run('losses.accept', {});
  if (json) out.json({ losses, forgotten });
  else if (losses.length === 0) out.print('Nothing is missing.');
  else {
    for (const loss of losses) out.print(`Accepted: ${describeLoss(loss)}.`);
    out.print(`${forgotten} events can be sent again.`);
  }
  return EXIT.done;
}
