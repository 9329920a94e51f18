import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { gatherEvidence, journalOf } from "../../../script/drill/evidence.ts";
import { endOf, recover, startHost } from "../../../script/drill/host-process.ts";
import { effectLog, treeScript } from "../../../script/drill/job-tree.ts";
import { remains } from "../../../script/drill/remains.ts";
import { violations } from "../../../script/drill/verdict.ts";
import { jobText, readArtifact } from "../../support/cli/job-files.ts";
import { type Sandpit, makeSandpit } from "../../support/cli/launch.ts";
import { type ModelServer, startModelServer } from "../../support/model-server/server.ts";
import { SmallDisk } from "../../support/small-disk.ts";

// Whole runs, several in a test: a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

type Place = {
  readonly disk: SmallDisk;
  readonly pit: Sandpit;
  /** The sandpit as we reach it: its home is on the small disk. */
  readonly seen: Sandpit;
  readonly server: ModelServer;
};

/** A person whose home, with all roots of ours, is a disk of 6 MiB. The workspace is elsewhere. */
async function smallHome(): Promise<Place> {
  const pit = makeSandpit();
  const disk = await SmallDisk.mount(pit.home, 6 * 1024 * 1024);
  const server = await startModelServer((request) => ({ ...treeScript(request), latencyMs: 5 }));
  onTestFinished(async () => {
    await server.close();
    await disk[Symbol.asyncDispose]();
    pit[Symbol.dispose]();
  });
  pit.write("job.sexp", jobText({ prompt: "You are ROOT.", timeoutSeconds: 60 }));
  return { disk, pit, seen: { ...pit, home: disk.seen(pit.home) }, server };
}

function run({ pit, disk, server }: Place, output = "out/result.sexp") {
  return startHost(pit, server.baseUrl, ["run", output], { through: disk.through(pit.workspace) });
}

function artifactOf({ pit }: Place, output = "out/result.sexp"): Record<string, unknown> {
  return readArtifact(join(pit.workspace, output));
}

function effectCount({ pit }: Place): number {
  const path = join(pit.workspace, effectLog);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

/** What says where there is no room: the reason and a path or mount point below the home. */
function namesThePlace(text: string, { pit }: Place): boolean {
  return /ENOSPC|No space|no room|EROFS|read-only/i.test(text) && text.includes(pit.home);
}

describe("the home is full", () => {
  it("from the start: refused, with the place and an artifact; the same command works when there is room", async () => {
    const place = await smallHome();
    place.disk.fill();
    const refused = await endOf(run(place));
    expect(refused.status).not.toBe(0);
    expect(artifactOf(place)["status"]).toBe("failed");
    expect(namesThePlace(String(artifactOf(place)["message"]), place)).toBe(true);
    place.disk.free();
    const again = await endOf(run(place));
    expect([again.status, again.stderr, artifactOf(place)["status"]]).toEqual([0, "", "succeeded"]);
  });

  it.each([1, 6, 14])(
    "after %i effects: nothing repeated, nothing lost, and the next run works",
    async (count) => {
      const place = await smallHome();
      const host = run(place);
      await expect
        .poll(() => effectCount(place), { timeout: 120_000, interval: 3 })
        .toBeGreaterThanOrEqual(count);
      place.disk.fill();
      const ended = await endOf(host);
      const artifact = artifactOf(place);
      expect(ended.hung).toBe(false);
      expect(artifact["status"]).toBe(ended.status === 0 ? "succeeded" : "failed");
      expect(ended.stderr.split("\n").length).toBeLessThan(20);
      if (ended.status !== 0) {
        expect(String(artifact["message"])).toContain("ENOSPC");
        expect(namesThePlace(String(artifact["message"]), place)).toBe(true);
      }
      place.disk.free();
      const journal = journalOf(place.seen);
      const { report, problem } = await recover(
        place.pit,
        place.server.baseUrl,
        journal?.conversation ?? "",
        { through: place.disk.through(place.pit.workspace) },
      );
      expect(problem).toBeUndefined();
      const evidence = await gatherEvidence(place.seen, journal);
      const killed = { survived: false, status: null, eventKinds: [], artifactStatus: undefined, stderr: "" };
      expect(violations(evidence, report, killed)).toEqual([]);
      expect([...remains(place.seen), ...remains(place.pit)]).toEqual([]);
      place.pit.write("job.sexp", jobText({ prompt: "You are DELTA.", timeoutSeconds: 60 }));
      const next = await endOf(run(place, "out/next.sexp"));
      expect([next.status, next.stderr]).toEqual([0, ""]);
    },
  );
});

describe("the home is read-only", () => {
  it("refused, with the place and an artifact; the same command works when it is writable", async () => {
    const place = await smallHome();
    await place.disk.remount("ro");
    const refused = await endOf(run(place));
    expect(refused.status).toBe(64);
    expect(artifactOf(place)).toMatchObject({ status: "failed", category: "runtime-unavailable" });
    expect(namesThePlace(String(artifactOf(place)["message"]), place)).toBe(true);
    await place.disk.remount("rw");
    const again = await endOf(run(place));
    expect([again.status, again.stderr, artifactOf(place)["status"]]).toEqual([0, "", "succeeded"]);
  });
});

describe("the directory of the artifact", () => {
  it.each(["full", "read-only"])(
    "is %s: told with its own category, the earlier artifact stays",
    async (how) => {
      const pit = makeSandpit();
      const directory = join(pit.workspace, "out");
      mkdirSync(directory);
      const disk = await SmallDisk.mount(directory, 64 * 1024);
      const server = await startModelServer((request) => treeScript(request));
      onTestFinished(async () => {
        await server.close();
        await disk[Symbol.asyncDispose]();
        pit[Symbol.dispose]();
      });
      const job = (id: string): string => pit.write("job.sexp", jobText({ id, prompt: "You are DELTA." }));
      const ended = () =>
        endOf(
          startHost(pit, server.baseUrl, ["run", "out/result.sexp"], {
            through: disk.through(pit.workspace),
          }),
        );
      const artifact = disk.seen(join(directory, "result.sexp"));
      job("first");
      expect((await ended()).status).toBe(0);
      if (how === "full") disk.fill();
      else await disk.remount("ro");
      job("second");
      rmSync(join(pit.workspace, "delta.txt"));
      const failed = await ended();
      expect(failed.status).toBe(1);
      expect(failed.stderr).toContain("result-publication-failed");
      expect(failed.stderr).toContain(directory);
      expect(failed.stdout.trimEnd().split("\n").at(-1)).toContain(":CATEGORY :RESULT-PUBLICATION-FAILED");
      expect(readArtifact(artifact)).toMatchObject({ id: "first", status: "succeeded" });
      if (how === "full") disk.free();
      else await disk.remount("rw");
      // A directory that takes no file at all is refused before the job runs.
      rmSync(join(pit.workspace, "delta.txt"), { force: how === "read-only" });
      expect((await ended()).status).toBe(0);
      expect(readArtifact(artifact)).toMatchObject({ id: "second", status: "succeeded" });
      expect(readdirSync(disk.seen(directory))).toEqual(["result.sexp"]);
    },
  );
});
