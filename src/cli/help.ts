import { VERSION } from '../version.ts';
import { type Command, EXIT, UsageError } from './command.ts';

const GLOBAL_OPTIONS_HELP = `Options of every command:
  --data-dir DIR  The data folder; default DATA_DIR, else ./data.
  --json          Print JSON.
  --quiet         No progress and notes.

If a server is running on the data folder, it executes the command; otherwise the command opens the folder itself.
Exit codes: 0 success, 1 failure, 2 invalid command line, 3 completed with something to look at.`;

/** The list of commands, or the help of one. */
export function helpCommand(commands: readonly Command[]): Command {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const help = [
    `cairn ${VERSION}: the command line of Cairn.`,
    '',
    'Usage: cairn COMMAND …; see cairn help COMMAND for details.',
    '',
    ...list,
    '',
    GLOBAL_OPTIONS_HELP,
  ].join('\n');
  return {
    name: 'help',
    summary: 'Show this list, or the help of a command.',
    help,
    async run({ out }, [name]) {
      const command = commands.find((one) => one.name === name);
      if (name !== undefined && !command) throw new UsageError(`There is no command "${name}".`);
      out.print(command ? `${command.help}\n\n${GLOBAL_OPTIONS_HELP}` : help);
      return EXIT.done;
    },
  };
}
