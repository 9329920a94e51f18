import { describe, expect, test } from "vitest";
import { UsageError } from "../../../cli/arguments.ts";
import { acpService, parseAcpArguments } from "../../../cli/acp/acp-arguments.ts";
import { endpointUrl, isLoopback } from "../../../cli/acp/transports/listen-address.ts";

const service = (...argv: string[]): unknown => acpService(parseAcpArguments(argv));

describe("the arguments of autolith acp", () => {
  test.each<[string[], unknown]>([
    [[], { kind: "stdio" }],
    [["--http"], { kind: "http", address: { host: "127.0.0.1", port: 8_737 }, token: undefined }],
    [
      ["--websocket", "9000"],
      { kind: "websocket", address: { host: "127.0.0.1", port: 9_000 }, token: undefined },
    ],
    [
      ["--http", "0.0.0.0:8737", "--token", "secret"],
      { kind: "http", address: { host: "0.0.0.0", port: 8_737 }, token: "secret" },
    ],
    [["--http", "[::1]:8737"], { kind: "http", address: { host: "::1", port: 8_737 }, token: undefined }],
    [
      ["--permissions", "auto", "--http", "localhost:1"],
      { kind: "http", address: { host: "localhost", port: 1 }, token: undefined },
    ],
  ])("%j", (argv, expected) => {
    expect(service(...argv)).toEqual(expected);
  });

  test.each<[string[], string]>([
    [["--token", "t"], "--token is for --http and --websocket"],
    [["9000"], 'Unexpected argument "9000"'],
    [["--http", "--websocket"], "not both"],
    [["--http", "nonsense"], 'not "nonsense"'],
    [["--http", "127.0.0.1:99999"], 'not "127.0.0.1:99999"'],
    [["--http", "::1:80"], 'not "::1:80"'],
    [["--http", "1", "2"], 'Unexpected argument "2"'],
    [["--http", "0", "--token", ""], "may not be empty"],
  ])("%j is refused", (argv, message) => {
    expect(() => service(...argv)).toThrow(UsageError);
    expect(() => service(...argv)).toThrow(message);
  });

  test.each([
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["localhost", true],
    ["0.0.0.0", false],
    ["::", false],
    ["example.org", false],
  ])("%s is loopback: %s", (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  test("the URL of an IPv6 address has brackets", () => {
    expect(endpointUrl("ws", { host: "::1", port: 8_737 })).toBe("ws://[::1]:8737/acp");
  });
});
