import type { Project } from '../../api/projects.ts';

export interface SettingsProps {
  project: Project;
  onSaved(): void;
}
