/**
 * What SDKs are told beside flags: which encodings the server reads and which features are on. SDKs of each age look for
 * other names, so all are sent. Features that load further scripts are off; `surveys` is left out altogether, because
 * recent browsers SDKs fetch a script for it even when it says false.
 */
const EVENTS_PATH = '/i/v0/e/';

const FEATURES = {
  supportedCompression: ['gzip', 'gzip-js', 'lz64'],
  sessionRecording: false,
  autocapture_opt_out: false,
  autocaptureExceptions: false,
  capturePerformance: false,
  captureDeadClicks: false,
  heatmaps: false,
  defaultIdentifiedOnly: true,
  analytics: { endpoint: EVENTS_PATH },
  siteApps: [],
  isAuthenticated: false,
};

/** The part of `/decide/` that is the same for everybody. */
const DECIDE_CONFIG = {
  // Without it, old browser SDKs never capture a click.
  config: { enable_collect_everything: true },
  toolbarParams: {},
  // The older name of the same.
  editorParams: {},
  ...FEATURES,
};

export interface RemoteConfig {
  token: string;
  /** False stops browser SDKs from asking for flags at all. */
  hasFeatureFlags: boolean;
}

export const remoteConfig = ({ token, hasFeatureFlags }: RemoteConfig) => ({ token, hasFeatureFlags, ...FEATURES });

/** An object's members as text, without the braces: to be put among others. */
const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1);

export const DECIDE_MEMBERS = membersOf(DECIDE_CONFIG);
const FEATURE_MEMBERS = membersOf(FEATURES);

export const remoteConfigMembers = ({ token, hasFeatureFlags }: RemoteConfig): string =>
  `"token":${JSON.stringify(token)},"hasFeatureFlags":${hasFeatureFlags},${FEATURE_MEMBERS}`;
