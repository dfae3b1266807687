/**
 * The system's own apt on private directories: its sources, keys, proxies and signature checks, but none of its state.
 * Needs no root.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { requireTool, runTool } from './tools.ts';

/** One version of a package in one suite. */
export interface Available {
  readonly package: string;
  readonly version: string;
  readonly suite: string;
}

/** Debian's releases that have kernels to offer, oldest first. */
export const debianReleases = ['bullseye', 'bookworm', 'trixie', 'sid'] as const;

const suites = [
  'bullseye',
  'bullseye-security',
  'bookworm',
  'bookworm-security',
  'bookworm-backports',
  'trixie',
  'trixie-security',
  'trixie-backports',
  'sid',
] as const;

const fallback: Mirror = {
  main: 'http://deb.debian.org/debian',
  security: 'http://deb.debian.org/debian-security',
};

/** Lists are asked for anew after this time. */
const LISTS_MAX_AGE_MS = 24 * 3600_000;
/** ... and even by a refresh not before this one: several kernels are often refreshed in a row. */
const LISTS_MIN_AGE_MS = 5 * 60_000;

interface Mirror {
  readonly main: string;
  readonly security: string;
}

/** The mirrors in the lines that `apt-get indextargets` gives for the system's own sources. */
export function mirrorFromTargets(text: string): Mirror {
  let { main, security } = fallback;
  for (const line of text.split('\n')) {
    const [uri = '', release = '', component = '', origin = ''] = line.split('|');
    // Other archives use Debian's release names too; the signed Release file says whose it is. Before the first
    // `apt-get update` there is none, and apt leaves the variable as it is: then the path must do.
    const known = origin !== '' && !origin.startsWith('$');
    if (component !== 'main' || !/^https?:/.test(uri)) continue;
    if (known ? origin !== 'Debian' : !/\/debian(-security)?\/?$/.test(uri)) continue;
    if (/-security$/.test(release)) security = uri.replace(/\/$/, '');
    else main = uri.replace(/\/$/, '');
  }
  return { main, security };
}

async function systemMirror(): Promise<Mirror> {
  const format = '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)';
  const targets = await runTool(requireTool('apt-get'), [
    'indextargets',
    '--format',
    format,
    'Created-By: Packages',
  ]);
  return mirrorFromTargets(targets.toString());
}

function sourceLines(mirror: Mirror, wanted: readonly string[]): string {
  // Without this file apt trusts the keys in trusted.gpg.d, which is where older systems keep Debian's.
  const keyring = ['gpg', 'pgp']
    .map((type) => `/usr/share/keyrings/debian-archive-keyring.${type}`)
    .find((path) => existsSync(path));
  const options = `[arch=amd64${keyring === undefined ? '' : ` signed-by=${keyring}`}]`;
  return wanted
    .map(
      (suite) =>
        `deb ${options} ${suite.endsWith('-security') ? mirror.security : mirror.main} ${suite} main\n`,
    )
    .join('');
}

/** Makes the private directories and the configuration, and gives the configuration's path. */
function configure(): string {
  const root = cacheDirectory('apt');
  for (const name of ['lists/partial', 'cache/archives/partial', 'state', 'etc']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  const config = join(root, 'apt.conf');
  const settings: Record<string, string> = {
    'Dir::State': join(root, 'state'),
    'Dir::State::Lists': join(root, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(root, 'cache'),
    'Dir::Etc::sourcelist': join(root, 'etc/sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Architecture': 'amd64',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
    // Whatever the system's own files allow: a kernel whose signature cannot be checked is not booted.
    'Acquire::AllowInsecureRepositories': 'false',
    'Acquire::AllowWeakRepositories': 'false',
    'APT::Get::AllowUnauthenticated': 'false',
    // The sandbox user could not write to a cache in somebody's home.
    'APT::Sandbox::User': process.getuid?.() === 0 ? 'root' : '_apt',
  };
  // Read with -c, after the system's own files: lists have to be cleared there. The hooks would touch the system.
  const cleared = [
    'APT::Architectures',
    'APT::Update::Pre-Invoke',
    'APT::Update::Post-Invoke',
    'APT::Update::Post-Invoke-Success',
  ];
  writeFileSync(
    config,
    [
      ...cleared.map((name) => `#clear ${name};`),
      ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
      '',
    ].join('\n'),
  );
  return config;
}

function apt(tool: 'apt-get' | 'apt-cache', args: readonly string[], cwd?: string): Promise<Buffer> {
  return runTool(requireTool(tool), ['-c', join(cacheDirectory('apt'), 'apt.conf'), ...args], {
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

async function suitesWithLists(): Promise<Set<string>> {
  const found = new Set<string>();
  const targets = await apt('apt-get', [
    'indextargets',
    '--format',
    '$(FILENAME)|$(RELEASE)',
    'Created-By: Packages',
  ]);
  for (const line of targets.toString().split('\n')) {
    const [file = '', release = ''] = line.split('|');
    if (existsSync(file) || existsSync(`${file}.lz4`) || existsSync(`${file}.gz`)) found.add(release);
  }
  return found;
}

/**
 * Brings the package lists up to date, unless they are fresh. Gives the complaints of apt: a mirror may lack a suite,
 * and the others are of use all the same.
 */
export async function updateLists(force: boolean): Promise<string> {
  configure();
  const stamp = join(cacheDirectory('apt'), 'updated');
  const maxAgeMs = force ? LISTS_MIN_AGE_MS : LISTS_MAX_AGE_MS;
  if (existsSync(stamp) && Date.now() - statSync(stamp).mtimeMs < maxAgeMs)
    return readFileSync(stamp, 'utf8');
  const list = join(cacheDirectory('apt'), 'etc/sources.list');
  const mirror = await systemMirror();
  let complaints = '';
  const update = async (text: string): Promise<void> => {
    writeFileSync(list, text);
    await apt('apt-get', ['update', '-q']).catch((error: Error) => {
      complaints = error.message;
    });
  };
  await update(sourceLines(mirror, suites));
  const have = await suitesWithLists();
  const missing = suites.filter((suite) => !have.has(suite));
  if (missing.length > 0 && mirror.main !== fallback.main) {
    const present = suites.filter((suite) => have.has(suite));
    await update(sourceLines(mirror, present) + sourceLines(fallback, missing));
  }
  if ((await suitesWithLists()).size > 0) writeFileSync(stamp, complaints);
  return complaints;
}

/** All versions of the packages whose name matches `pattern`. */
export async function availablePackages(pattern: string): Promise<Available[]> {
  const names = (await apt('apt-cache', ['search', '--names-only', pattern]))
    .toString()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.split(' ')[0] ?? '']));
  if (names.length === 0) return [];
  return parseMadison((await apt('apt-cache', ['madison', ...names])).toString());
}

/** Reads lines like `name | version | http://mirror/debian suite/main amd64 Packages`. */
export function parseMadison(text: string): Available[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', version = '', where = ''] = line.split('|').map((part) => part.trim());
    const suite = where.split(' ')[1]?.split('/')[0];
    if (name === '' || suite === undefined || !where.endsWith('Packages')) return [];
    return [{ package: name, version, suite }];
  });
}

/** Fetches packages into `directory`; apt checks them against the signed lists. */
export async function downloadPackages(wanted: readonly Available[], directory: string): Promise<void> {
  await apt('apt-get', ['download', '-q', ...wanted.map((p) => `${p.package}=${p.version}`)], directory);
}
