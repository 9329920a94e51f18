import { once } from "node:events";
import { chmod, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { managementConfiguration } from "../../../cli/management/management-configuration.ts";
import { imageForManagement } from "../../../cli/management/managed-image.ts";
import type { ManagedImage } from "../../../cli/management/management-evaluator.ts";
import { keyword } from "../../../lisp/data-forms/index.ts";
import { ImageHost } from "../../../workers/image/image-host.ts";
import {
  dial,
  evaluateForm,
  fieldOf,
  openEndpoint,
  proofFor,
  signIn,
  textOf,
  token,
} from "./management-support.ts";

let host: ImageHost;
let image: ManagedImage;
beforeAll(async () => {
  host = new ImageHost();
  await host.ready;
  image = imageForManagement(host);
});
afterAll(() => host.terminate());

describe("what a source gives", () => {
  it("is not evaluated by the reader, and a report is a string that can be read", async () => {
    const [endpoint, other] = [
      await openEndpoint(image),
      await openEndpoint({
        formCount: () => Promise.resolve({ kind: "one" }),
        evaluate: () => Promise.resolve({ kind: "values", values: [{ preview: 'say "a"', report: true }] }),
      }),
    ];
    const [client, second] = [await dial(endpoint), await dial(other)];
    for (const each of [client, second]) {
      each.send([keyword("authenticate"), keyword("proof"), proofFor(await each.next())]);
      await each.next();
    }
    client.send(evaluateForm("(list #.(+ 1 2))"));
    expect(fieldOf(await client.next(), "status")).toEqual(keyword("condition"));
    client.send(evaluateForm("(+ 1 2)"));
    expect(fieldOf(await client.next(), "values")).toEqual(["3"]);
    second.send(evaluateForm("(help)"));
    expect(fieldOf(await second.next(), "values")).toEqual(['"say \\"a\\""']);
  });
});

describe("authentication", () => {
  it("challenges with a fresh nonce of 32 bytes and lets the right proof in", async () => {
    const endpoint = await openEndpoint(image);
    const [one, other] = [await dial(endpoint), await dial(endpoint)];
    const [first, second] = [await one.next(), await other.next()];
    expect(first).toEqual([
      keyword("challenge"),
      ...[keyword("version"), 1],
      ...[keyword("algorithm"), keyword("hmac-sha-256")],
      ...[keyword("nonce"), expect.stringMatching(/^[0-9a-f]{64}$/)],
    ]);
    expect(fieldOf(first, "nonce")).not.toBe(fieldOf(second, "nonce"));
    one.send([keyword("authenticate"), keyword("proof"), proofFor(first)]);
    expect(await one.next()).toEqual([keyword("authenticated"), keyword("version"), 1]);
  });

  it("ends the connection without a word for another connection's proof, a wrong token, and a request before it", async () => {
    const endpoint = await openEndpoint(image);
    const [one, other] = [await dial(endpoint), await dial(endpoint)];
    const foreign = proofFor(await one.next());
    const mine = await other.next();
    other.send([keyword("authenticate"), keyword("proof"), foreign]);
    expect(await other.next()).toBeUndefined();
    one.send([keyword("authenticate"), keyword("proof"), proofFor(mine, "wrong")]);
    expect(await one.next()).toBeUndefined();
    const hasty = await dial(endpoint);
    await hasty.next();
    hasty.send(evaluateForm("1"));
    expect(await hasty.next()).toBeUndefined();
  });

  it("takes a token file with a newline behind it either way", async () => {
    const endpoint = await openEndpoint(image);
    await writeFile(endpoint.configuration.tokenFile, `${token}\n`);
    for (const secret of [token, `${token}\n`]) {
      const client = await dial(endpoint);
      client.send([keyword("authenticate"), keyword("proof"), proofFor(await client.next(), secret)]);
      expect(fieldOf(await client.next(), "version")).toBe(1);
    }
  });

  it("refuses a token file that others may read, a link to one, and an empty one; the log says which, never the token", async () => {
    const endpoint = await openEndpoint(image);
    const { tokenFile } = endpoint.configuration;
    const attempt = async (): Promise<unknown> => {
      const client = await dial(endpoint);
      client.send([keyword("authenticate"), keyword("proof"), proofFor(await client.next())]);
      return client.next();
    };
    await chmod(tokenFile, 0o640);
    expect(await attempt()).toBeUndefined();
    await rm(tokenFile);
    await writeFile(`${tokenFile}.real`, token, { mode: 0o600 });
    await symlink(`${tokenFile}.real`, tokenFile);
    expect(await attempt()).toBeUndefined();
    await rm(tokenFile);
    await writeFile(tokenFile, "", { mode: 0o600 });
    expect(await attempt()).toBeUndefined();
    expect(endpoint.reports).toEqual([
      expect.stringContaining("its mode is 640"),
      expect.stringContaining("ELOOP"),
      expect.stringContaining("it is empty"),
    ]);
    expect(endpoint.reports.join()).not.toContain(token);
  });

  it("ends a connection that proves nothing in its time", async () => {
    const endpoint = await openEndpoint(image, { authenticationMs: 50 });
    const client = await dial(endpoint);
    await client.next();
    expect(await client.next()).toBeUndefined();
  });
});

describe("evaluation", () => {
  it("answers all values, in package AUTOLITH, with captured output", async () => {
    const client = await signIn(await openEndpoint(image));
    client.send(
      evaluateForm('(progn (format t "hi") (format *error-output* "!") (values (+ 20 22) *package*))'),
    );
    expect(await client.next()).toEqual([
      keyword("evaluation-result"),
      ...[keyword("status"), keyword("ok")],
      ...[keyword("values"), ["42", '#<PACKAGE "AUTOLITH">'], keyword("values-truncated-p"), false],
      ...[keyword("output"), "hi!", keyword("output-truncated-p"), false],
    ]);
    client.send(evaluateForm("(values)"));
    expect(fieldOf(await client.next(), "values")).toBe(false);
  });

  it("answers a condition with type and report, without a debugger, and goes on", async () => {
    const client = await signIn(await openEndpoint(image));
    client.send(evaluateForm('(progn (princ "before") (car 1))'));
    const answer = await client.next();
    expect(fieldOf(answer, "status")).toBe(keyword("condition"));
    expect(fieldOf(answer, "condition-type")).toBe("TYPE-ERROR");
    expect(fieldOf(answer, "report")).toContain("1");
    expect(fieldOf(answer, "output")).toBe("before");
    client.send(evaluateForm("(read-line)"));
    expect(fieldOf(await client.next(), "condition-type")).toBe("END-OF-FILE");
  });

  it("takes exactly one form, and reads no #.", async () => {
    const client = await signIn(await openEndpoint(image));
    for (const source of ["1 2", "", "; nothing", "(1 2", ")"]) {
      client.send(evaluateForm(source));
      const answer = await client.next();
      expect(fieldOf(answer, "condition-type"), source).toBe("MANAGEMENT-REPL-ERROR");
    }
  });

  it("ends a form at its deadline", async () => {
    const client = await signIn(await openEndpoint(image, { evaluationMs: 100 }));
    client.send(evaluateForm("(loop)"));
    expect(fieldOf(await client.next(), "status")).toBe(keyword("timeout"));
    client.send(evaluateForm("(unwind-protect 7)"));
    expect(fieldOf(await client.next(), "values")).toEqual(["7"]);
  });

  it("cuts output and values at their bound and says so", async () => {
    const client = await signIn(await openEndpoint(image, { maxOutputCharacters: 100 }));
    client.send(
      evaluateForm('(progn (dotimes (i 300) (princ "x")) (values (make-string 90) (make-string 90)))'),
    );
    const answer = await client.next();
    expect(fieldOf(answer, "output")).toBe("x".repeat(100));
    expect(fieldOf(answer, "output-truncated-p")).toBe(true);
    expect(fieldOf(answer, "values-truncated-p")).toBe(true);
    expect((fieldOf(answer, "values") as string[]).join("").length).toBe(100);
  });

  it("makes an answer fit its frame", async () => {
    const client = await signIn(await openEndpoint(image, { maxFrameBytes: 400 }));
    client.send(evaluateForm('(make-string 1000 :initial-element #\\")'));
    const answer = await client.next();
    expect(fieldOf(answer, "values-truncated-p")).toBe(true);
    expect(fieldOf(answer, "status")).toBe(keyword("ok"));
  });

  it("runs one form at a time and refuses beyond its queue", async () => {
    const endpoint = await openEndpoint(image, { queueCapacity: 1 });
    const clients = [await signIn(endpoint), await signIn(endpoint), await signIn(endpoint)];
    const [one, two, three] = clients as [(typeof clients)[0], (typeof clients)[0], (typeof clients)[0]];
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<string>();
    host.define([{ name: "GATE", lambdaList: "", documentation: "" }], () => {
      started.resolve();
      return gate.promise;
    });
    one.send(evaluateForm("(gate)"));
    await started.promise;
    two.send(evaluateForm("2"));
    // The third is refused at once, whichever of the two came first.
    three.send(evaluateForm("3"));
    const refused = await Promise.race([two.next(), three.next()]);
    expect(fieldOf(refused, "report")).toContain("1 forms wait already");
    gate.resolve("open");
    expect(fieldOf(await one.next(), "values")).toEqual(['"open"']);
  });

  it("refuses a source beyond its bound", async () => {
    const client = await signIn(await openEndpoint(image, { maxSourceBytes: 10 }));
    client.send(evaluateForm("(+ 1 2 3 4 5)"));
    expect(fieldOf(await client.next(), "report")).toContain("at most 10");
  });
});

describe("frames", () => {
  const broken: readonly (readonly [string, Buffer, string])[] = [
    ["of length zero", Buffer.from([0, 0, 0, 0]), "empty"],
    ["too large", Buffer.from([0x7f, 0, 0, 0]), "at most 1048576"],
    ["not UTF-8", framed(Buffer.from([0x28, 0xff, 0x29])), "no readable form"],
    ["malformed", framed(Buffer.from("(:evaluate")), "no readable form"],
    ["with a form behind it", framed(Buffer.from("(:evaluate) 1")), "no readable form"],
    ["with #.", framed(Buffer.from("(:evaluate :source #.(quit))")), "no readable form"],
    ["of another request", framed(Buffer.from("(:quit)")), ":evaluate"],
  ];
  it.each(broken)("ends the connection at a frame that is %s", async (_name, bytes, problem) => {
    const client = await signIn(await openEndpoint(image));
    client.socket.write(bytes);
    const answer = await client.next();
    expect(textOf(answer, "report")).toContain(problem);
    expect(await client.next()).toBeUndefined();
  });

  it("takes frames in pieces, and several at once", async () => {
    const client = await signIn(await openEndpoint(image));
    const request = framed(Buffer.from('(:evaluate :source "(+ 1 1)")'));
    for (const byte of request) client.socket.write(Buffer.of(byte));
    expect(fieldOf(await client.next(), "values")).toEqual(["2"]);
    client.socket.write(Buffer.concat([request, request]));
    expect(fieldOf(await client.next(), "values")).toEqual(["2"]);
    expect(fieldOf(await client.next(), "values")).toEqual(["2"]);
  });
});

function framed(body: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length, 0);
  return Buffer.concat([header, body]);
}

describe("the socket", () => {
  it("is private, is taken over when it is stale, and only the own one is removed", async () => {
    const { server, configuration } = await openEndpoint(image);
    const { path } = configuration.address as { path: string };
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect((await lstat(dirname(path))).mode & 0o777).toBe(0o700);
    await expect(openEndpoint(image, { address: configuration.address })).rejects.toMatchObject({
      code: "management-address",
    });
    await server.close();
    await expect(lstat(path)).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(path, "mine");
    await expect(openEndpoint(image, { address: configuration.address })).rejects.toMatchObject({
      code: "management-address",
    });
    expect((await lstat(path)).isFile()).toBe(true);
  });

  it("is not made in a directory that others may enter", async () => {
    const directory = await mkdtemp(join(tmpdir(), "almg-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await mkdir(join(directory, "open"), { mode: 0o755 });
    await chmod(join(directory, "open"), 0o755);
    const address = { transport: "unix", path: join(directory, "open", "s") } as const;
    await expect(openEndpoint(image, { address })).rejects.toMatchObject({ code: "management-address" });
  });

  it("listens on loopback TCP, too, and refuses more clients than its bound", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as { port: number };
    free.close();
    await once(free, "close");
    const address = { transport: "tcp", host: "127.0.0.1", port } as const;
    const endpoint = await openEndpoint(image, { address, maxClients: 1 });
    const client = await signIn(endpoint);
    const second = await dial(endpoint);
    expect(await second.next().catch(() => undefined)).toBeUndefined();
    client.send(evaluateForm("(* 6 7)"));
    expect(fieldOf(await client.next(), "values")).toEqual(["42"]);
  });
});

describe("the environment", () => {
  const roots = { state: "/s", config: "/c" };
  it("turns nothing on by itself", () => {
    expect(managementConfiguration({}, roots)).toBeUndefined();
    expect(managementConfiguration({ AUTOLITH_MANAGEMENT_REPL: "off" }, roots)).toBeUndefined();
  });

  it("has the manual's defaults", () => {
    expect(managementConfiguration({ AUTOLITH_MANAGEMENT_REPL: "on" }, roots)).toEqual({
      address: { transport: "unix", path: "/s/management/repl.sock" },
      tokenFile: "/c/management-repl.token",
      evaluationMs: 10_000,
      authenticationMs: 10_000,
      maxFrameBytes: 1_048_576,
      maxSourceBytes: 262_144,
      maxOutputCharacters: 262_144,
      queueCapacity: 8,
      maxClients: 8,
    });
  });

  it.each([
    ["AUTOLITH_MANAGEMENT_REPL", "maybe"],
    ["AUTOLITH_MANAGEMENT_REPL_TRANSPORT", "pipe"],
    ["AUTOLITH_MANAGEMENT_REPL_UNIX_SOCKET", "relative"],
    ["AUTOLITH_MANAGEMENT_REPL_TOKEN_FILE", "relative"],
    ["AUTOLITH_MANAGEMENT_REPL_TIMEOUT", "0"],
    ["AUTOLITH_MANAGEMENT_REPL_MAX_FRAME", "127"],
    ["AUTOLITH_MANAGEMENT_REPL_QUEUE_CAPACITY", "many"],
  ])("refuses %s=%s by name", (variable, value) => {
    const environment = { AUTOLITH_MANAGEMENT_REPL: "on", [variable]: value };
    expect(() => managementConfiguration(environment, roots)).toThrow(variable);
  });

  it("listens on no address but loopback", () => {
    const environment = {
      AUTOLITH_MANAGEMENT_REPL: "on",
      AUTOLITH_MANAGEMENT_REPL_TRANSPORT: "tcp",
      AUTOLITH_MANAGEMENT_REPL_TCP_ADDRESS: "0.0.0.0",
    };
    expect(() => managementConfiguration(environment, roots)).toThrow("loopback");
  });
});
