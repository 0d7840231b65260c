import './states.css';
import type { ComponentChildren, JSX } from 'preact';
import { ApiError, messageOf } from '../api/api-error.ts';
import type { Resource } from '../lib/use-resource.ts';
import { Button } from './button.tsx';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

/** Says what is missing and what to do next. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children && <div class="text">{children}</div>}
      {action}
    </div>
  );
}
interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** In place of a page's content if what its URL names does not exist. `all` links to the list. */
export const NotFound = ({ name, all }: { name: string; all?: ComponentChildren }) => (
  <Empty title={`${name} not found`} action={all}>
    It may have been deleted, or belong to another project.
  </Empty>
);

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="error-note" role="alert">
      <span>{messageOf(error)}</span>
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Skeleton({ lines = 5 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <b class="visually-hidden">Loading…</b>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

interface LoadedProps<T> {
  resource: Resource<T>;
  /** Shown on the first load; a reload keeps the content. */
  skeleton?: ComponentChildren;
  /** Shown instead of the error if the server knows no such thing: a `NotFound`. */
  notFound?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}

/** The loading, error and loaded states of a resource. */
export function Loaded<T>({ resource, skeleton, notFound, children }: LoadedProps<T>): JSX.Element {
  const { data, error, loading, reload } = resource;
  if (notFound && error instanceof ApiError && error.status === 404) return <>{notFound}</>;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && loading && (skeleton ?? <Skeleton />)}
    </>
  );
}

export function Banner({ tone = 'neutral', children, action }: BannerProps) {
  return (
    <div class={`banner tone-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <div>{children}</div>
      {action}
    </div>
  );
}
interface BannerProps {
  tone?: Tone;
  children: ComponentChildren;
  action?: ComponentChildren;
}

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}

/** Without `value` the progress is indeterminate. */
export function Progress({ label, value, max = 1 }: { label: ComponentChildren; value?: number; max?: number }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: a progress bar is what it labels
    <label class="progress">
      <span>{label}</span>
      {value === undefined ? <progress /> : <progress value={value} max={max} />}
    </label>
  );
}
