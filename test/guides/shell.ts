import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** A bash that runs blocks in sequence and keeps variables, like the reader's; its `curl` fails on HTTP errors. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #output = '';
  #onData: () => void = () => undefined;

  constructor(environment: Record<string, string>) {
    this.#bash = spawn('bash', [], {
      env: { ...process.env, ...environment },
      cwd: new URL('../../', import.meta.url),
    });
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        this.#output += part;
        this.#onData();
      });
    }
    this.#bash.stdin.write('curl() { command curl --fail-with-body -sS "$@"; }\n');
  }

  /** Every line must succeed. */
  async run(text: string): Promise<{ code: number; output: string }> {
    this.#output = '';
    // `set -e` would end the shell; the trap ends the block alone.
    this.#bash.stdin.write(`ok=0\ntrap 'ok=$?' ERR\nset -E\n${text}\ntrap - ERR\necho; echo "BLOCK ENDED $ok"\n`);
    const ended = /BLOCK ENDED (\d+)\n/;
    while (!ended.test(this.#output)) await new Promise<void>((resolve) => (this.#onData = resolve));
    return { code: Number(ended.exec(this.#output)?.[1]), output: this.#output };
  }

  close(): void {
    this.#bash.kill();
  }
}
