/** Imports lines of an export in batches. The result is returned when the batch is on disk. */
import { type ImportedPerson, type ImportLine, readImportLine } from '../../core/events/import-line.ts';
import { importedUuid } from '../../core/events/uuid.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json.ts';
import { addPlaceOfOwnAddress } from '../../features/capture/visitor-facts.ts';
import { importPersons } from '../../features/persons/identity/import-persons.ts';
import { acceptImportedEvents } from '../../ingest/accept/accept-imported-events.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { OperateDeps } from '../deps.ts';
import { chosenProject } from '../lookups.ts';
import type { Operation } from '../operation.ts';

export interface ImportBatch {
  project: number;
  /** `at`: the position of the line in its file. */
  lines: readonly { at: number; text: string }[];
}

export interface ImportBatchResult {
  events: number;
  persons: number;
  /** Skipped lines, by their index in the batch. */
  bad: { index: number; reason: string }[];
}

export const importLines: Operation<ImportBatch, ImportBatchResult> = async (deps, { project: id, lines }) => {
  const project = await chosenProject(deps.metadata, id);
  const read = lines.map(({ at, text }) => readImportLine(text, importedUuid(id, at, text)));
  const reasons = read.map((line) => (line.kind === 'bad' ? line.reason : null));
  const events = linesOfKind(read, 'event');
  const placed = events.map((line) => withPlace(deps, project, eventOf(line)));
  recordRefusals(reasons, events, await acceptImportedEvents(deps, project, placed));
  const persons = linesOfKind(read, 'person');
  if (persons.length > 0) {
    // Earlier events must be processed first, or their older properties would be written last.
    await deps.whenProcessed();
    recordRefusals(reasons, persons, await importPersons(deps, id, persons.map(personOf)));
    deps.invalidateResults(id);
  }
  const taken = (some: readonly IndexedLine[]): number => some.filter(({ index }) => reasons[index] === null).length;
  const bad = reasons.flatMap((reason, index) => (reason === null ? [] : [{ index, reason }]));
  return { events: taken(events), persons: taken(persons), bad };
};

/** A country of the file is kept; without one it is that of the event's address, which may not be stored later. */
function withPlace({ geoip }: OperateDeps, { webAnalytics }: Project, event: JsonObject): JsonObject {
  const properties = isJsonObject(event['properties']) ? { ...event['properties'] } : {};
  return addPlaceOfOwnAddress(geoip, webAnalytics, properties) ? { ...event, properties } : event;
}

/** Resolves when everything that was imported can be read. */
export const finishImport: Operation<object, object> = async (deps) => {
  await deps.whenProcessed();
  return {};
};

interface IndexedLine {
  index: number;
  line: ImportLine;
}

const linesOfKind = (lines: readonly ImportLine[], kind: ImportLine['kind']): IndexedLine[] =>
  lines.flatMap((line, index) => (line.kind === kind ? [{ index, line }] : []));

const eventOf = ({ line }: IndexedLine): JsonObject => (line.kind === 'event' ? line.event : {});

function personOf({ line }: IndexedLine): ImportedPerson {
  if (line.kind !== 'person') throw new Error('Not a person.');
  return line.person;
}

function recordRefusals(
  reasons: (string | null)[],
  placed: readonly IndexedLine[],
  refusals: readonly (string | null)[],
): void {
  for (const [i, { index }] of placed.entries()) {
    const refusal = refusals[i];
    if (refusal) reasons[index] = refusal.replaceAll('_', ' ');
  }
}
