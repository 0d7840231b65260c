import { annotate } from './annotate.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { deadLetters } from './dead-letters.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { flags } from './flags.ts';
import { geoip } from './geoip.ts';
import { importCommand } from './import.ts';
import { keys } from './keys.ts';
import { moveCommand } from './move.ts';
import { projects } from './projects.ts';
import { recover } from './recover.ts';
import { restore } from './restore.ts';
import { sqlCommand } from './sql.ts';
import { users } from './users.ts';

/** In the order of the help. */
export const commandList: readonly Command[] = [
  keys,
  projects,
  users,
  backup,
  restore,
  recover,
  deadLetters,
  exportCommand,
  importCommand,
  moveCommand,
  flags,
  annotate,
  sqlCommand,
  geoip,
  doctor,
  demo,
];
