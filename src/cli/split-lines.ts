/** Lines of a stream with their positions, so that a reader can resume. */
export interface Line {
  /** The byte at which it begins. */
  at: number;
  /** The byte at which the next one begins. */
  end: number;
  /** Null if the line is too long; it is skipped without being held in memory. */
  text: string | null;
}

export async function* splitLines(stream: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let [at, place, held] = [0, 0, 0];
  const take = (end: number): Line => {
    const text = held > mostBytes ? null : Buffer.concat(parts).toString('utf8');
    const line = { at, end, text };
    [parts, held, at] = [[], 0, end];
    return line;
  };
  const hold = (part: Buffer): void => {
    held += part.length;
    if (held <= mostBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
      hold(chunk.subarray(from, to));
      from = to + 1;
      yield take(place + from);
    }
    hold(chunk.subarray(from));
    place += chunk.length;
  }
  if (place > at) yield take(place);
}
