import { type Command, UsageError } from './command.ts';
import { helpCommand } from './help.ts';

interface GlobalOptions {
  dataDir: string | null;
  isJson: boolean;
  isQuiet: boolean;
}

interface SplitArgs {
  command: Command;
  args: string[];
  globals: GlobalOptions;
}

/** Separates the options of every command, wherever they are, from those of the command. */
export function splitArgs(argv: readonly string[], commands: readonly Command[]): SplitArgs {
  const globals: GlobalOptions = { dataDir: null, isJson: false, isQuiet: false };
  const rest: string[] = [];
  let wantsHelp = false;
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] ?? '';
    if (arg === '--json') globals.isJson = true;
    else if (arg === '--quiet' || arg === '-q') globals.isQuiet = true;
    else if (arg === '--help' || arg === '-h') wantsHelp = true;
    else if (arg === '--data-dir') globals.dataDir = folderIn(argv[++i]);
    else if (arg.startsWith('--data-dir=')) globals.dataDir = folderIn(arg.slice('--data-dir='.length));
    else rest.push(arg);
  }
  const [name = 'help', ...args] = rest;
  const help = helpCommand(commands);
  const command = [...commands, help].find((one) => one.name === name);
  if (!command) throw new UsageError(`There is no command "${name}".\n\n${help.help}`);
  return wantsHelp && command !== help ? { command: help, args: [name], globals } : { command, args, globals };
}

function folderIn(text: string | undefined): string {
  if (text === undefined || text === '') throw new UsageError('--data-dir needs a folder.');
  return text;
}
