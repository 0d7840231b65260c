import type { ComponentChildren } from 'preact';
import { type Resource, useResource } from '../lib/use-resource.ts';
import { PageFrame } from './page.tsx';
import { Loaded, NotFound } from './states.tsx';

interface ItemPageProps<T> {
  /** What kind of thing it is, for the title until it is there, and where there is none. */
  name: string;
  /** A link to the list of all of them. */
  all: ComponentChildren;
  load(signal: AbortSignal): Promise<T>;
  /** What `load` depends on. */
  inputs: readonly unknown[];
  /** The whole page, with a frame of its own. */
  children: (item: T, resource: Resource<T>) => ComponentChildren;
}

/** The page of one thing: loading, missing, or there. */
export function ItemPage<T>({ name, all, load, inputs, children }: ItemPageProps<T>) {
  const resource = useResource(load, inputs);
  if (resource.data !== undefined) return <>{children(resource.data, resource)}</>;
  return (
    <PageFrame title={name}>
      <Loaded resource={resource} notFound={<NotFound name={name} all={all} />}>
        {() => null}
      </Loaded>
    </PageFrame>
  );
}
