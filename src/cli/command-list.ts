import type { Command } from './command.ts';
import { keys } from './keys.ts';
import { projects } from './projects.ts';
import { users } from './users.ts';

/** In the order of the help. */
export const commandList: readonly Command[] = [keys, projects, users];
