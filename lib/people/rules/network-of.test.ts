import { expect, test } from "vitest";
import { networkOf } from "./network-of";

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff:eeee:dddd:cccc", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0003::1", "2001:db8:1:3::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["192.0.2.7", "192.0.2.7"],
  ["unknown", "unknown"],
  ["", ""],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
