/** Where files go: PostHog's `{type: "S3", config}`, and a folder of the server. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { readPrefix } from './export-names.ts';

export const EXPORT_MODELS = ['events', 'persons', 'sessions'] as const;
export type ExportModel = (typeof EXPORT_MODELS)[number];

const FILE_FORMATS = ['JSONLines', 'Parquet'] as const;
type FileFormat = (typeof FILE_FORMATS)[number];

type Compression = 'gzip' | 'zstd';

/** What files are like, wherever they go. */
interface FileSettings {
  prefix: string;
  fileFormat: FileFormat;
  compression: Compression | null;
  maxFileSizeMb: number;
}

interface FolderDestination extends FileSettings {
  type: 'Folder';
}

export interface S3Destination extends FileSettings {
  type: 'S3';
  bucket: string;
  region: string;
  /** Null: Amazon's. */
  endpoint: string | null;
  /** These two are encrypted where they are stored. */
  accessKeyId: string;
  secretAccessKey: string;
  isVirtualStyle: boolean;
}

export type ExportDestination = FolderDestination | S3Destination;

/** Of a server that cannot compress lines so. Parquet is written by the engine, which can. */
export const NO_ZSTD =
  'zstd for JSONLines needs a server on Node 22.15 or later, such as the Docker image. Use gzip, or Parquet.';

/** Instead of a secret; sent back, it stands for the one that is stored. */
const HIDDEN = '******';
const SECRET_FIELDS = ['aws_access_key_id', 'aws_secret_access_key'] as const;

const ATTR = 'destination';
const DEFAULT_FILE_SIZE_MB = 64;
const MAX_FILE_SIZE_MB = 1024;
const MAX_SECRET_LENGTH = 1024;
const FILE_FIELDS = ['prefix', 'file_format', 'compression', 'max_file_size_mb'];
const S3_FIELDS = ['bucket_name', 'region', 'endpoint_url', 'use_virtual_style_addressing', ...SECRET_FIELDS];
/** The rules of Amazon, a little wider, as other stores allow upper case and underscores. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/;
const REGION = /^[a-z0-9-]{1,40}$/;

/** Fields that are not given stay as they are. */
export function readDestination(given: Json | undefined, before: ExportDestination | null): ExportDestination {
  if (given === undefined && before !== null) return before;
  if (!isJsonObject(given)) throw invalid(ATTR, 'destination is {"type": "S3" or "Folder", "config": {…}}.');
  const type = given['type'] ?? before?.type;
  if (type !== 'S3' && type !== 'Folder')
    throw invalid(ATTR, 'destination.type is "S3" or "Folder".', type === undefined ? 'required' : 'unsupported');
  const config = given['config'] ?? {};
  if (!isJsonObject(config)) throw invalid(ATTR, 'destination.config is an object.');
  const known = type === 'S3' ? [...FILE_FIELDS, ...S3_FIELDS] : FILE_FIELDS;
  const unknown = Object.keys(config).find((name) => !known.includes(name) && !isUnset(config[name]));
  if (unknown !== undefined)
    throw invalid(ATTR, `destination.config of ${type} has ${known.join(', ')}; not ${unknown}.`, 'unsupported');
  const same = before?.type === type ? before : null;
  return type === 'S3' ? readS3(config, same as S3Destination | null) : { type, ...readFileSettings(config, same) };
}

const isUnset = (value: Json | undefined): boolean =>
  value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);

function readFileSettings(config: JsonObject, before: ExportDestination | null): FileSettings {
  const fileFormat = choose(config, 'file_format', FILE_FORMATS, before?.fileFormat ?? 'JSONLines');
  const compression =
    config['compression'] === undefined
      ? (before?.compression ?? null)
      : config['compression'] === null
        ? null
        : choose(config, 'compression', ['gzip', 'zstd'] as const, 'gzip');
  return {
    prefix: config['prefix'] === undefined ? (before?.prefix ?? '') : readPrefix(ATTR, 'prefix', config['prefix']),
    fileFormat,
    compression,
    maxFileSizeMb: readFileSize(config['max_file_size_mb'], before),
  };
}

function readFileSize(given: Json | undefined, before: ExportDestination | null): number {
  if (given === undefined) return before?.maxFileSizeMb ?? DEFAULT_FILE_SIZE_MB;
  if (given === null) return DEFAULT_FILE_SIZE_MB;
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 1 || given > MAX_FILE_SIZE_MB)
    throw invalid(ATTR, `max_file_size_mb is a whole number from 1 to ${MAX_FILE_SIZE_MB}.`);
  return given;
}

function readS3(config: JsonObject, before: S3Destination | null): S3Destination {
  const text = (name: string, fallback: string | null): string => {
    const value = config[name] ?? fallback;
    if (typeof value !== 'string' || value === '') throw invalid(ATTR, `${name} is required.`, 'required');
    return value;
  };
  const bucket = text('bucket_name', before?.bucket ?? null);
  if (!BUCKET.test(bucket)) throw invalid(ATTR, 'bucket_name is the name of a bucket, such as my-events.');
  const region = text('region', before?.region ?? 'us-east-1');
  if (!REGION.test(region)) throw invalid(ATTR, 'region is the name of a region, such as eu-central-1.');
  const isVirtualStyle = config['use_virtual_style_addressing'] ?? before?.isVirtualStyle ?? false;
  if (typeof isVirtualStyle !== 'boolean') throw invalid(ATTR, 'use_virtual_style_addressing is true or false.');
  return {
    type: 'S3',
    ...readFileSettings(config, before),
    bucket,
    region,
    endpoint: readEndpoint(config['endpoint_url'], before),
    accessKeyId: readSecret('aws_access_key_id', config['aws_access_key_id'], before?.accessKeyId),
    secretAccessKey: readSecret('aws_secret_access_key', config['aws_secret_access_key'], before?.secretAccessKey),
    isVirtualStyle,
  };
}

function readEndpoint(given: Json | undefined, before: S3Destination | null): string | null {
  if (given === undefined) return before?.endpoint ?? null;
  if (given === null || given === '') return null;
  if (typeof given !== 'string' || !URL.canParse(given)) throw invalid(ATTR, 'endpoint_url is an address.');
  const { pathname, search, hash } = new URL(given);
  if (pathname !== '/' || search !== '' || hash !== '')
    throw invalid(ATTR, 'endpoint_url is the address of a server, without a path.');
  return given.replace(/\/+$/, '');
}

/** What is stored is encrypted; what is new is not yet. */
function readSecret(name: string, given: Json | undefined, before: string | undefined): string {
  if ((given === undefined || given === HIDDEN) && before !== undefined) return before;
  if (typeof given !== 'string' || given === '' || given === HIDDEN)
    throw invalid(ATTR, `${name} is required.`, 'required');
  if (given.length > MAX_SECRET_LENGTH || /[^\x21-\x7e]/.test(given))
    throw invalid(ATTR, `${name} has at most ${MAX_SECRET_LENGTH} visible characters.`);
  return given;
}

function choose<T extends string>(config: JsonObject, name: string, allowed: readonly T[], fallback: T): T {
  const given = config[name];
  if (given === undefined || given === null) return fallback;
  const known = allowed.find((one) => one === given);
  if (known === undefined) throw invalid(ATTR, `${name} is one of ${allowed.join(', ')}.`);
  return known;
}

/** As the API shows it. */
export function presentDestination(destination: ExportDestination): JsonObject {
  const { type, prefix, fileFormat, compression, maxFileSizeMb } = destination;
  const files = { prefix, file_format: fileFormat, compression, max_file_size_mb: maxFileSizeMb };
  if (type === 'Folder') return { type, config: files };
  const { bucket, region, endpoint, isVirtualStyle } = destination;
  const secrets = Object.fromEntries(SECRET_FIELDS.map((name) => [name, HIDDEN]));
  const server = { endpoint_url: endpoint, use_virtual_style_addressing: isVirtualStyle };
  return { type, config: { bucket_name: bucket, region, ...server, ...secrets, ...files } };
}

/** Two exports with the same place would overwrite each other's files. */
export const exportPlace = (destination: ExportDestination, model: ExportModel): string =>
  JSON.stringify([
    destination.type,
    ...(destination.type === 'S3' ? [storeServer(destination), destination.bucket] : []),
    destination.prefix.replaceAll('{model}', model),
  ]);

/** The server that credentials are for. */
export const storeServer = ({ endpoint, region }: S3Destination): string => endpoint ?? `amazon ${region}`;
