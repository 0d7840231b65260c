import { VERSION } from '../version.ts';
import { type Command, EXIT, UsageError } from './command.ts';

const GLOBAL_OPTIONS_HELP = `For every command:
  --data-dir DIR  The data folder; default DATA_DIR, else ./data.
  --json          Answer as JSON.
  --quiet         Only answers and errors, no progress.

While a server runs on the folder, a command is done by that server; otherwise the command opens the folder itself.
It ends with 0 when done, 1 when it failed, 2 when the command line is wrong, 3 when there is something to look at.`;

/** The list of commands, or the help of one. */
export function helpCommand(commands: readonly Command[]): Command {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const help = [
    `cairn ${VERSION}: the command line of Cairn.`,
    '',
    'Usage: cairn COMMAND …, and cairn help COMMAND for more.',
    '',
    ...list,
    '',
    GLOBAL_OPTIONS_HELP,
  ].join('\n');
  return {
    name: 'help',
    summary: 'This list, or what a command does.',
    help,
    async run({ out }, [name]) {
      const command = commands.find((one) => one.name === name);
      if (name !== undefined && !command) throw new UsageError(`There is no command "${name}".`);
      out.print(command ? `${command.help}\n\n${GLOBAL_OPTIONS_HELP}` : help);
      return EXIT.done;
    },
  };
}
