import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, ListenOptions } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcess } from "../../../orchestrator/record/process-identity.ts";
import { probeSandbox } from "../../../workers/sandbox/sandbox.ts";
import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";
import { isAlive } from "../../../workers/spawner/process-table.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";
import type { EscapeTry } from "./escape-tries.ts";

export interface EscapeOutcome {
  readonly name: string;
  readonly sandboxed: boolean;
  /** What was noticed: text, changed files, contacted servers, a dead process. Empty: nothing. */
  readonly noticed: readonly string[];
  readonly output: string;
}

/** Everything the tries aim at, made by and for the user who runs this process. */
export class EscapeScene {
  readonly #root: string;
  readonly #markers: readonly string[];
  readonly #paths: Readonly<
    Record<"workspace" | "outside" | "hidden" | "home" | "temporary" | "template", string>
  >;
  readonly #closers: (() => Promise<void> | void)[] = [];
  #contacts: string[] = [];
  readonly #variables: Record<string, string> = {};

  private constructor(root: string) {
    this.#root = root;
    const at = (name: string): string => join(root, name);
    this.#paths = {
      ...{ workspace: at("workspace"), outside: at("outside"), hidden: at("hidden") },
      ...{ home: at("home"), temporary: at("temporary"), template: at("template") },
    };
    this.#markers = [tmpdir(), "/dev/shm"].map((directory) =>
      join(directory, `autolith-escape-${process.pid}`),
    );
  }

  /** Builds the scene in a directory of its own below `base`, which no sandbox replaces as a whole. */
  static async build(base: string): Promise<EscapeScene> {
    const scene = new EscapeScene(mkdtempSync(join(base, "autolith-escape-")));
    for (const path of Object.values(scene.#paths)) mkdirSync(path);
    scene.#writeFiles();
    await scene.#listen();
    scene.#startTarget();
    return scene;
  }

  #writeFiles(): void {
    const { outside, hidden, home, template } = this.#paths;
    writeFileSync(join(outside, "file"), "old\n");
    writeFileSync(join(hidden, "secret"), "s3cret\n");
    const secrets = [
      ".ssh/id_ed25519",
      ".aws/credentials",
      ".netrc",
      ".config/gh/hosts.yml",
      ".npmrc",
      ".bash_history",
    ];
    for (const name of secrets) {
      mkdirSync(join(home, name, ".."), { recursive: true });
      writeFileSync(join(home, name), "s3cret\n");
    }
    for (const name of [".bashrc", ".profile"]) writeFileSync(join(home, name), "# start\n");
    mkdirSync(join(home, ".docker/run"), { recursive: true });
    execFileSync("git", ["init", "-q", "--template=", template], {
      env: { PATH: process.env["PATH"] ?? "", HOME: home },
    });
    for (const name of ["hooks", "info"]) mkdirSync(join(template, ".git", name), { recursive: true });
    for (const marker of this.#markers) writeFileSync(marker, "");
  }

  async #listen(): Promise<void> {
    const { outside, hidden, home } = this.#paths;
    const abstract = `autolith-escape-${process.pid}`;
    const tcp = await this.#server("TCP", { host: "127.0.0.1", port: 0 });
    await this.#server("Redis", { path: join(hidden, "r.sock") });
    await this.#server("agent", { path: join(outside, "agent.sock") });
    await this.#server("docker", { path: join(home, ".docker/run/docker.sock") });
    await this.#server("abstract", { path: `\0${abstract}` });
    const udp = createSocket("udp4");
    udp.on("message", () => this.#contacts.push("UDP"));
    await new Promise<void>((resolve) => {
      udp.bind(0, "127.0.0.1", resolve);
    });
    this.#closers.push(() => {
      udp.close();
    });
    Object.assign(this.#variables, {
      ...{ HOME: home, OUTSIDE: outside, HIDDEN: hidden, ABSTRACT: abstract },
      ...{ TCP: String(tcp), UDP: String(udp.address().port) },
      ...{ TEMPORARY_MARKER: this.#markers[0], SHARED_MARKER: this.#markers[1] },
    });
  }

  async #server(name: string, where: ListenOptions): Promise<number> {
    const server = createServer((socket) => {
      this.#contacts.push(name);
      socket.destroy();
    });
    await new Promise<void>((resolve) => {
      server.listen(where, resolve);
    });
    this.#closers.push(() => {
      server.close();
    });
    const address = server.address();
    return typeof address === "object" && address !== null ? (address satisfies AddressInfo).port : 0;
  }

  #startTarget(): void {
    const target = spawn("/bin/bash", ["-c", "exec -a autolith-target sleep 600"], { stdio: "ignore" });
    this.#variables["TARGET"] = String(target.pid);
    this.#closers.push(() => {
      target.kill("SIGKILL");
    });
  }

  /** Runs every try in the sandbox, and those with a control for this user without one as well. */
  async run(tries: readonly EscapeTry[]): Promise<readonly EscapeOutcome[]> {
    const { hidden, home } = this.#paths;
    const probe = await probeSandbox({ environment: { ...process.env, HOME: home }, hidden: [hidden] });
    if (!probe.available) throw new Error(`These tests need a sandbox: ${probe.reason}`);
    const spawner = new Spawner({ ledgerDirectory: join(this.#root, "ledger") });
    const isRoot = process.getuid?.() === 0;
    const outcomes: EscapeOutcome[] = [];
    try {
      for (const attempt of tries) {
        const noticed = (sandboxed: boolean): Promise<EscapeOutcome> =>
          this.#attempt(attempt, spawner, sandboxed ? probe.sandbox : undefined);
        outcomes.push(await noticed(true));
        if (attempt.control === "all" || (attempt.control === "root" && isRoot))
          outcomes.push(await noticed(false));
      }
      return outcomes;
    } finally {
      await spawner.close(0);
      probe.sandbox.close();
    }
  }

  async #attempt(
    { name, script }: EscapeTry,
    spawner: Spawner,
    sandbox:
      | {
          confine: Extract<
            Awaited<ReturnType<typeof probeSandbox>>,
            { available: true }
          >["sandbox"]["confine"];
        }
      | undefined,
  ): Promise<EscapeOutcome> {
    const { workspace, temporary } = this.#paths;
    this.#restore();
    const before = this.#snapshot();
    const target = {
      pid: Number(this.#variables["TARGET"]),
      startTicks: readProcess(Number(this.#variables["TARGET"]))?.startTicks ?? 0,
    };
    this.#contacts = [];
    const argv = ["/bin/bash", "-c", script] as const;
    const confined = sandbox?.confine({ argv: [...argv], directory: workspace, workspace, temporary });
    let output = "";
    try {
      await spawner.run({
        argv: confined?.argv ?? [...argv],
        directory: workspace,
        environment: commandEnvironment(process.env, { set: { ...confined?.set, ...this.#variables } }),
        stdout: {
          write: (chunk) => {
            output += chunk.toString("utf8");
          },
        },
        timeoutMs: 20_000,
        graceMs: 0,
        contained: confined !== undefined,
        opened: confined?.opened ?? {},
      });
    } finally {
      confined?.release();
    }
    const after = this.#snapshot();
    const noticed = [
      ...(output.includes("ESCAPED") ? ["printed ESCAPED"] : []),
      ...[...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      ),
      ...this.#contacts,
      ...(isAlive(target) ? [] : ["the target process ended"]),
    ];
    return { name, sandboxed: sandbox !== undefined, noticed, output: output.slice(0, 500) };
  }

  /** Puts everything back as it was, so that one try cannot help or hide another. */
  #restore(): void {
    const { workspace, outside, home, template } = this.#paths;
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(workspace);
    cpSync(join(template, ".git"), join(workspace, ".git"), { recursive: true });
    for (const name of readdirSync(outside)) {
      if (name !== "agent.sock") rmSync(join(outside, name), { recursive: true, force: true });
    }
    writeFileSync(join(outside, "file"), "old\n", { mode: 0o644 });
    chmodSync(join(outside, "file"), 0o644);
    rmSync(join(home, ".gitconfig"), { force: true });
    rmSync(join(home, ".config/systemd"), { recursive: true, force: true });
    for (const name of [".bashrc", ".profile"]) writeFileSync(join(home, name), "# start\n");
  }

  /** Every file outside the command's reach with its kind, mode and content. */
  #snapshot(): ReadonlyMap<string, string> {
    const { workspace, outside, home, hidden } = this.#paths;
    const found = new Map<string, string>();
    for (const path of [outside, home, hidden, join(workspace, ".git"), join(workspace, ".autolith")])
      look(path, found);
    return found;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    for (const marker of this.#markers) rmSync(marker, { force: true });
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function look(path: string, found: Map<string, string>): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const mode = stats.mode.toString(8);
  if (stats.isDirectory()) {
    found.set(path, mode);
    for (const name of readdirSync(path)) look(join(path, name), found);
  } else if (stats.isSymbolicLink()) found.set(path, `${mode} ${readlinkSync(path)}`);
  else found.set(path, stats.isFile() ? `${mode} ${readFileSync(path, "latin1")}` : mode);
}

/** A place for scenes that every user can reach and no sandbox replaces: for root one made for the purpose. */
export function sceneBase(user: number | undefined): { readonly path: string; remove(): void } {
  if (process.getuid?.() !== 0) return { path: process.cwd(), remove: () => undefined };
  mkdirSync("/srv", { recursive: true });
  const path = mkdtempSync("/srv/autolith-test-");
  chmodSync(path, 0o711);
  if (user !== undefined) chownSync(path, user, user);
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
