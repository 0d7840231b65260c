import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IngestChanges, SeenPropertyDefinition } from '../../src/stores/ingest/ingest-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataSetup } from './event-records.ts';
import { uuidOf } from './events.ts';

/** What a definition is before anybody has said a word about it. */
const FRESH = { description: '', tags: [], verifiedAt: null, verifiedBy: null, updatedAt: null, updatedBy: null };
const FRESH_EVENT = { ...FRESH, ownerId: null, postToSlack: false };
const FRESH_PROPERTY = { ...FRESH, isTypeChosen: false };

const event = (n: number, name: string, projectId = 1) => ({ id: uuidOf(n), projectId, name, at: n, createdAt: n });

const property = (n: number, name: string, over: Partial<SeenPropertyDefinition> = {}): SeenPropertyDefinition => ({
  id: uuidOf(n),
  projectId: 1,
  kind: 'event',
  groupTypeIndex: -1,
  name,
  propertyType: 'String',
  at: n,
  ...over,
});

/** What every metadata store does with event and property definitions. */
export function describeDefinitions(name: string, open: () => Promise<MetadataSetup>): void {
  describe(`definitions: ${name}`, () => {
    let setup: MetadataSetup;
    beforeEach(async () => {
      setup = await open();
    });
    afterEach(() => setup.remove());

    let position = 0;
    const write = (changes: Partial<IngestChanges>): Promise<void> =>
      setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, ...changes, position: ++position }));

    it('finds definitions of events and properties', async () => {
      await write({
        events: [event(1, 'b'), event(2, 'a'), event(3, 'c', 2)],
        properties: [property(4, 'plan'), property(5, 'email', { kind: 'person' })],
        eventProperties: [
          { projectId: 1, event: 'a', property: 'plan' },
          { projectId: 1, event: 'b', property: 'plan' },
        ],
      });
      await write({ events: [event(9, 'a')] });
      const { definitions } = setup.metadata;
      expect(await definitions.listEvents(1)).toEqual([
        { ...FRESH_EVENT, id: uuidOf(2), name: 'a', createdAt: 2, lastSeenAt: 9 },
        { ...FRESH_EVENT, id: uuidOf(1), name: 'b', createdAt: 1, lastSeenAt: 1 },
      ]);
      expect(await definitions.getEvent(1, uuidOf(3))).toBeNull();
      expect((await definitions.getEvent(2, uuidOf(3)))?.name).toBe('c');
      const kind = { kind: 'person', groupTypeIndex: -1 } as const;
      const email = { ...FRESH_PROPERTY, ...kind, id: uuidOf(5), name: 'email', propertyType: 'String', createdAt: 5 };
      expect(await definitions.listProperties(1, kind)).toEqual([email]);
      expect(await definitions.getProperty(1, uuidOf(5))).toEqual(email);
      expect(await definitions.getProperty(2, uuidOf(5))).toBeNull();
      expect(await definitions.listPropertyNamesByEvents(1, ['a', 'b'])).toEqual(['plan']);
      expect(await definitions.listPropertyNamesByEvents(1, ['x'])).toEqual([]);
      expect(await definitions.listPropertyNamesByEvents(1, [])).toEqual([]);
    });

    it.each([
      { scores: null, descending: false, limit: 3, offset: 0, names: ['$a', 'Best', 'cart'] },
      { scores: null, descending: true, limit: 3, offset: 1, names: ['cart', 'Best', '$a'] },
      { scores: new Map(), descending: true, limit: 9, offset: 0, names: ['$a', 'Best', 'cart', 'dart'] },
      { scores: { cart: 9, Best: 5, gone: 7 }, descending: true, limit: 3, offset: 0, names: ['cart', 'Best', '$a'] },
      { scores: { cart: 9, Best: 5 }, descending: true, limit: 2, offset: 3, names: ['dart'] },
      { scores: { cart: 9, Best: 5 }, descending: false, limit: 2, offset: 1, names: ['dart', 'Best'] },
    ])('pages events by score and name: $names', async ({ scores, descending, limit, offset, names }) => {
      const all = ['dart', 'cart', 'Best', '$a'];
      await write({ events: [...all.map((own, n) => event(n, own)), event(9, 'elsewhere', 2)] });
      const order = { scores: scores && new Map(Object.entries(scores)), descending };
      const filter = { words: [], only: undefined };
      const found = await setup.metadata.definitions.pageOfEvents(1, filter, order, { limit, offset });
      expect({ count: found.count, names: found.items.map((item) => item.name) }).toEqual({ count: 4, names });
    });

    it.each([
      { filter: { words: ['ART'] }, names: ['cart', 'dart'] },
      { filter: { words: ['a', 'C'] }, names: ['cart'] },
      { filter: { words: ['%'] }, names: [] },
      { filter: { only: 'standard' as const }, names: ['$a'] },
      { filter: { only: 'custom' as const }, names: ['cart', 'dart'] },
    ])('pages the events that $filter finds', async ({ filter, names }) => {
      await write({ events: [event(1, 'dart'), event(2, 'cart'), event(3, '$a')] });
      const order = { scores: new Map([['unknown', 1]]), descending: true };
      const page = { limit: 10, offset: 0 };
      const wanted = { words: [], only: undefined, ...filter };
      const found = await setup.metadata.definitions.pageOfEvents(1, wanted, order, page);
      expect({ count: found.count, names: found.items.map((item) => item.name) }).toEqual({
        count: names.length,
        names,
      });
    });

    it('counts definitions, says which there are, and deletes them', async () => {
      const eventProperties = [
        { projectId: 1, event: 'a', property: 'plan' },
        { projectId: 1, event: 'a', property: 'size' },
        { projectId: 1, event: 'b', property: 'plan' },
      ];
      const properties = [property(4, 'plan'), property(5, 'size'), property(6, 'plan', { kind: 'person' })];
      await write({ events: [event(1, 'a'), event(2, 'b'), event(3, 'a', 2)], properties, eventProperties });
      const count = () => setup.ingest.transaction((store) => store.countDefinitions(1));
      expect(await count()).toEqual({ events: 2, properties: 3, eventProperties: 3 });
      const asked = { events: [event(7, 'a'), event(8, 'x')], properties: [property(9, 'plan'), property(9, 'x')] };
      expect(await setup.ingest.transaction((store) => store.listDefined(1, asked))).toEqual({
        events: new Set(['a']),
        properties: new Set(['event:-1:plan']),
      });
      const { definitions } = setup.metadata;
      const [a, plan] = [await definitions.getEvent(1, uuidOf(1)), await definitions.getProperty(1, uuidOf(4))];
      if (a) await definitions.deleteEvent(1, a);
      expect(await count()).toEqual({ events: 1, properties: 3, eventProperties: 1 });
      if (plan) await definitions.deleteProperty(1, plan);
      expect(await count()).toEqual({ events: 1, properties: 2, eventProperties: 0 });
      expect((await definitions.getEvent(2, uuidOf(3)))?.name).toBe('a');
    });

    it('keeps what users set for an event when it is seen again', async () => {
      await write({ events: [event(1, 'a'), event(2, 'b')] });
      const { definitions } = setup.metadata;
      const said = {
        description: 'Somebody paid',
        tags: ['money', 'ünïcode'],
        verifiedAt: 50,
        verifiedBy: 7,
        updatedAt: 60,
        updatedBy: 8,
        ownerId: 9,
        postToSlack: true,
      };
      await definitions.updateEvent(2, uuidOf(1), said);
      expect(await definitions.getEvent(1, uuidOf(1))).toMatchObject(FRESH_EVENT);
      await definitions.updateEvent(1, uuidOf(1), said);
      await write({ events: [{ ...event(3, 'a'), at: 99 }] });
      expect(await definitions.getEvent(1, uuidOf(1))).toEqual({
        ...said,
        id: uuidOf(1),
        name: 'a',
        createdAt: 1,
        lastSeenAt: 99,
      });
      await definitions.updateEvent(1, uuidOf(1), { tags: [], verifiedAt: null, verifiedBy: null, postToSlack: false });
      expect(await definitions.getEvent(1, uuidOf(1))).toMatchObject({
        description: 'Somebody paid',
        tags: [],
        verifiedAt: null,
        verifiedBy: null,
        ownerId: 9,
        postToSlack: false,
      });
      expect(await definitions.getEvent(1, uuidOf(2))).toMatchObject(FRESH_EVENT);
    });

    it.each([
      ['a type', 'Numeric'],
      ['no type at all', null],
    ] as const)('lets no event change %s that a person has chosen', async (_name, chosen) => {
      await write({ properties: [property(1, 'plan', { propertyType: null }), property(2, 'age')] });
      const { definitions } = setup.metadata;
      for (const id of [uuidOf(1), uuidOf(2)]) {
        await definitions.updateProperty(1, id, { propertyType: chosen, isTypeChosen: true, description: 'chosen' });
      }
      await write({ properties: [property(3, 'plan'), property(4, 'age')] });
      for (const id of [uuidOf(1), uuidOf(2)]) {
        const { propertyType, isTypeChosen, description } = (await definitions.getProperty(1, id)) ?? {};
        expect([propertyType, isTypeChosen, description]).toEqual([chosen, true, 'chosen']);
      }
    });

    it('takes the type of the first event unless a user has chosen one', async () => {
      await write({ properties: [property(1, 'plan', { propertyType: null })] });
      await setup.metadata.definitions.updateProperty(1, uuidOf(1), { description: 'no word about the type' });
      await write({ properties: [property(2, 'plan', { propertyType: 'Boolean' })] });
      await write({ properties: [property(3, 'plan', { propertyType: 'Numeric' })] });
      expect(await setup.metadata.definitions.getProperty(1, uuidOf(1))).toMatchObject({
        propertyType: 'Boolean',
        isTypeChosen: false,
        description: 'no word about the type',
      });
    });
  });
}
