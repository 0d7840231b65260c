/** What a store keeps of annotations. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Annotation, AnnotationQuery } from '../../src/features/annotations/store/annotation-store.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';

/** Beyond 32 bits, as times are. */
const NOW = 1_768_478_400_000;
const ours = { id: 1, organizationId: 'ours' };
const page = { limit: 10, offset: 0 };

const anAnnotation = (content: string, rest: Partial<Annotation> = {}): Omit<Annotation, 'id'> => ({
  organizationId: 'ours',
  projectId: 1,
  scope: 'project',
  insightId: null,
  dashboardId: null,
  content,
  dateMarker: NOW,
  creationType: 'USR',
  deleted: false,
  createdAt: NOW,
  createdBy: 7,
  updatedAt: NOW,
  ...rest,
});

export function describeAnnotations(name: string, open: () => Promise<{ metadata: MetadataStore }>): void {
  describe(`annotations: ${name}`, () => {
    let store: MetadataStore;
    beforeEach(async () => {
      ({ metadata: store } = await open());
    });
    afterEach(() => store.close());
    const list = async (query: AnnotationQuery = {}, project = ours) =>
      (await store.annotations.list(project, query, page)).items.map(({ content }) => content);

    it('returns an annotation unchanged, also a deleted one', async () => {
      const { id } = await store.annotations.create(
        anAnnotation('Ünïcode \u{1f600}', { insightId: 3, dashboardId: 4 }),
      );
      const changed = { id, ...anAnnotation('two', { scope: 'dashboard', creationType: 'GIT', deleted: true }) };
      expect((await store.annotations.get(ours, id))?.insightId).toBe(3);
      await store.annotations.update(changed);
      expect(await store.annotations.get(ours, id)).toEqual(changed);
      expect(await list()).toEqual([]);
    });

    it('shows those of other projects only if they are for the organization', async () => {
      await store.annotations.create(anAnnotation('here'));
      const theirs = await store.annotations.create(anAnnotation('there', { projectId: 2 }));
      const all = await store.annotations.create(anAnnotation('everywhere', { projectId: 2, scope: 'organization' }));
      await store.annotations.create(anAnnotation('strangers', { organizationId: 'x', scope: 'organization' }));
      expect(await list()).toEqual(['everywhere', 'here']);
      expect(await store.annotations.get(ours, theirs.id)).toBeNull();
      expect((await store.annotations.get(ours, all.id))?.content).toBe('everywhere');
      expect(await list({}, { id: 1, organizationId: 'x' })).toEqual(['strangers']);
    });

    it('filters by time, scope, insight and text, the latest date first', async () => {
      await store.annotations.create(anAnnotation('Release 100%', { dateMarker: NOW - 10 }));
      await store.annotations.create(anAnnotation('later', { dateMarker: NOW + 10 }));
      await store.annotations.create(anAnnotation('of an insight', { scope: 'dashboard_item', insightId: 5 }));
      expect(await list()).toEqual(['later', 'of an insight', 'Release 100%']);
      expect(await list({ after: NOW })).toEqual(['later', 'of an insight']);
      expect(await list({ before: NOW })).toEqual(['of an insight', 'Release 100%']);
      expect(await list({ scope: 'project', after: NOW - 10, before: NOW + 10 })).toEqual(['later', 'Release 100%']);
      expect(await list({ insightId: 5 })).toEqual(['of an insight']);
      expect(await list({ search: 'RELEASE 100%' })).toEqual(['Release 100%']);
      expect(await list({ search: '_' })).toEqual([]);
      const second = await store.annotations.list(ours, {}, { limit: 1, offset: 1 });
      expect([second.count, second.items.map(({ content }) => content)]).toEqual([3, ['of an insight']]);
    });

    it('goes with its project', async () => {
      await store.annotations.create(anAnnotation('here'));
      await store.annotations.create(anAnnotation('there', { projectId: 2, scope: 'organization' }));
      await store.projects.delete(1);
      expect(await list()).toEqual(['there']);
    });
  });
}
