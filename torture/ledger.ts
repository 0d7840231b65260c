/** Every event that clients sent, and whether it was acknowledged: what the stores are checked against. */

export interface SentEvent {
  /** Unique, and sent as a property, to recognize the event. */
  marker: string;
  /** Whether it has a uuid, `messageId` or `$insert_id`, so that a retry is a duplicate. */
  hasIdentity: boolean;
  /** Events without a name are dropped. */
  isNameless: boolean;
  isPersonless: boolean;
  distinctId: string;
  /** Position among the events of its distinct id; null if the order does not matter. */
  number: number | null;
  /** Another distinct id that this event merges. */
  joins: string | null;
}

export interface SentRequest {
  body: string;
  path: string;
  events: readonly SentEvent[];
  attempts: number;
  acknowledged: number;
}

export class Ledger {
  readonly requests: SentRequest[] = [];
  /** Responses by status; 0 for none. */
  readonly answers = new Map<number, number>();

  note(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }

  get acknowledgedEvents(): number {
    return this.requests.reduce((sum, { events, acknowledged }) => sum + events.length * acknowledged, 0);
  }
}
