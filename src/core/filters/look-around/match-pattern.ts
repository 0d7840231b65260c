/**
 * Searches with look-around in a bounded number of steps. A place in the compiled pattern together with a place in the
 * text is tried once: without back-references, the second try could only fail again. So the time grows with the product
 * of both (squared at worst, for look-around inside of look-around), and a search that takes too many steps gives up.
 */
import { isWord, type PatternNode, UnsupportedPattern } from './parse-pattern.ts';

type Instruction =
  | { op: 'char'; test: (char: number) => boolean }
  | { op: 'split'; to: number; or: number }
  | { op: 'assert'; what: Extract<PatternNode, { kind: 'assert' }>['what'] }
  | { op: 'look'; program: Program; isNegative: boolean }
  | { op: 'match' };

interface Program {
  instructions: Instruction[];
  /** True: reads the text backwards from where it starts, for look-behind. */
  isBackwards: boolean;
}

export function compileProgram(node: PatternNode, maxSize: number): Program {
  const size = { left: maxSize };
  return new Compiler(false, size).compile(node);
}

class Compiler {
  readonly #instructions: Instruction[] = [];
  readonly #isBackwards: boolean;
  /** Shared with the programs of look-around inside of this one. */
  readonly #size: { left: number };

  constructor(isBackwards: boolean, size: { left: number }) {
    this.#isBackwards = isBackwards;
    this.#size = size;
  }

  compile(node: PatternNode): Program {
    this.#write(node);
    this.#add({ op: 'match' });
    return { instructions: this.#instructions, isBackwards: this.#isBackwards };
  }

  #add(instruction: Instruction): number {
    if (this.#size.left-- <= 0) throw new UnsupportedPattern('too large');
    return this.#instructions.push(instruction) - 1;
  }

  #write(node: PatternNode): void {
    switch (node.kind) {
      case 'char':
        this.#add({ op: 'char', test: node.test });
        return;
      case 'assert':
        this.#add({ op: 'assert', what: node.what });
        return;
      case 'sequence':
        for (const item of this.#isBackwards ? node.items.toReversed() : node.items) this.#write(item);
        return;
      case 'either':
        this.#writeEither(node.options);
        return;
      case 'repeat':
        this.#writeRepeat(node);
        return;
      case 'look': {
        const program = new Compiler(node.isBehind, this.#size).compile(node.body);
        this.#add({ op: 'look', program, isNegative: node.isNegative });
      }
    }
  }

  #writeEither(options: readonly PatternNode[]): void {
    const ends: number[] = [];
    for (const [i, option] of options.entries()) {
      const split = i < options.length - 1 ? this.#addSplit() : null;
      this.#write(option);
      if (split === null) continue;
      ends.push(this.#addSplit());
      this.#aim(split, split + 1, this.#instructions.length);
    }
    for (const end of ends) this.#aim(end, this.#instructions.length, this.#instructions.length);
  }

  #writeRepeat({ item, min, max }: Extract<PatternNode, { kind: 'repeat' }>): void {
    for (let i = 0; i < min; i++) this.#write(item);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.#addSplit();
      this.#write(item);
      const back = this.#addSplit();
      this.#aim(back, loop, loop);
      this.#aim(loop, loop + 1, this.#instructions.length);
      return;
    }
    const exits: number[] = [];
    for (let i = min; i < max; i++) {
      exits.push(this.#addSplit());
      this.#write(item);
    }
    for (const exit of exits) this.#aim(exit, exit + 1, this.#instructions.length);
  }

  #addSplit(): number {
    return this.#add({ op: 'split', to: 0, or: 0 });
  }

  #aim(split: number, to: number, or: number): void {
    this.#instructions[split] = { op: 'split', to, or };
  }
}

/** Whether the pattern is found anywhere; null if that would take more than `maxSteps`. */
export function searchProgram(program: Program, text: string, maxSteps: number): boolean | null {
  // A place for each character, at least: what is longer cannot be searched within the steps.
  if (text.length > maxSteps) return null;
  const chars = Uint32Array.from(text, (char) => char.codePointAt(0) ?? 0);
  const search: Search = { chars, stepsLeft: maxSteps, runs: new Map() };
  for (let start = 0; start <= chars.length; start++) {
    const found = runFrom(search, program, start);
    if (found !== false) return found;
  }
  return false;
}

interface Search {
  chars: Uint32Array;
  stepsLeft: number;
  runs: Map<Program, Run>;
}

interface Run {
  /** Which places of the pattern were tried at which places of the text, and failed. */
  failed: Set<number>;
  /** The outcome by where it started. */
  outcomes: Map<number, boolean>;
}

/** Whether the program matches from a place on; null if the steps are used up. */
function runFrom(search: Search, program: Program, start: number): boolean | null {
  let run = search.runs.get(program);
  if (run === undefined) {
    run = { failed: new Set(), outcomes: new Map() };
    search.runs.set(program, run);
  }
  const known = run.outcomes.get(start);
  if (known !== undefined) return known;
  const outcome = explore(search, program, start, run.failed);
  if (outcome === null) return null;
  // Places on the way to a match were tried, but did not fail.
  if (outcome) run.failed = new Set();
  run.outcomes.set(start, outcome);
  return outcome;
}

function explore(search: Search, program: Program, start: number, tried: Set<number>): boolean | null {
  const { chars } = search;
  const { instructions, isBackwards } = program;
  const width = chars.length + 1;
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (tried.has(state)) continue;
    if (search.stepsLeft-- <= 0) return null;
    tried.add(state);
    const at = state % width;
    const place = (state - at) / width;
    const instruction = instructions[place];
    switch (instruction?.op) {
      case 'char': {
        const char = chars[isBackwards ? at - 1 : at];
        if (char !== undefined && instruction.test(char)) open.push((place + 1) * width + at + (isBackwards ? -1 : 1));
        break;
      }
      case 'split':
        open.push(instruction.or * width + at, instruction.to * width + at);
        break;
      case 'assert':
        if (holds(instruction.what, chars, at)) open.push((place + 1) * width + at);
        break;
      case 'look': {
        const found = runFrom(search, instruction.program, at);
        if (found === null) return null;
        if (found !== instruction.isNegative) open.push((place + 1) * width + at);
        break;
      }
      default:
        return true;
    }
  }
  return false;
}

function holds(what: Extract<PatternNode, { kind: 'assert' }>['what'], chars: Uint32Array, at: number): boolean {
  const isWordAt = (place: number): boolean => isWord(chars[place] ?? 0);
  switch (what) {
    case 'start':
      return at === 0;
    case 'end':
      return at === chars.length;
    case 'line start':
      return at === 0 || chars[at - 1] === NEWLINE;
    case 'line end':
      return at === chars.length || chars[at] === NEWLINE;
    case 'boundary':
      return isWordAt(at - 1) !== isWordAt(at);
    case 'no boundary':
      return isWordAt(at - 1) === isWordAt(at);
  }
}

const NEWLINE = 10;
