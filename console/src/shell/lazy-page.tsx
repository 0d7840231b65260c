import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Empty, Skeleton } from '../components/states.tsx';
import type { Params } from '../lib/paths.ts';
import type { PageProps, Route } from '../lib/route-table.ts';

const loaded = new Map<string, ComponentType<PageProps>>();

export function LazyPage({ route, params }: { route: Route; params: Params }) {
  const [, setRound] = useState(0);
  const [failed, setFailed] = useState<string | null>(null);
  const Page = loaded.get(route.name);
  useEffect(() => {
    if (loaded.has(route.name)) return;
    let isCurrent = true;
    route.load().then(
      (module) => {
        loaded.set(route.name, module.Page);
        if (isCurrent) setRound((round) => round + 1);
      },
      () => isCurrent && setFailed(route.name),
    );
    return () => {
      isCurrent = false;
    };
  }, [route]);
  if (Page) return <Page key={route.name} params={params} />;
  if (failed !== route.name) return <Loading />;
  return (
    <div class="page">
      <Empty title="Could not load this page" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        The server may have been upgraded since you opened the console, or it cannot be reached.
      </Empty>
    </div>
  );
}

const Loading = () => (
  <div class="page">
    <Skeleton />
  </div>
);
