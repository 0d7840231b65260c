import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Empty, Skeleton } from '../components/states.tsx';
import type { Params } from '../lib/paths.ts';
import type { PageProps, Route } from '../lib/route-table.ts';

const loaded = new Map<string, ComponentType<PageProps>>();

/** Loads the code of a page when it is opened. */
export function LazyPage({ route, params }: { route: Route; params: Params }) {
  const [, setRound] = useState(0);
  const [failed, setFailed] = useState<string | null>(null);
  const Page = loaded.get(route.name);
  useEffect(() => {
    if (loaded.has(route.name)) return;
    let isWanted = true;
    route.load().then(
      (module) => {
        loaded.set(route.name, module.Page);
        if (isWanted) setRound((round) => round + 1);
      },
      () => isWanted && setFailed(route.name),
    );
    return () => {
      isWanted = false;
    };
  }, [route]);
  if (Page) return <Page key={route.name} params={params} />;
  if (failed !== route.name) return <Waiting />;
  return (
    <div class="page">
      <Empty
        title="This page could not be loaded"
        action={<Button onClick={() => location.reload()}>Load the console again</Button>}
      >
        The server was upgraded since you opened the console, or does not answer.
      </Empty>
    </div>
  );
}

const Waiting = () => (
  <div class="page">
    <Skeleton />
  </div>
);
