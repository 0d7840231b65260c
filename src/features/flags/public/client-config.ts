/**
 * What SDKs get in addition to flags: the encodings that the server reads and the features that are on. SDKs of different ages
 * look for different names, so all are sent. Features that load further scripts are off. `surveys` is absent, because
 * recent browser SDKs fetch its script even when it is false.
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

/** The part of `/decide/` that is the same for all callers. */
const DECIDE_CONFIG = {
  // Without it, old browser SDKs never capture a click.
  config: { enable_collect_everything: true },
  toolbarParams: {},
  // The older name of toolbarParams.
  editorParams: {},
  ...FEATURES,
};

export interface RemoteConfig {
  token: string;
  /** False stops browser SDKs from requesting flags. */
  hasFeatureFlags: boolean;
}

/** The JSON of an object without the braces, to be joined with other members. */
const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1);

export const DECIDE_MEMBERS = membersOf(DECIDE_CONFIG);
const FEATURE_MEMBERS = membersOf(FEATURES);

export const remoteConfigMembers = ({ token, hasFeatureFlags }: RemoteConfig): string =>
  `"token":${JSON.stringify(token)},"hasFeatureFlags":${hasFeatureFlags},${FEATURE_MEMBERS}`;
