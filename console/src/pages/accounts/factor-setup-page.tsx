/** Instead of all other pages, while the organization requires a second factor that the user lacks. */
import { signOut } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { StandalonePage } from '../../shell/standalone-page.tsx';
import { SecondFactors } from './second-factors.tsx';

export const Page = () => (
  <StandalonePage title="Set up two-factor authentication">
    <p>Your organization requires a second factor. Set one up to continue.</p>
    <SecondFactors onEnabled={() => location.assign('/')} />
    <Button kind="quiet" onClick={() => void signOut().then((to) => location.assign(to))}>
      Sign out
    </Button>
  </StandalonePage>
);
