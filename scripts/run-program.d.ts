import type { Script } from 'node:vm';

export function runProgram(file: URL): void;
export function cacheProgram(file: URL): void;
export function compileProgram(file: URL): Script;
