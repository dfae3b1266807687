import { describe, expect, test } from 'vitest';
import {
  formatIpv6,
  inPrefix,
  ipv4ToNumber,
  numberToIpv4,
  parseIpv4,
  parseIpv6,
  parseMac,
} from 'xdptest/packet';

describe('IPv4 addresses', () => {
  test('are numbers in network order', () => {
    expect(ipv4ToNumber('10.0.0.1')).toBe(0x0a000001);
    expect(ipv4ToNumber('255.255.255.255')).toBe(0xffffffff);
    expect(numberToIpv4(0xc0000201)).toBe('192.0.2.1');
    expect([...parseIpv4('192.0.2.1')]).toEqual([192, 0, 2, 1]);
  });

  test.for(['10.0.0', '10.0.0.256', '10.0.0.01', ' 10.0.0.1', '10.0.0.1.2', '', '0x0a.0.0.1'])(
    '%j is refused',
    (text) => {
      expect(() => ipv4ToNumber(text)).toThrow(expect.objectContaining({ code: 'XDP_PACKET_INVALID' }));
    },
  );
});

describe('IPv6 addresses', () => {
  // RFC 5952, sections 4.1 to 4.3 and 5, and the addresses of RFC 4291, section 2.2.
  test.for([
    ['2001:0db8::0001', '2001:db8::1'],
    ['2001:db8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:DB8::AAAA', '2001:db8::aaaa'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['::13.1.68.3', '::d01:4403'],
    ['FF01:0:0:0:0:0:0:101', 'ff01::101'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ])('%s is written %s', ([text, canonical]) => {
    expect(formatIpv6(parseIpv6(text!))).toBe(canonical);
  });

  test.for([
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    ':::',
    '12345::',
    '1.2.3.4::',
    'g::',
    '',
  ])('%j is refused', (text) => {
    expect(() => parseIpv6(text)).toThrow(expect.objectContaining({ code: 'XDP_PACKET_INVALID' }));
  });
});

test('MAC addresses are pairs of hex digits', () => {
  expect([...parseMac('02:00:5E-00:53:aF')]).toEqual([2, 0, 0x5e, 0, 0x53, 0xaf]);
  for (const text of ['2:0:0:0:0:1', '02:00:00:00:00', '02:00:00:00:00:0g'])
    expect(() => parseMac(text)).toThrow(/six pairs of hex digits/);
});

test('an address lies in a prefix of its own family', () => {
  expect(inPrefix('10.1.255.7', '10.1.0.0/16')).toBe(true);
  expect(inPrefix('10.2.0.0', '10.1.0.0/16')).toBe(false);
  expect(inPrefix('10.1.2.127', '10.1.2.0/25')).toBe(true);
  expect(inPrefix('10.1.2.128', '10.1.2.0/25')).toBe(false);
  expect(inPrefix('1.2.3.4', '0.0.0.0/0')).toBe(true);
  expect(inPrefix('2001:db8:1::1', '2001:db8::/32')).toBe(true);
  expect(inPrefix('2001:db9::1', '2001:db8::/32')).toBe(false);
  expect(inPrefix('::1', '0.0.0.0/0')).toBe(false);
  expect(() => inPrefix('10.0.0.1', '10.0.0.0/33')).toThrow(/prefix/);
});
