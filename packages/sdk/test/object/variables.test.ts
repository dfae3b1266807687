/** Global variables of every kind: what JavaScript reads is what C wrote, and the other way round. */
import { describe, expect, test } from 'vitest';
import { type BpfValue, runXdp } from 'xdptest';
import { thrownBy } from '../support/errors.ts';
import { load } from '../support/objects.ts';

const packet = new Uint8Array(64);

test('initial values are those of the C source', () => {
  const { variables } = load('variables');
  expect({ ...variables }).toMatchObject({
    read_only: 7,
    custom_constant: 11,
    custom: 12,
    u8: 255,
    s8: -1,
    u16: 65535,
    s16: -2,
    s32: -3,
    u64: 0xffff_ffff_ffff_ffffn,
    s64: -4n,
    truth: true,
    mode: 'MODE_ON',
    wide: 'WIDE_TOP',
    text: 'seven..',
    raw: new Uint8Array([1, 2, 3, 4]),
    list: [10, 20, 30],
    grid: [
      [1, 2, 3],
      [4, 5, 6],
    ],
    port: 443,
    big: 0x0100_0000_0000_0000n,
    flags: { low: 5, middle: 4097, signed_part: -7, yes: true, mode: 'MODE_ON', far: 0xab_cdef_1234n },
    zero: 0,
    hidden: 0,
    pointer: 0n,
  });
});

test('a program computes with what was set before the load, constants too', () => {
  const object = load('variables', {
    variables: { read_only: 1, custom_constant: 2, custom: 3, zero: 4, s16: -5, list: [0, 6, 0] },
  });
  expect(runXdp(object.program('add_up'), packet).verdict).toBe(1 + 2 + 3 + 4 - 5 + 6 + 6);
});

test('a program computes with what is written after the load', () => {
  const object = load('variables');
  Object.assign(object.variables, { custom: 100, zero: 200, s16: -50 });
  expect(runXdp(object.program('add_up'), packet).verdict).toBe(7 + 11 + 100 + 200 - 50 + 20 + 6);
});

test('what a program writes is read, a static variable too', () => {
  const object = load('variables');
  runXdp(object.program('add_up'), packet);
  runXdp(object.program('add_up'), packet);
  expect(object.variables.hidden).toBe(2);
});

describe.each(['before', 'after'])('structs, bitfields and addresses written %s the load', (when) => {
  test('lie where C expects them', () => {
    const values = {
      flags: { low: 2, middle: 8191, signed_part: -32, yes: false, mode: 'MODE_OFF', far: 0x12_3456_7890n },
      backend: {
        address: '10.0.0.1',
        port: 443,
        mac: '02:00:00:00:00:42',
        address6: '2001:db8::1',
        weight_high: 2,
        point: [
          { x: 1, y: 2n },
          { x: -1, y: -9n },
        ],
      },
      port: 80,
      truth: false,
      u64: 0x8000_0000_0000_0001n,
    };
    const object = load('variables', when === 'before' ? { variables: values } : {});
    if (when === 'after') Object.assign(object.variables, values);
    expect(runXdp(object.program('check_fields'), packet).verdict).toBe(100);
  });
});

test('one write leaves the bytes of its neighbours alone', () => {
  const object = load('variables');
  const before = { ...object.variables };
  object.variables.u16 = 1;
  expect({ ...object.variables }).toEqual({ ...before, u16: 1 });
});

test('every value can be written back as it was read', () => {
  const object = load('variables');
  const { read_only: _r, fixed: _f, custom_constant: _c, ...values } = { ...object.variables };
  Object.assign(object.variables, values);
  const { read_only: _r2, fixed: _f2, custom_constant: _c2, ...again } = { ...object.variables };
  expect(again).toEqual(values);
});

test('several members of a union are taken when they agree, as those of a value that was read do', () => {
  const object = load('variables');
  object.variables.backend = { weight: 0x2_0001, weight_low: 1, weight_high: 2 };
  expect(object.variables.backend).toMatchObject({ weight: 0x2_0001, weight_low: 1, weight_high: 2 });
});

test('an enumerator with the top bit set may be written as its number', () => {
  const object = load('variables', { variables: { wide: 1 } });
  expect(object.variables.wide).toBe('WIDE_ONE');
  object.variables.wide = 0xffff_ffff;
  expect(object.variables.wide).toBe('WIDE_TOP');
});

test('raw bytes are taken in place of any value, if their number is right', () => {
  const object = load('variables');
  object.variables.u64 = new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0]) as BpfValue;
  expect(object.variables.u64).toBe(1n);
  const error = thrownBy(() => {
    object.variables.u64 = new Uint8Array(7) as BpfValue;
  });
  expect(error.code).toBe('XDP_SIZE_MISMATCH');
  expect(error.message).toContain('expected 8 bytes, got 7');
});

describe('a constant', () => {
  test('cannot be written once it is loaded: the error says where to give it', () => {
    const { variables } = load('variables');
    for (const name of ['read_only', 'custom_constant'] as const) {
      const error = thrownBy(() => {
        variables[name] = 1;
      });
      expect(error.code).toBe('XDP_READ_ONLY');
      expect(error.message).toContain(`variables: { ${name}: ... }`);
    }
  });
});

test('the variables of a closed object name the object', () => {
  const object = load('variables');
  object.close();
  const error = thrownBy(() => object.variables.zero);
  expect(error.code).toBe('XDP_CLOSED');
  expect(error.message).toContain('variables.bpf.o');
});

test('a variable that is not there is no property, and cannot become one', () => {
  const { variables } = load('variables');
  expect('nothing' in variables).toBe(false);
  expect(() => {
    variables.nothing = 1;
  }).toThrow(TypeError);
  expect('toString' in variables).toBe(false);
});

test.each<[string, BpfValue | null, string]>([
  ['u8', 256, 'XDP_VALUE_INVALID'],
  ['u8', -1, 'XDP_VALUE_INVALID'],
  ['s8', -129, 'XDP_VALUE_INVALID'],
  ['u16', 1.5, 'XDP_VALUE_INVALID'],
  ['s32', Number.NaN, 'XDP_VALUE_INVALID'],
  ['u64', 2n ** 64n, 'XDP_VALUE_INVALID'],
  ['u64', 2 ** 60, 'XDP_VALUE_INVALID'],
  ['s64', -(2n ** 63n) - 1n, 'XDP_VALUE_INVALID'],
  ['u64', '1', 'XDP_VALUE_INVALID'],
  ['truth', 1, 'XDP_VALUE_INVALID'],
  ['mode', 'MODE_MAYBE', 'XDP_VALUE_INVALID'],
  ['text', 'nine bytes', 'XDP_VALUE_INVALID'],
  ['text', 'ääääü', 'XDP_VALUE_INVALID'],
  ['raw', [1, 2, 3, 256], 'XDP_VALUE_INVALID'],
  ['raw', [1, 2, 3], 'XDP_SIZE_MISMATCH'],
  ['list', [1, 2], 'XDP_VALUE_INVALID'],
  ['list', { 0: 1 }, 'XDP_VALUE_INVALID'],
  ['grid', [[1, 2, 3]], 'XDP_VALUE_INVALID'],
  ['flags', { low: 8 }, 'XDP_VALUE_INVALID'],
  ['flags', { signed_part: 32 }, 'XDP_VALUE_INVALID'],
  ['flags', { lower: 1 }, 'XDP_VALUE_INVALID'],
  ['flags', [], 'XDP_VALUE_INVALID'],
  ['flags', null, 'XDP_VALUE_INVALID'],
  ['backend', { address: '10.0.0.256' }, 'XDP_VALUE_INVALID'],
  ['backend', { mac: '02:00' }, 'XDP_VALUE_INVALID'],
  ['backend', { address6: '2001:db8' }, 'XDP_VALUE_INVALID'],
  ['backend', { weight: 1, weight_low: 2 }, 'XDP_VALUE_INVALID'],
  ['backend', { point: [{ x: 1 }] }, 'XDP_VALUE_INVALID'],
  ['port', '80', 'XDP_VALUE_INVALID'],
])('%s = %o is refused before and after the load, naming the variable', (name, value, code) => {
  const object = load('variables');
  const before = JSON.stringify(object.variables[name], (_, v) => (typeof v === 'bigint' ? `${v}` : v));
  for (const error of [
    thrownBy(() => {
      object.variables[name] = value as BpfValue;
    }),
    thrownBy(() => load('variables', { variables: { [name]: value } })),
  ]) {
    expect(error.code).toBe(code);
    expect(error.message).toContain(`variable ${name}`);
  }
  expect(JSON.stringify(object.variables[name], (_, v) => (typeof v === 'bigint' ? `${v}` : v))).toBe(before);
});
