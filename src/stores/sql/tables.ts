/** The tables for Kysely: camelCase here, snake_case in the database. See `dialect.ts` for the types. */
import type { Generated, Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';

/** How a boolean is stored. */
export type Flag = 0 | 1;

/** The processor writes the first four; users set the rest. */
interface DefinitionColumns {
  id: string;
  projectId: number;
  name: string;
  createdAt: number;
  description: Generated<string>;
  tags: Generated<string>;
  verifiedAt: Generated<number | null>;
  verifiedBy: Generated<number | null>;
  updatedAt: Generated<number | null>;
  updatedBy: Generated<number | null>;
}

export interface Tables {
  organizations: {
    id: string;
    name: string;
    slug: string;
    requiresFactor: Flag;
    allowsSharing: Flag;
    createdAt: number;
    updatedAt: number;
  };
  users: {
    id: Generated<number>;
    uuid: string;
    distinctId: string;
    email: string;
    firstName: string;
    passwordHash: string | null;
    isActive: Flag;
    currentOrganizationId: string | null;
    currentProjectId: number | null;
    joinedAt: number;
    lastSignedInAt: number | null;
    isBreakGlass: Flag;
  };
  memberships: {
    id: string;
    organizationId: string;
    userId: number;
    level: number;
    ownLevel: number | null;
    joinedAt: number;
    updatedAt: number;
  };
  invites: {
    id: string;
    organizationId: string;
    email: string;
    firstName: string;
    level: number;
    tokenHash: string;
    createdBy: number | null;
    createdAt: number;
    expiresAt: number;
    message: string | null;
    emailingAttemptMade: Flag;
  };
  personalApiKeys: {
    id: string;
    userId: number;
    label: string;
    hash: string;
    createdAt: number;
    lastUsedAt: number | null;
    lastUsedFrom: string | null;
    rolledAt: number | null;
    expiresAt: number | null;
    mask: string | null;
    /** JSON lists. */
    scopes: string;
    projectIds: string;
    organizationIds: string;
  };
  personalKeyNetworks: { keyId: string; network: string; firstUsedAt: number };
  sessions: {
    hash: string;
    id: string;
    userId: number;
    createdAt: number;
    expiresAt: number;
    lastSeenAt: number;
    method: string;
    hasFactor: Flag;
    address: string;
    userAgent: string;
    sid: string | null;
    idToken: string | null;
  };
  ssoIdentities: { issuer: string; subject: string; userId: number; createdAt: number };
  organizationDomains: {
    id: string;
    organizationId: string;
    domain: string;
    challenge: string;
    verifiedAt: number | null;
    autoJoin: Flag;
    enforced: Flag;
    createdAt: number;
  };
  passwordResets: { userId: number; tokenHash: string; expiresAt: number };
  totpSecrets: { userId: number; secret: string; lastStep: number; createdAt: number; confirmedAt: number | null };
  passkeys: {
    id: string;
    userId: number;
    label: string;
    publicKey: string;
    counter: number;
    transports: string;
    createdAt: number;
    lastUsedAt: number | null;
  };
  recoveryCodes: { userId: number; hash: string };
  spentTokens: { hash: string; expiresAt: number };
  throttles: { name: string; attempts: string; expiresAt: number };
  projectSecretKeys: {
    id: string;
    projectId: number;
    label: string;
    hash: string;
    mask: string;
    createdAt: number;
    createdBy: number | null;
    rolledAt: number | null;
  };
  projects: {
    id: Generated<number>;
    uuid: string;
    organizationId: string;
    name: string;
    apiToken: string;
    secretHash: string | null;
    timezone: string;
    anonymizeIps: Flag;
    eventsRetentionDays: number | null;
    testAccountFilters: string;
    pathCleaningFilters: string;
    slackIncomingWebhook: string | null;
    ingestedEvent: Flag;
    webAnalytics: string;
    cookielessServerHashMode: number;
    preferences: string;
    createdAt: number;
    updatedAt: number;
  };
  roles: {
    id: string;
    organizationId: string;
    name: string;
    featureFlagsAccessLevel: number;
    createdAt: number;
    createdBy: number | null;
  };
  roleMemberships: {
    id: string;
    roleId: string;
    userId: number;
    joinedAt: number;
    updatedAt: number;
    source: string;
  };
  resourceAccess: {
    id: string;
    organizationId: string;
    resource: string;
    accessLevel: number;
    createdAt: number;
    updatedAt: number;
    createdBy: number | null;
  };
  activity: {
    position: Generated<number>;
    id: string;
    organizationId: string;
    projectId: number | null;
    userId: number | null;
    activity: string;
    scope: string;
    itemId: string;
    detail: string;
    createdAt: number;
  };
  audit: {
    organizationId: string;
    number: number;
    projectId: number | null;
    userId: number | null;
    activity: string;
    scope: string;
    itemId: string;
    /** JSON. */
    detail: string;
    createdAt: number;
    hash: string;
  };
  auditRemoved: { organizationId: string; number: number; hash: string };
  installation: { name: string; value: string };
  persons: {
    id: Generated<number>;
    projectId: number;
    uuid: string;
    createdAt: number;
    properties: string;
    isIdentified: Flag;
    version: number;
    change: number;
    /** Of the properties: see `person-properties.ts`. */
    email: Generated<string | null>;
  };
  personChange: { change: number };
  personBlocks: {
    id: Generated<number>;
    projectId: number;
    persons: number;
    living: number;
    newest: number;
    oldest: number;
    lives: Uint8Array;
    ids: Uint8Array;
    times: Uint8Array;
    uuids: string;
  };
  personColumns: {
    projectId: number;
    name: string;
    blockId: number;
    distinctValues: string;
    owners: Uint8Array | null;
    places: Uint8Array;
  };
  personPlaces: { projectId: number; personId: number; blockId: number; place: number };
  gonePersons: { projectId: number; personId: number };
  goneProjects: { projectId: number; goneAt: number };
  personIndexPositions: { projectId: number; change: number; personId: number };
  personDistinctIds: {
    id: Generated<number>;
    projectId: number;
    distinctId: string;
    personId: number;
    version: number;
  };
  personMerges: {
    id: Generated<number>;
    projectId: number;
    kind: string;
    sourceUuid: string;
    targetUuid: string;
    source: string;
    target: string;
    movedIds: string;
    eventUuid: string;
    happenedAt: number;
    sourceId: number | null;
    belongings: Generated<string>;
    undoneAt: number | null;
  };
  personRefilings: {
    id: Generated<number>;
    projectId: number;
    personUuid: string;
    kind: 'move' | 'remove';
    ids: string;
    deletionId: string | null;
  };
  personDeletions: {
    id: string;
    projectId: number;
    personUuid: string;
    requestedBy: number | null;
    requestedAt: number;
    removed: string;
    exportedIn: string | null;
    eventsRemoved: number | null;
    scan: string | null;
    completedAt: number | null;
  };
  retiredPersonUuids: { uuid: string; projectId: number; change: number };
  personPropertyHistory: {
    id: Generated<number>;
    projectId: number;
    personUuid: string;
    name: string;
    beforeValue: string | null;
    afterValue: string | null;
    eventUuid: string;
    happenedAt: number;
  };
  groupTypes: {
    projectId: number;
    typeIndex: number;
    name: string;
    nameSingular: Generated<string | null>;
    namePlural: Generated<string | null>;
  };
  groups: {
    projectId: number;
    typeIndex: number;
    groupKey: string;
    properties: string;
    createdAt: number;
    version: number;
  };
  eventDefinitions: DefinitionColumns & {
    lastSeenAt: number;
    ownerId: Generated<number | null>;
    postToSlack: Generated<Flag>;
  };
  propertyDefinitions: DefinitionColumns & {
    kind: string;
    groupTypeIndex: number;
    propertyType: string | null;
    isTypeChosen: Generated<Flag>;
  };
  eventProperties: { projectId: number; event: string; property: string };
  seenEvents: {
    projectId: number;
    uuid: string;
    receivedAt: number;
    processedAt: number;
    repeats: Generated<number>;
  };
  seenBlocks: {
    id: Generated<number>;
    projectId: number;
    level: number;
    firstUuid: string;
    lastUuid: string;
    events: number;
    processedFrom: number;
    processedTo: number;
  };
  seenBlockIds: { blockId: number; projectId: number; filter: Uint8Array; ids: Uint8Array };
  eventRepeats: { projectId: number; uuid: string; repeats: number };
  droppedEvents: {
    id: Generated<number>;
    projectId: number;
    uuid: string;
    reason: string;
    receivedAt: number;
    droppedAt: number;
  };
  deadLetters: {
    id: Generated<number>;
    projectId: number;
    eventUuid: string;
    error: string;
    payload: string;
    context: string;
    receivedAt: number;
    failedAt: number;
    requestEvents: Generated<number | null>;
  };
  ingestionWarnings: { id: Generated<number>; projectId: number; type: string; details: string; happenedAt: number };
  webhookOutbox: {
    projectId: number;
    event: string;
    count: number;
    personUuid: string;
    happenedAt: number;
    waitingSince: number;
  };
  destinations: {
    id: string;
    projectId: number;
    name: string;
    description: string;
    enabled: Flag;
    filters: string;
    inputs: string;
    masking: string | null;
    executionOrder: number | null;
    secret: string;
    previousSecret: string | null;
    rolledAt: number | null;
    failingSince: number | null;
    failures: number;
    retryAt: number | null;
    lastError: string | null;
    pausedAt: number | null;
    revision: number;
    createdAt: number;
    createdBy: number | null;
    updatedAt: number;
  };
  destinationQueue: {
    id: Generated<number>;
    projectId: number;
    destinationId: string;
    /** 16 bytes for each event, in the order in which they were processed. */
    uuids: Buffer;
    events: number;
    firstTimestamp: number;
    lastTimestamp: number;
    receivedAt: number;
    waitingSince: number;
  };
  batchExports: {
    id: string;
    projectId: number;
    name: string;
    model: string;
    destination: string;
    interval: string;
    filters: string;
    paused: Flag;
    pausedReason: string | null;
    startAt: number | null;
    endAt: number | null;
    /** Events that are processed from now on and were received before this are late. */
    exportedUntil: number;
    personPosition: string | null;
    createdAt: number;
    createdBy: number | null;
    updatedAt: number;
  };
  lateExportEvents: {
    id: Generated<number>;
    projectId: number;
    exportId: string;
    /** The run that has them; null: the next one. */
    runId: string | null;
    /** 16 bytes for each event. */
    uuids: Buffer;
    events: number;
    firstTimestamp: number;
    lastTimestamp: number;
    firstCreated: number;
    lastCreated: number;
  };
  featureFlags: {
    id: Generated<number>;
    projectId: number;
    key: string;
    name: string;
    filters: string;
    active: Flag;
    deleted: Flag;
    ensureExperienceContinuity: Flag;
    rollbackConditions: string;
    performedRollback: Flag | null;
    tags: string;
    evaluationRuntime: string;
    bucketingIdentifier: string;
    isRemoteConfiguration: Flag;
    promotedFrom: string | null;
    activeSince: number;
    version: number;
    createdAt: number;
    createdBy: number | null;
    updatedAt: number;
    lastModifiedBy: number | null;
  };
  featureFlagVersions: { flagId: number; version: number; projectId: number; flag: string };
  featureFlagRoleAccess: {
    id: Generated<number>;
    projectId: number;
    flagId: number;
    roleId: string;
    addedAt: number;
    updatedAt: number;
  };
  flagOverrides: { personId: number; flagKey: string; projectId: number; identifier: string };
  cohorts: {
    id: Generated<number>;
    projectId: number;
    name: string;
    description: string;
    groups: string;
    filters: string;
    isStatic: Flag;
    deleted: Flag;
    isCalculating: Flag;
    lastCalculation: number | null;
    errorsCalculating: number;
    count: number | null;
    version: number;
    createdAt: number;
    createdBy: number | null;
  };
  cohortMembers: { cohortId: number; personId: number; projectId: number };
  actions: {
    id: Generated<number>;
    projectId: number;
    name: string;
    description: string;
    tags: string;
    steps: string;
    deleted: Flag;
    createdAt: number;
    createdBy: number | null;
    updatedAt: number;
  };
  queryUsage: {
    projectId: number;
    kind: string;
    groupTypeIndex: number;
    day: number;
    name: string;
    count: number;
  };
  cookielessVisitors: {
    projectId: number;
    base: string;
    expiresAt: number;
    signIns: number;
    signedInAt: number;
    sessions: string;
  };
  eventCounters: { fate: string; count: number };
  ingestPosition: { log: string; position: number; ahead: Generated<string> };
}

/** Tables whose rows belong to one project, and are deleted with it. */
export type ProjectTable = {
  [T in keyof Tables]: Tables[T] extends { projectId: number | null } ? T : never;
}[keyof Tables];

/** Those of the platform; features name their own in their manifests. */
export const PROJECT_TABLES = [
  'activity',
  'projectSecretKeys',
  'persons',
  'personBlocks',
  'personColumns',
  'personPlaces',
  'gonePersons',
  'personIndexPositions',
  'personDistinctIds',
  'personMerges',
  'personRefilings',
  'personDeletions',
  'retiredPersonUuids',
  'personPropertyHistory',
  'groupTypes',
  'groups',
  'eventDefinitions',
  'propertyDefinitions',
  'eventProperties',
  'seenEvents',
  'seenBlocks',
  'seenBlockIds',
  'eventRepeats',
  'droppedEvents',
  'deadLetters',
  'ingestionWarnings',
  'webhookOutbox',
  'destinationQueue',
  'destinations',
  'lateExportEvents',
  'batchExports',
  'featureFlags',
  'featureFlagVersions',
  'featureFlagRoleAccess',
  'flagOverrides',
  'cohorts',
  'cohortMembers',
  'actions',
  'queryUsage',
  'cookielessVisitors',
] as const satisfies readonly ProjectTable[];

export type Db = Kysely<Tables>;

export interface Sql {
  db: Db;
  dialect: SqlDialect;
}

export const toBit = (value: boolean): Flag => (value ? 1 : 0);
