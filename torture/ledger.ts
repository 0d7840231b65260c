/** What the client knows: every event it ever sent, and which of them were acknowledged. The truth to hold stores to. */

export interface SentEvent {
  /** Unique; carried as a property, so that the event is recognised whatever else happens to it. */
  marker: string;
  /** True: a uuid, `messageId` or `$insert_id` makes it the same event when it is sent again. */
  hasIdentity: boolean;
  /** It is meant to be dropped: it has no name. */
  isNameless: boolean;
  isPersonless: boolean;
  distinctId: string;
  /** Place in the order of its distinct id; null where no order can be expected. */
  number: number | null;
  /** Another id that this event joins with its distinct id. */
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
  /** Answers other than 200, by status; 0 for none. */
  readonly answers = new Map<number, number>();

  note(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }

  get acknowledgedEvents(): number {
    return this.requests.reduce((sum, { events, acknowledged }) => sum + events.length * acknowledged, 0);
  }
}
