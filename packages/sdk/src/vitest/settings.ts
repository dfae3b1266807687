/** What the plugin tells the workers: given by `provide`, taken by `inject`. Plain data. */
import type {} from 'vitest';

/** Settings of a run. */
export interface XdpSettings {
  /** What becomes of XDP tests where the process may not load programs. */
  readonly onUnprivileged: 'fail' | 'skip';
  /** Whether the logs of tests that pass are shown too. */
  readonly verbose: boolean;
  /** The absolute directory for captures of failing packets; undefined for none. */
  readonly captures: string | undefined;
}

/** The settings where the plugin is not in use. */
export const defaultSettings: XdpSettings = { onUnprivileged: 'fail', verbose: false, captures: undefined };

export const settingsKey = 'xdptest';

declare module 'vitest' {
  interface ProvidedContext {
    xdptest: XdpSettings;
  }
}
