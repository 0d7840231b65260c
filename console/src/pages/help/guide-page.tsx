import { useEffect } from 'preact/hooks';
import { Link } from '../../components/link.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import type { PageProps } from '../../lib/route-table.ts';
import { useResource } from '../../lib/use-resource.ts';
import { findGuide, type Guide } from './guides.ts';
import { HelpFrame } from './help-frame.tsx';
import { guideTarget, headingId } from './targets.ts';

const FIRST_GUIDE = 'getting-started';

export function Page({ params }: PageProps) {
  const guide = findGuide(params['guide'] ?? FIRST_GUIDE);
  return <HelpFrame>{guide ? <GuideText key={guide.slug} guide={guide} /> : <UnknownGuide />}</HelpFrame>;
}

function GuideText({ guide }: { guide: Guide }) {
  const text = useResource(guide.load, [guide]);
  useEffect(() => {
    if (text.data) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [text.data]);
  return (
    <PageFrame title={guide.title}>
      <Loaded resource={text}>
        {({ tokens }) => <Markdown tokens={tokens} targetOf={guideTarget} idOf={headingId} />}
      </Loaded>
    </PageFrame>
  );
}

const UnknownGuide = () => (
  <Empty title="Guide not found" action={<Link to="/help">Read the first guide</Link>}>
    Choose another one from the contents.
  </Empty>
);
