/** What to tell an operator when a file of the data folder cannot be opened. */
import { isDiskTrouble } from './disk-trouble.ts';

interface StoreFile {
  /** What it is and what it holds. */
  what: string;
  /** What to do if it is damaged. */
  ifDamaged: string;
}

const RESTORE = 'Keep a copy of the data folder and restore a backup: cairn restore FILE --replace';

const STORE_FILES = {
  metadata: {
    what: 'the metadata store (accounts, keys, flags, persons, settings)',
    ifDamaged: `${RESTORE}.`,
  },
  log: {
    what: 'the ingest log (accepted events that were not processed yet)',
    ifDamaged: `${RESTORE}; or move it aside to start with an empty one: events that were not processed yet are then lost.`,
  },
  events: {
    what: 'the event store (all stored events)',
    ifDamaged:
      `${RESTORE}; or move it aside with its .wal file to start with an empty one. If only the journal (.wal) is ` +
      'damaged, move that aside: events since its last checkpoint are then lost, and the next start says how many.',
  },
  lock: {
    what: 'the lock of the data folder (it holds no data)',
    ifDamaged: 'Delete it, if no Cairn process is using the folder.',
  },
  work: {
    what: 'the folder for unfinished copies',
    ifDamaged: 'Delete it.',
  },
} as const satisfies Record<string, StoreFile>;

type StoreFileKind = keyof typeof STORE_FILES;

const DENIED = /^(?:EACCES|EPERM)|permission denied|SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH)/i;
const DISK = /^(?:ENOSPC|EIO|EROFS|EDQUOT)|SQLITE_(?:FULL|IOERR)|No space left|Input\/output error/i;

/** Names the file, what it holds, and what to do. */
class OpenFailure extends Error {
  constructor(kind: StoreFileKind, path: string, cause: unknown) {
    const { what } = STORE_FILES[kind];
    super(`${path} cannot be opened: ${what}.\nReason: ${reasonOf(cause)}\n${adviceFor(kind, cause)}`, { cause });
    this.name = 'OpenFailure';
  }
}

/** Errors that already say what to do pass through. */
export async function explainOpenFailure<T>(kind: StoreFileKind, path: string, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw isOfFile(error) ? new OpenFailure(kind, path, error) : error;
  }
}

const isOfFile = (error: unknown): boolean =>
  /^(?:SQLITE_|E[A-Z]+$)/.test(codeOf(error)) || isDiskTrouble(error) || DUCKDB_ERROR.test(String(messageOf(error)));

/** As DuckDB begins the messages of a file that it cannot read. */
const DUCKDB_ERROR = /^(?:[A-Z][A-Za-z ]* Error|\{"exception_type")/;

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The first line: engines append traces. */
function reasonOf(error: unknown): string {
  const [line = ''] = messageOf(error).split('\n');
  const code = codeOf(error);
  return code === '' || line.includes(code) ? line : `${line} (${code})`;
}

function adviceFor(kind: StoreFileKind, error: unknown): string {
  const text = `${codeOf(error)} ${messageOf(error)}`;
  if (DENIED.test(text)) {
    return 'Give it to the user that runs Cairn (chown), readable and writable, in a folder that is writable too.';
  }
  return DISK.test(text)
    ? 'The disk is full or failing: free space or repair it, then start again. Nothing was changed.'
    : `It is damaged. ${STORE_FILES[kind].ifDamaged}`;
}
