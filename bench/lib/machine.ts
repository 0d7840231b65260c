import { cpus } from 'node:os';

/** What figures were measured on. */
export const machine = (): string => `${cpus().length} × ${cpus()[0]?.model ?? process.arch}, Node ${process.version}`;
