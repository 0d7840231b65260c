/** Carries what users said about events or properties over to another project. Names that it has not seen are left out. */
import type { Caller } from '../../access/callers.ts';
import { requireEditor } from '../../access/resources.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { diffJson, type JsonDifference } from '../../core/json/json-diff.ts';
import { digest } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { DefinitionDetails, EventDefinition, PropertyDefinition } from '../../stores/metadata/definitions.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import {
  type DefinitionDeps,
  type PropertyDefinitionChanges,
  updateEventDefinition,
  updatePropertyDefinition,
} from '../definitions/definitions.ts';
import { changedSincePlan } from './promote-flag.ts';
import { withinTransaction } from './within-transaction.ts';

export type DefinitionKind = 'event' | 'property';

interface DefinitionPromotion {
  kind: DefinitionKind;
  source: Project;
  target: Project;
  /** Null: all that users said something about. */
  names: readonly string[] | null;
}

interface DefinitionPromotionPlan {
  /** Paths begin with what the definition is of: `event "signed_up"`, `person property "email"`. */
  diff: JsonDifference[];
  /** Not seen in the other project yet. */
  missing: string[];
  changes: { id: string; after: JsonObject }[];
  confirm: string;
}

interface Described {
  id: string;
  name: string;
  title: string;
  details: JsonObject;
}

export async function planDefinitionPromotion(
  store: MetadataStore,
  caller: Caller,
  { kind, source, target, names }: DefinitionPromotion,
): Promise<DefinitionPromotionPlan> {
  await requireEditor(store, caller, source.organizationId, ['data management']);
  await requireEditor(store, caller, target.organizationId, ['data management']);
  const from = (await read(store, kind, source.id)).filter(({ name, details }) =>
    names === null ? isDescribed(details) : names.includes(name),
  );
  const known = new Map((await read(store, kind, target.id)).map((one) => [one.title, one]));
  const plan: Omit<DefinitionPromotionPlan, 'confirm'> = { diff: [], missing: [], changes: [] };
  for (const { title, details } of from) {
    const there = known.get(title);
    if (!there) plan.missing.push(title);
    if (!there) continue;
    const diff = diffJson(there.details, details);
    plan.diff.push(...diff.map(({ path, ...values }) => ({ path: `${title}: ${path}`, ...values })));
    if (diff.length > 0) plan.changes.push({ id: there.id, after: details });
  }
  const shown = [kind, source.id, target.id, plan.diff, plan.changes];
  return { ...plan, confirm: digest(stringifyExact(shown as unknown as Json)).slice(0, 32) };
}

const isDescribed = ({ description, tags, verified, property_type }: JsonObject): boolean =>
  description !== '' || (tags as string[]).length > 0 || verified === true || (property_type ?? null) !== null;

async function read(store: MetadataStore, kind: DefinitionKind, projectId: number): Promise<Described[]> {
  if (kind === 'event') return (await store.definitions.listEvents(projectId)).map(describeEvent);
  const groupTypes = await store.subjects.listGroupTypes(projectId);
  const kinds = [
    { of: 'event', query: { kind: 'event' as const, groupTypeIndex: -1 } },
    { of: 'person', query: { kind: 'person' as const, groupTypeIndex: -1 } },
    ...[...groupTypes].map(([groupTypeIndex, of]) => ({ of, query: { kind: 'group' as const, groupTypeIndex } })),
  ];
  const found: Described[] = [];
  for (const { of, query } of kinds) {
    const properties = await store.definitions.listProperties(projectId, query);
    found.push(...properties.map((property) => describeProperty(property, of)));
  }
  return found;
}

const detailsOf = ({ description, tags, verifiedAt }: DefinitionDetails): JsonObject => ({
  description,
  tags: [...tags].sort(),
  verified: verifiedAt !== null,
});

const describeEvent = (definition: EventDefinition): Described => ({
  id: definition.id,
  name: definition.name,
  title: `event "${definition.name}"`,
  details: detailsOf(definition),
});

/** A type that events determine is not carried over: the events there determine theirs. */
const describeProperty = (definition: PropertyDefinition, of: string): Described => ({
  id: definition.id,
  name: definition.name,
  title: `${of} property "${definition.name}"`,
  details: {
    ...detailsOf(definition),
    ...(definition.isTypeChosen ? { property_type: definition.propertyType } : {}),
  },
});

export async function promoteDefinitions(
  deps: DefinitionDeps,
  caller: Caller,
  promotion: DefinitionPromotion,
  confirm: string,
): Promise<DefinitionPromotionPlan> {
  return deps.metadata.transaction(async (store) => {
    const plan = await planDefinitionPromotion(store, caller, promotion);
    if (plan.confirm !== confirm) throw changedSincePlan();
    const joined = { ...deps, metadata: withinTransaction(store) };
    for (const { id, after } of plan.changes) {
      await changeDefinition(joined, caller, promotion, id, after);
    }
    return plan;
  });
}

async function changeDefinition(
  deps: DefinitionDeps,
  caller: Caller,
  { kind, target }: DefinitionPromotion,
  id: string,
  after: JsonObject,
): Promise<void> {
  const { property_type: propertyType, ...details } = after as JsonObject & PropertyDefinitionChanges;
  const changes = details as PropertyDefinitionChanges;
  if (kind === 'event') await updateEventDefinition(deps, caller, target, id, changes);
  else {
    const type = propertyType === undefined ? {} : { propertyType: propertyType as PropertyDefinition['propertyType'] };
    await updatePropertyDefinition(deps, caller, target, id, { ...changes, ...type });
  }
}
