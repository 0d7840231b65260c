import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { render } from 'preact';
import { registerRoutes } from './lib/route-table.ts';
import { applyTheme, readTheme } from './lib/theme.ts';
import { ROUTES } from './routes.ts';
import { App } from './shell/app.tsx';

applyTheme(readTheme());
registerRoutes(ROUTES);
const root = document.getElementById('app');
if (root) render(<App />, root);
