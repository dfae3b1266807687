/** Pins: none by default, whatever the object asks for; and where they are asked for, only there. */
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../support/child.ts';
import { thrownBy } from '../support/errors.ts';
import { load } from '../support/objects.ts';

/** A process with a bpf file system of its own, which vanishes with it. */
const privateMounts = ['unshare', '--mount', '--propagation=private'];
const mount = `
const { execFileSync } = await import('node:child_process');
const { mkdtempSync, readdirSync, existsSync } = await import('node:fs');
const root = mkdtempSync('/tmp/xdptest-bpffs-');
execFileSync('mount', ['-t', 'bpf', 'bpf', root]);
process.on('exit', () => { execFileSync('umount', [root]); execFileSync('rmdir', [root]); });
const pins = () => readdirSync(root).filter((name) => !name.endsWith('.debug'));
`;

test('nothing is pinned by default, although the map is declared LIBBPF_PIN_BY_NAME', async () => {
  const answer = await jsonOf<{ pins: string[]; atDefault: boolean; second: number }>(
    `${mount}
     execFileSync('mount', ['--bind', root, '/sys/fs/bpf']);
     const first = load('pinned');
     runXdp(first.program('bump'), new Uint8Array(64));
     const second = load('pinned');
     const answer = {
       pins: pins(), atDefault: existsSync('/sys/fs/bpf/shared_state'),
       second: runXdp(second.program('bump'), new Uint8Array(64)).verdict,
     };
     execFileSync('umount', ['/sys/fs/bpf']);
     console.log(JSON.stringify(answer));`,
    { wrap: privateMounts },
  );
  // The second object's map is its own: it counts from 0.
  expect(answer).toEqual({ pins: [], atDefault: false, second: 0 });
});

test('a map declared so is pinned where pinRoot says, and shared with the next load there', async () => {
  const answer = await jsonOf<{ pins: string[]; verdicts: number[]; after: string[] }>(
    `${mount}
     const verdicts = [];
     for (let i = 0; i < 2; i++) {
       const object = load('pinned', { pinRoot: root });
       verdicts.push(runXdp(object.program('bump'), new Uint8Array(64)).verdict);
       object.close();
     }
     console.log(JSON.stringify({ pins: pins(), verdicts, after: pins() }));`,
    { wrap: privateMounts },
  );
  expect(answer).toEqual({ pins: ['shared_state'], verdicts: [0, 1], after: ['shared_state'] });
});

test('pin() pins one map at a path', async () => {
  const answer = await jsonOf<{ pins: string[]; again: string }>(
    `${mount}
     const object = load('pinned');
     object.map('shared_state').pin(root + '/here');
     let again = 'pinned';
     try { object.map('shared_state').pin(root + '/here'); } catch ({ code, message }) { again = code + ' ' + message; }
     console.log(JSON.stringify({ pins: pins(), again }));`,
    { wrap: privateMounts },
  );
  expect(answer.pins).toEqual(['here']);
  expect(answer.again).toMatch(/^XDP_SYSCALL_FAILED .*shared_state.*EEXIST/);
});

describe('pin()', () => {
  test.each([[''], [undefined], [5], ['/x\0y'], ['x'.repeat(5000)]])(
    'refuses %j before any system call',
    (path) => {
      const error = thrownBy(() =>
        load('pinned')
          .map('shared_state')
          .pin(path as string),
      );
      expect(error.code).toBe('XDP_INVALID_ARGUMENT');
    },
  );

  test('says where it failed outside of a bpf file system', () => {
    const error = thrownBy(() => load('pinned').map('shared_state').pin('/tmp/xdptest-no-bpffs'));
    expect(error.syscall).toBe('BPF_OBJ_PIN');
    expect(error.message).toContain('/tmp/xdptest-no-bpffs');
  });
});
