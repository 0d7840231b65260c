import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/events/event.ts';
import { stringifyExact } from '../../src/core/json/exact-json.ts';
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import type { Person } from '../../src/core/persons/person.ts';
import { PersonUpdates } from '../../src/core/persons/person-updates.ts';
import { loadKnownPersons } from '../../src/ingest/process/load-persons.ts';
import type { NewEvent } from '../../src/ingest/process/normalise-entries.ts';
import type { IngestTransaction } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { StoredPerson } from '../../src/stores/metadata/persons.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';

const ALL = { limit: 1000, offset: 0 };
const EMAILS: readonly Json[] = [
  'a@x',
  'b@x',
  'é"\\\n\u0001@x',
  '5',
  5,
  1e21,
  12345678901234567890n,
  null,
  '',
  { a: [1] },
];

/** By the JSON text of an e-mail, the distinct ids of those whom it finds. */
type Found = Record<string, string[]>;

/** Whoever writes a person writes the e-mail, too: persons are found by the one that they have, and no other. */
export function describePersonEmails(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`e-mails of persons: ${name}`, () => {
    let setup: MetadataSetup;
    let numbers: number;
    beforeEach(async () => {
      setup = await open();
      numbers = 0;
    });
    afterEach(() => setup.remove());

    const anEvent = (distinctId: string, properties: JsonObject, given: Partial<Event> = {}): Event => ({
      projectId: 1,
      uuid: uuidOf(++numbers),
      event: 'visit',
      distinctId,
      timestamp: 1000 + numbers,
      receivedAt: 2000,
      properties,
      elementsChain: '',
      person: 'full',
      ...given,
    });
    const sets = (distinctId: string, email: Json): Event => anEvent(distinctId, { $set: { email } });
    const unsets = (distinctId: string): Event => anEvent(distinctId, { $unset: ['email'] });
    const browses = (distinctId: string, given: Partial<Event> = {}): Event =>
      anEvent(distinctId, { $browser: `version ${numbers + 1}` }, given);
    const merges = (target: string, source: string): Event =>
      anEvent(target, { alias: source }, { event: '$merge_dangerously' });

    const applyTo = (store: IngestTransaction, persons: readonly Person[]): Promise<void> => {
      const states = persons.map((person) => ({ person, isNew: false, mergedInto: null }));
      return store.apply({ ...NO_CHANGES, persons: { ...NO_CHANGES.persons, persons: states } });
    };
    /** As the processor does it. */
    const process = (...events: Event[]): Promise<void> =>
      setup.ingest.transaction(async (store) => {
        const newEvents = events.map((event) => ({ event }) as NewEvent);
        const updates = new PersonUpdates(await loadKnownPersons(store, newEvents));
        for (const event of events) updates.handle(event);
        await store.apply({ ...NO_CHANGES, persons: updates.changes() });
      });

    const personOf = async (distinctId: string): Promise<StoredPerson> => {
      const person = await setup.metadata.persons.getByDistinctId(1, distinctId);
      if (!person) throw new Error(`nobody has the id ${distinctId}`);
      return person;
    };
    const withEmail = <P extends Person>(person: P, email: Json | undefined): P => {
      const { email: _, ...others } = person.properties;
      return {
        ...person,
        properties: email === undefined ? others : { ...others, email },
        version: person.version + 1,
      };
    };

    async function found(): Promise<Found> {
      const { persons } = setup.metadata;
      const all: Found = {};
      for (const text of EMAILS.map((email) => stringifyExact(email))) {
        const ids = await persons.listIdsByEmails(1, [text], ALL);
        const distinctIds = [...(await persons.listDistinctIds(ids, 1)).values()].flat();
        if (ids.length > 0) all[text] = distinctIds.sort();
      }
      return all;
    }
    /** What the properties say, in the same form; and that a list of e-mails alone says the same. */
    async function stored(): Promise<Found> {
      const { persons } = setup.metadata;
      const all: Found = {};
      const ids = await persons.listIds(1, ALL);
      const distinctIds = await persons.listDistinctIds(ids, 1);
      const emails: JsonObject[] = [];
      for (const { id, properties } of await persons.listByIds(1, ids)) {
        const { email } = properties;
        emails.push(email === undefined ? {} : { email });
        if (email === undefined) continue;
        const text = stringifyExact(email);
        all[text] = [...(all[text] ?? []), ...(distinctIds.get(id) ?? [])];
      }
      const scan = await persons.scan(1, null, ALL.limit, [], ['email']);
      expect(scan.persons.map((person) => person.properties)).toEqual(emails);
      for (const some of Object.values(all)) some.sort();
      return all;
    }
    async function expectFound(expected: Found): Promise<void> {
      expect(await found()).toEqual(expected);
      expect(await stored()).toEqual(expected);
    }

    it('of every kind are written with new persons', async () => {
      await process(...EMAILS.map((email, n) => sets(`id ${n}`, email)), browses('nobody'), sets('same', 'a@x'));
      const expected = Object.fromEntries(EMAILS.map((email, n) => [stringifyExact(email), [`id ${n}`]]));
      await expectFound({ ...expected, '"a@x"': ['id 0', 'same'] });
    });

    it('stay what they are if events change something else', async () => {
      await process(sets('ada', 'a@x'), browses('bob'));
      await process(browses('ada'), browses('bob'), browses('cyd'));
      await process(browses('bob'), browses('ada'));
      expect((await personOf('ada')).properties['$browser']).toBe(`version ${numbers}`);
      await expectFound({ '"a@x"': ['ada'] });
    });

    it('are set, changed and removed by events', async () => {
      await process(browses('ada'), sets('bob', 'b@x'), sets('cyd', 'a@x'));
      await process(sets('ada', 'a@x'), sets('bob', 5), unsets('cyd'));
      await expectFound({ '"a@x"': ['ada'], 5: ['bob'] });
      await process(sets('ada', 'b@x'), unsets('bob'), sets('cyd', null));
      await expectFound({ '"b@x"': ['ada'], null: ['cyd'] });
      await process(unsets('ada'), sets('ada', 'a@x'), sets('cyd', '5'), unsets('cyd'), sets('bob', 'a@x'));
      await expectFound({ '"a@x"': ['ada', 'bob'] });
    });

    it('are written for a person that the transaction has not read', async () => {
      await process(sets('ada', 'a@x'), sets('bob', 'a@x'));
      const [ada, bob] = [await personOf('ada'), await personOf('bob')];
      await setup.ingest.transaction((store) => applyTo(store, [withEmail(ada, 'b@x'), withEmail(bob, undefined)]));
      await expectFound({ '"b@x"': ['ada'] });
    });

    it('are written by each of several changes in one transaction', async () => {
      await process(sets('ada', 'a@x'), browses('bob'));
      await setup.ingest.transaction(async (store) => {
        const ids = ['ada', 'bob'].map((distinctId) => ({ projectId: 1, distinctId }));
        const { persons } = await store.listPersonsByDistinctIds(ids);
        await applyTo(
          store,
          persons.map((person) => withEmail(person, 'b@x')),
        );
        // Not read again.
        await applyTo(store, persons);
      });
      await expectFound({ '"a@x"': ['ada'] });
    });

    it('are written when a user changes a person', async () => {
      await process(sets('ada', 'a@x'), browses('bob'), sets('cyd', 'a@x'));
      const change = async (distinctId: string, email: Json | undefined): Promise<void> => {
        const person = withEmail(await personOf(distinctId), email);
        await setup.metadata.persons.update({ person, history: [], properties: [] });
      };
      await change('ada', undefined);
      await change('bob', 'b@x');
      await change('cyd', 5);
      await expectFound({ '"b@x"': ['bob'], 5: ['cyd'] });
      await process(browses('ada'), browses('bob'), browses('cyd'));
      await expectFound({ '"b@x"': ['bob'], 5: ['cyd'] });
    });

    it('are written when a person is split', async () => {
      await process(sets('ada', 'a@x'), merges('ada', 'phone'), sets('bob', 'a@x'));
      const { personIdentities: identities } = setup.metadata;
      const ada = await personOf('ada');
      const made = { ...withEmail(ada, 'b@x'), uuid: uuidOf(0xf1), version: 0 };
      await identities.create([{ ...made, id: null }]);
      await identities.update(withEmail(ada, undefined));
      await identities.moveDistinctIds(1, [{ distinctId: 'phone', to: made.uuid }]);
      await expectFound({ '"a@x"': ['bob'], '"b@x"': ['phone'] });
    });

    it('of a merged person are those of the survivor, and are given back by an undo', async () => {
      await process(sets('phone', 'b@x'), sets('tablet', 'a@x'), browses('ada'));
      await process(merges('ada', 'phone'));
      await expectFound({ '"a@x"': ['tablet'], '"b@x"': ['phone'] });
      await process(merges('ada', 'tablet'));
      await expectFound({ '"b@x"': ['phone'] });
      const ada = await personOf('ada');
      const { personIdentities: identities } = setup.metadata;
      const [merge] = await identities.listMergesInto(1, ada.uuid);
      if (!merge) throw new Error('no merge');
      await identities.create([{ ...merge.source, id: merge.sourceId }]);
      await identities.reviveUuid(merge.source.uuid);
      await identities.update(withEmail(ada, undefined));
      await identities.moveDistinctIds(1, [{ distinctId: 'phone', to: merge.source.uuid }]);
      await expectFound({ '"b@x"': ['phone'] });
      await process(browses('phone'), sets('ada', 'a@x'));
      await expectFound({ '"a@x"': ['tablet'], '"b@x"': ['phone'] });
    });

    it('are right if persons are made, changed and merged within one chunk', async () => {
      await process(sets('old', 'a@x'), sets('other', 'b@x'));
      await process(sets('new', 5), merges('old', 'new'), unsets('old'), merges('other', 'old'), sets('third', 'a@x'));
      await expectFound({ '"a@x"': ['third'], '"b@x"': ['old'] });
    });

    it('of a deleted person find nobody, and those of the next with the same id do', async () => {
      await process(sets('ada', 'a@x'));
      const ada = await personOf('ada');
      const { personIdentities: identities } = setup.metadata;
      await identities.delete(ada, await identities.getMergedPersons(1, ada.uuid));
      await expectFound({});
      await process(sets('ada', 'b@x'));
      expect((await personOf('ada')).uuid).not.toBe(ada.uuid);
      await process(browses('ada'));
      await expectFound({ '"b@x"': ['ada'] });
    });

    it('are in the list at the time of the person, also when that changes', async () => {
      await process(sets('ada', 'a@x'), sets('bob', 'a@x'));
      await process(anEvent('cyd', {}, { timestamp: 5 }));
      const order = async (): Promise<string[]> => {
        const ids = await setup.metadata.persons.listIdsByEmails(1, ['"a@x"'], ALL);
        return [...(await setup.metadata.persons.listDistinctIds(ids, 1)).values()].flat();
      };
      expect(await order()).toEqual(['bob', 'ada']);
      await process(merges('bob', 'cyd'));
      expect((await personOf('bob')).createdAt).toBe(5);
      expect(await order()).toEqual(['ada', 'bob']);
      await expectFound({ '"a@x"': ['ada', 'bob'] });
    });

    it('are right after any events', async () => {
      const id = fc.constantFrom('ada', 'bob', 'cyd', 'dan');
      const step = fc.oneof(
        fc.record({ kind: fc.constant('sets' as const), id, email: fc.constantFrom(...EMAILS) }),
        fc.record({ kind: fc.constantFrom('unsets' as const, 'browses' as const), id }),
        fc.record({ kind: fc.constant('merges' as const), id, source: id }),
      );
      const chunks = fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 5 });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(chunks, async (given) => {
          // Persons of earlier runs stay.
          const prefix = `${++run} `;
          for (const steps of given) {
            const events = steps.map((one) => {
              const own = prefix + one.id;
              if (one.kind === 'sets') return sets(own, one.email);
              if (one.kind === 'merges') return merges(own, prefix + one.source);
              return one.kind === 'unsets' ? unsets(own) : browses(own);
            });
            await process(...events);
          }
          expect(await found()).toEqual(await stored());
        }),
        { numRuns: 25 },
      );
    });
  });
}
