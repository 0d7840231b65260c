import { ASSISTANT_SCOPES } from '../core/scopes.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { formatTime } from './output.ts';
import { readArgs, readPositionals } from './read-args.ts';
import { subCommands } from './sub-commands.ts';

const HELP = `Manages personal API keys (phx_…), with which programs use the private API as a user.

  cairn keys list [--user EMAIL]
  cairn keys create --user EMAIL [--label TEXT] [--scope SCOPE …] [--project ID …] [--days N]
                          Prints the new key. It is not shown again. Without --scope it can do what the user can; a
                          scope is such as feature_flag:read or query:read.
                          --mcp: for an assistant, which reads one project (--project), for 90 days unless --days.
  cairn keys revoke ID    The key stops working immediately. \`list\` shows the IDs.`;

const ASSISTANT_DAYS = '90';

function readWhole(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} takes a whole number.`);
  return Number(text);
}

export const keys: Command = {
  name: 'keys',
  summary: 'Manage personal API keys: create, list, revoke.',
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
          key.scopes.join(' '),
          formatTime(key.created_at),
          formatTime(key.last_used_at),
        ]);
        context.out.table(['ID', 'USER', 'LABEL', 'SCOPES', 'CREATED', 'LAST USED'], rows, 'There are no keys.');
      }
      return EXIT.done;
    },
    async create(context, args) {
      const { words, options } = readArgs(args, {
        user: 'text',
        label: 'text',
        scope: 'many',
        project: 'many',
        days: 'text',
        mcp: 'flag',
      });
      const { EMAIL } = readPositionals(options.user === null ? words : [options.user, ...words], 'EMAIL');
      if (options.mcp && (options.project.length !== 1 || options.scope.length > 0))
        throw new UsageError(
          '--mcp makes a key that reads one project: name it with --project, and leave out --scope.',
        );
      const days = options.days ?? (options.mcp ? ASSISTANT_DAYS : null);
      const operator = await context.operator({ mayBegin: true });
      const created = await operator.run('keys.create', {
        user: EMAIL,
        label: options.label ?? (options.mcp ? 'Assistant' : 'Command line'),
        scopes: options.mcp ? [...ASSISTANT_SCOPES] : options.scope,
        projects: options.project.map((id) => readWhole('--project', id)),
        days: days === null ? null : readWhole('--days', days),
      });
      if (context.json) context.out.json(created);
      else context.out.print(created.key);
      context.out.note(`The key is not shown again. ID, for revoking it: ${created.id}`);
      return EXIT.done;
    },
    async revoke(context, args) {
      const { ID } = readPositionals(readArgs(args, {}).words, 'ID');
      const revoked = await (await context.operator()).run('keys.revoke', { id: ID });
      if (context.json) context.out.json(revoked);
      else context.out.print(`Revoked the key "${revoked.label}" of ${revoked.user}.`);
      return EXIT.done;
    },
  }),
};
