/** What streams send, as server-sent events. One buffer is written to all streams that are to get the same. */
import { presentChanges } from '../rules/definition-parts.ts';
import type { DefinitionState } from './definition-versions.ts';

/** `version`: that something changed; `full`: what changed, for relays; `ofrep`: what OpenFeature's providers expect. */
export type StreamKind = 'version' | 'full' | 'ofrep';

export const HEARTBEAT = Buffer.from(': \n\n');
export const GONE = Buffer.from('event: gone\ndata: {}\n\n');

/** Clients that hear of a change come back for the values: these many groups of them wait for different times. */
const SPREAD = 16;
/** Streams for each millisecond over which their clients are spread. */
const STREAMS_PER_MS = 50;

/** The messages of one version, each built when it is first needed. */
export class StreamMessages {
  readonly state: DefinitionState;
  readonly #maxDelayMs: number;
  readonly #built = new Map<string, Buffer>();

  constructor(state: DefinitionState, streams: number) {
    this.state = state;
    this.#maxDelayMs = Math.floor(streams / STREAMS_PER_MS);
  }

  /** `from`: the version that the stream has; `turn`: any number, which spreads the streams. */
  get(kind: StreamKind, from: number | null, turn: number): Buffer {
    const part = kind === 'full' ? (from ?? 'all') : turn % SPREAD;
    const name = `${kind} ${part}`;
    const known = this.#built.get(name);
    if (known !== undefined) return known;
    const delayMs = Math.floor((this.#maxDelayMs * (turn % SPREAD)) / (SPREAD - 1));
    const built = Buffer.from(kind === 'full' ? this.#full(from) : this.#short(kind, delayMs));
    this.#built.set(name, built);
    return built;
  }

  #short(kind: 'version' | 'ofrep', delayMs: number): string {
    const { version, etag, changedAt } = this.state;
    const delay = this.#maxDelayMs === 0 ? {} : { delayMs };
    return kind === 'version'
      ? eventText(version, 'version', JSON.stringify({ version, etag, ...delay }))
      : eventText(version, 'message', JSON.stringify(refetchMessage(version, changedAt, delay)));
  }

  #full(from: number | null): string {
    const { version, etag, changedAt, history } = this.state;
    const changes = from === null ? null : history.changesSince(from);
    const about = `"version":${version},"etag":${JSON.stringify(etag)},"changed_at":${changedAt}`;
    const data = `{${about},${presentChanges(changes ?? history.everything)}}`;
    return eventText(version, changes === null ? 'reset' : 'version', data);
  }
}

/** After OFREP's ADR 0008. */
const refetchMessage = (version: number, changedAt: number, delay: object): object => ({
  type: 'refetchEvaluation',
  etag: configEtag(version),
  lastModified: Math.floor(changedAt / 1000),
  ...delay,
});

/** Of the definitions that OFREP's answers are evaluated with. */
const configEtag = (version: number): string => `"${version}"`;

/** Null where it is none of ours. */
export function readConfigEtag(etag: unknown): number | null {
  const digits = typeof etag === 'string' ? /^(?:W\/)?"?(\d{1,15})"?$/.exec(etag.trim())?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

const eventText = (id: number, event: string, data: string): string => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
