import { type Command, EXIT, UsageError } from './command.ts';
import { formatTime } from './output.ts';
import { readArgs, readInteger, readPositionals } from './read-args.ts';
import { subCommands } from './sub-commands.ts';

const HELP = `Manages projects. Each has a project API key (phc_…) for SDKs.

  cairn projects list
  cairn projects create NAME [--organization ID] [--timezone ZONE]
  cairn projects reset-key ID      Creates a new API key; the old one stops working immediately.
  cairn projects delete ID --yes   Deletes the project with all its events and persons. Cannot be undone.`;

export const projects: Command = {
  name: 'projects',
  summary: 'Manage projects: create, list, reset-key, delete.',
  help: HELP,
  run: subCommands({
    async list(context, args) {
      readPositionals(readArgs(args, {}).words);
      const found = await (await context.operator()).run('projects.list', {});
      if (context.json) context.out.json(found);
      else {
        const rows = found.map((one) => [
          String(one.id),
          one.name,
          one.key,
          one.timezone,
          formatTime(one.created_at),
          one.organization,
        ]);
        context.out.table(
          ['ID', 'NAME', 'KEY', 'TIME ZONE', 'CREATED', 'ORGANIZATION'],
          rows,
          'There are no projects.',
        );
      }
      return EXIT.done;
    },
    async create(context, args) {
      const { words, options } = readArgs(args, { organization: 'text', timezone: 'text' });
      const { NAME } = readPositionals(words, 'NAME');
      const operator = await context.operator({ mayBegin: true });
      const made = await operator.run('projects.create', { name: NAME, ...options });
      if (context.json) context.out.json(made);
      else context.out.print(`Project ${made.id} "${made.name}": ${made.key}`);
      return EXIT.done;
    },
    async 'reset-key'(context, args) {
      const { ID } = readPositionals(readArgs(args, {}).words, 'ID');
      const { key } = await (await context.operator()).run('projects.reset-key', { id: readInteger('ID', ID) });
      if (context.json) context.out.json({ key });
      else context.out.print(key);
      return EXIT.done;
    },
    async delete(context, args) {
      const { words, options } = readArgs(args, { yes: 'flag' });
      const id = readInteger('ID', readPositionals(words, 'ID').ID);
      if (!options.yes)
        throw new UsageError(`This deletes project ${id} with all its events and persons. Add --yes to confirm.`);
      const { name } = await (await context.operator()).run('projects.delete', { id });
      if (context.json) context.out.json({ id, name });
      else context.out.print(`Deleted project ${id} "${name}".`);
      return EXIT.done;
    },
  }),
};
