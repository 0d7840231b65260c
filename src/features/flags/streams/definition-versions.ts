/**
 * Numbers the definitions of each project: a number that grows with every change of what SDKs and relays are told about
 * its flags. It is given when the change is first looked at, by whoever looks first, in a transaction that reads the
 * definitions again: no writer can forget to count, several nodes give a change one number, and a number that a client
 * has heard is stored. Changes that nobody looked at in between are one.
 */
import type { Clock } from '../../../lib/clock.ts';
import { digest } from '../../../lib/secrets.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import {
  type FlagSnapshot,
  type FlagSnapshots,
  toCohortDefinition,
  toFlagDefinition,
} from '../decide/flag-snapshots.ts';
import { DefinitionHistory, type DefinitionParts } from '../rules/definition-history.ts';
import { definitionParts } from '../rules/definition-parts.ts';
import type { DefinitionVersion } from '../store/definition-version-store.ts';

export interface DefinitionState extends Omit<DefinitionVersion, 'tag'> {
  /** Entity tag of `/flags/definitions`. */
  etag: string;
  snapshot: FlagSnapshot;
  /** Of all versions that this process has seen. */
  history: DefinitionHistory;
}

/** Where streams get the definitions from: the stores, or in a relay the server it follows. */
export interface DefinitionSource {
  /** Null: there is no such project. */
  read(projectId: number): Promise<DefinitionState | null>;
  /** The same, when nothing was said to have changed: settings of the project are looked at, too. */
  recheck(projectId: number): Promise<DefinitionState | null>;
  /** Resolves when this process has the version, or cannot get it. */
  waitFor(projectId: number, version: number): Promise<void>;
}

interface DefinitionVersionDeps {
  metadata: MetadataStore;
  flagSnapshots: Pick<FlagSnapshots, 'get' | 'read' | 'invalidate'>;
  etagOf(snapshot: FlagSnapshot): string;
  clock: Clock;
}

interface KnownState extends DefinitionState {
  project: Project;
}

const MAX_PROJECTS = 1000;

export class DefinitionVersions implements DefinitionSource {
  readonly #deps: DefinitionVersionDeps;
  readonly #known = new Map<number, KnownState>();
  readonly #running = new Map<number, Promise<DefinitionState | null>>();

  constructor(deps: DefinitionVersionDeps) {
    this.#deps = deps;
  }

  async read(projectId: number): Promise<DefinitionState | null> {
    const snapshot = await this.#deps.flagSnapshots.get(projectId);
    const known = this.#known.get(projectId);
    if (known?.snapshot === snapshot) return known;
    const running = this.#running.get(projectId);
    if (running !== undefined) {
      // It may have begun before the last change.
      await running.catch(() => null);
      return this.read(projectId);
    }
    const number = this.#number(projectId, snapshot).finally(() => this.#running.delete(projectId));
    this.#running.set(projectId, number);
    return number;
  }

  async recheck(projectId: number): Promise<DefinitionState | null> {
    const project = await this.#deps.metadata.projects.get(projectId);
    if (project === null) {
      this.#known.delete(projectId);
      return null;
    }
    const known = this.#known.get(projectId);
    if (known !== undefined && settingsOf(known.project) !== settingsOf(project))
      this.#deps.flagSnapshots.invalidate(projectId);
    return this.read(projectId);
  }

  /** A version that somebody has heard of is stored, so there is nothing to wait for but reading it. */
  async waitFor(projectId: number, version: number): Promise<void> {
    const state = await this.read(projectId);
    if (state === null || state.version >= version) return;
    if ((await this.#deps.metadata.definitionVersions.get(projectId)) < version) return;
    this.#deps.flagSnapshots.invalidate(projectId);
    await this.read(projectId);
  }

  async #number(projectId: number, snapshot: FlagSnapshot): Promise<DefinitionState | null> {
    const { metadata, flagSnapshots, clock, etagOf } = this.#deps;
    const numbered = await metadata.transaction(async (store) => {
      const project = await store.projects.get(projectId);
      if (project === null) return null;
      const last = await store.definitionVersions.lock(projectId);
      const parts = snapshotParts(project, snapshot);
      const ownTag = tagOf(parts);
      const known = { snapshot, project };
      if (ownTag === last.tag) return { ...known, version: last, parts, etag: etagOf(snapshot), isOutdated: false };
      // What this process has in memory may be older than the last version.
      const fresh = await flagSnapshots.read(projectId, store);
      const freshParts = snapshotParts(project, fresh);
      const tag = tagOf(freshParts);
      const next = tag === last.tag ? last : { version: last.version + 1, tag, changedAt: clock.now() };
      if (next !== last) await store.definitionVersions.set(projectId, next);
      return { ...known, version: next, parts: freshParts, etag: etagOf(fresh), isOutdated: tag !== ownTag };
    });
    if (numbered === null) return null;
    const state = this.#remember(projectId, numbered);
    // Whoever hears of this version must not get values of before it: they are decided with the definitions as they are.
    if (numbered.isOutdated) flagSnapshots.invalidate(projectId);
    return state;
  }

  #remember(
    projectId: number,
    { version: { version, changedAt }, parts, snapshot, project, etag }: Numbered,
  ): DefinitionState {
    const last = this.#known.get(projectId)?.history;
    // A smaller number: the stores are those of a backup.
    const history = last !== undefined && last.version <= version ? last : new DefinitionHistory(version, parts);
    if (history.version < version) history.update(version, parts);
    const state = { version, changedAt, etag, snapshot, history, project };
    const [oldest] = this.#known.keys();
    this.#known.delete(projectId);
    if (this.#known.size >= MAX_PROJECTS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(projectId, state);
    return state;
  }
}

interface Numbered {
  version: DefinitionVersion;
  parts: DefinitionParts;
  snapshot: FlagSnapshot;
  project: Project;
  etag: string;
}

const settingsOf = ({ apiToken, webAnalytics }: Project): string => `${apiToken} ${webAnalytics.geoip}`;

export const snapshotParts = ({ id, apiToken, webAnalytics }: Project, snapshot: FlagSnapshot): DefinitionParts =>
  definitionParts({
    project: { id, apiToken, hasPlaces: webAnalytics.geoip },
    flags: snapshot.flags.map((flag) => ({
      ...flag,
      ...toFlagDefinition(flag),
      filters: flag.filters,
      hasExperiment: snapshot.measuredFlags.has(flag.id),
    })),
    cohorts: snapshot.cohorts.map(toCohortDefinition),
    groupTypes: snapshot.prepared.groupTypes,
  });

/** Parts in any order. */
const tagOf = (parts: DefinitionParts): string =>
  digest(
    [...parts]
      .map(([name, text]) => `${name}\n${text}\n`)
      .toSorted()
      .join(''),
  ).slice(0, 32);
