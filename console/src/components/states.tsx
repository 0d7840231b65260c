/** What stands in place of content, and around it: loading, empty, failed, on the way; tones for good and bad. */
import { messageOf } from '../api/api-error.ts';
import './states.css';
import type { ComponentChildren, JSX } from 'preact';
import type { Resource } from '../lib/use-resource.ts';
import { Button } from './button.tsx';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

/** Nothing here yet: says what would be here and how it comes about. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children && <div class="words">{children}</div>}
      {action}
    </div>
  );
}
export interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** What went wrong, in the server's words, and a way to try again. */
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
      <b class="unseen">Loading…</b>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

export interface LoadedProps<T> {
  resource: Resource<T>;
  /** Shown the first time; a reading again leaves what is there. */
  skeleton?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}

/** The three states of something that is read from the server, in one place. */
export function Loaded<T>({ resource, skeleton, children }: LoadedProps<T>): JSX.Element {
  const { data, error, loading, reload } = resource;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {data !== undefined && children(data)}
      {data === undefined && loading && (skeleton ?? <Skeleton />)}
    </>
  );
}

/** Something that everybody should know, above the content. */
export function Banner({ tone = 'neutral', children, action }: BannerProps) {
  return (
    <div class={`banner tone-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <div>{children}</div>
      {action}
    </div>
  );
}
export interface BannerProps {
  tone?: Tone;
  children: ComponentChildren;
  action?: ComponentChildren;
}

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}

/** Long work. Without `value` it is under way, nobody knows how far. */
export function Progress({ label, value, max = 1 }: { label: ComponentChildren; value?: number; max?: number }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: a progress bar is what it labels
    <label class="progress">
      <span>{label}</span>
      {value === undefined ? <progress /> : <progress value={value} max={max} />}
    </label>
  );
}
