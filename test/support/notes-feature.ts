/** A small feature, as an example: notes of a project, with routes, a table, its migration and a leader task. */
import { Type } from '@sinclair/typebox';
import type { Generated } from 'kysely';
import type { Feature } from '../../src/features/feature.ts';
import { projectRoute } from '../../src/http/api/route.ts';
import type { RouteDeps } from '../../src/http/api/route-deps.ts';
import type { LeaderTask } from '../../src/lib/leader-task.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import type { Sql } from '../../src/stores/sql/tables.ts';

interface Note {
  text: string;
  /** Set by the leader task. */
  words: number | null;
}

interface NoteStore {
  create(projectId: number, text: string): Promise<void>;
  listByProject(projectId: number): Promise<Note[]>;
  countWords(): Promise<void>;
}

// Optional, because it is there in one test only; a real feature's store is not.
declare module '../../src/stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly notes?: NoteStore;
  }
}

declare module '../../src/stores/sql/tables.ts' {
  interface Tables {
    notes: { id: Generated<number>; projectId: number; text: string; words: number | null };
  }
}

const noteStore = ({ db }: Sql): NoteStore => ({
  async create(projectId, text) {
    await db.insertInto('notes').values({ projectId, text, words: null }).execute();
  },
  listByProject: (projectId) =>
    db.selectFrom('notes').select(['text', 'words']).where('projectId', '=', projectId).orderBy('id').execute(),
  async countWords() {
    for (const { id, text } of await db.selectFrom('notes').selectAll().where('words', 'is', null).execute()) {
      await db
        .updateTable('notes')
        .set({ words: text.split(' ').length })
        .where('id', '=', id)
        .execute();
    }
  },
});

const notesIn = ({ notes }: MetadataStore): NoteStore => {
  if (!notes) throw new Error('The feature is not registered.');
  return notes;
};

class WordCounter implements LeaderTask {
  readonly #notes: NoteStore;
  #running: Promise<void> = Promise.resolve();

  constructor(notes: NoteStore) {
    this.#notes = notes;
  }

  start(): void {
    this.wake();
  }

  wake(): void {
    this.#running = this.#running.then(() => this.#notes.countWords());
  }

  stop(): Promise<void> {
    return this.#running;
  }
}

interface NoteDeps extends RouteDeps {
  metadata: MetadataStore;
  calculations: { wake(): void };
}

const NOTES = { url: '/api/projects/:project_id/notes/', tag: 'notes', scope: 'insight' } as const;

export const notesFeature = (migrationNumber: number): Feature<NoteDeps> => ({
  name: 'notes',
  api(app, deps) {
    projectRoute(app, deps, {
      ...NOTES,
      method: 'GET',
      summary: 'List notes',
      handler: ({ project }) => notesIn(deps.metadata).listByProject(project.id),
    });
    projectRoute(app, deps, {
      ...NOTES,
      method: 'POST',
      summary: 'Create a note',
      body: Type.Object({ text: Type.String() }),
      status: 201,
      async handler({ project, body: { text } }) {
        await deps.metadata.transaction((store) => notesIn(store).create(project.id, text));
        deps.calculations.wake();
        return { text };
      },
    });
  },
  stores: { notes: noteStore },
  migrations: [
    {
      number: migrationNumber,
      name: 'notes',
      async up(db, dialect) {
        await db.schema
          .createTable('notes')
          .addColumn('id', dialect.autoIncrementType, (column) => dialect.autoIncrement(column))
          .addColumn('project_id', dialect.bigIntegerType, (column) => column.notNull())
          .addColumn('text', 'text', (column) => column.notNull())
          .addColumn('words', 'integer')
          .execute();
      },
    },
  ],
  projectTables: ['notes'],
  leaderTasks: ({ metadata }) => [new WordCounter(notesIn(metadata))],
});
