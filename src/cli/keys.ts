import { type Command, EXIT } from './command.ts';
import { formatTime } from './output.ts';
import { readArgs, readPositionals } from './read-args.ts';
import { subCommands } from './sub-commands.ts';

const HELP = `Personal keys (phx_…), by which programs use the private API in somebody's name.

  cairn keys list [--user EMAIL]
  cairn keys create --user EMAIL [--label TEXT]    Prints the key. It is kept nowhere: this is the only time.
  cairn keys revoke ID                             It stops working at once. IDs are in the list.`;

export const keys: Command = {
  name: 'keys',
  summary: 'Personal keys: create, list, revoke.',
  help: HELP,
  run: subCommands({
    async list(context, args) {
      const { words, options } = readArgs(args, { user: 'text' });
      readPositionals(words);
      const found = await (await context.operator()).run('keys.list', { user: options.user });
      if (context.json) context.out.json(found);
      else {
        const rows = found.map((key) => [
          key.id,
          key.user,
          key.label,
          formatTime(key.created_at),
          formatTime(key.last_used_at),
        ]);
        context.out.table(['ID', 'USER', 'LABEL', 'CREATED', 'LAST USED'], rows, 'There are no keys.');
      }
      return EXIT.done;
    },
    async create(context, args) {
      const { words, options } = readArgs(args, { user: 'text', label: 'text' });
      const { EMAIL } = readPositionals(options.user === null ? words : [options.user, ...words], 'EMAIL');
      const operator = await context.operator({ mayBegin: true });
      const made = await operator.run('keys.create', { user: EMAIL, label: options.label ?? 'Command line' });
      if (context.json) context.out.json(made);
      else context.out.print(made.key);
      context.out.note(`This key is shown once. Its id, for revoking: ${made.id}`);
      return EXIT.done;
    },
    async revoke(context, args) {
      const { ID } = readPositionals(readArgs(args, {}).words, 'ID');
      const gone = await (await context.operator()).run('keys.revoke', { id: ID });
      if (context.json) context.out.json(gone);
      else context.out.print(`The key "${gone.label}" of ${gone.user} no longer works.`);
      return EXIT.done;
    },
  }),
};
