import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ImageHost } from "../../../workers/image/image-host.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "image-machine-")));
const root = join(top, "workspace");
const secret = join(top, "secret.txt");
let image: ImageHost;

beforeAll(async () => {
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "source"));
  writeFileSync(join(root, "source", "a.lisp"), "(defun answer () 42)");
  writeFileSync(secret, "hidden");
  symlinkSync(secret, join(root, "way-out"));
  symlinkSync(top, join(root, "up"));
  process.env["OPENAI_API_KEY"] = "sk-of-the-host";
  image = new ImageHost({ machine: { directory: root, files: { kind: "tree", root } } });
  await image.ready;
});
afterAll(async () => {
  await image.terminate();
  rmSync(top, { recursive: true, force: true });
});

/** The printed value of a form, or the report of its condition. */
async function valueOf(form: string): Promise<string> {
  const result = await image.evaluate(`(handler-case ${form} (error (c) (format nil "~A" c)))`);
  return result.kind === "values" ? (result.values[0]?.preview ?? "") : JSON.stringify(result);
}

describe("an image that may use one tree", () => {
  it("works in it by relative names", async () => {
    expect(await valueOf('(progn (load "source/a.lisp") (answer))')).toBe("42");
    const written = '(with-open-file (o "new.txt" :direction :output) (write-string "hi" o))';
    expect(await valueOf(written)).toBe('"hi"');
    expect(readFileSync(join(root, "new.txt"), "utf8")).toBe("hi");
    expect(await valueOf('(rename-file "new.txt" "newer.txt")')).not.toContain("denied");
    expect(await valueOf('(and (probe-file "newer.txt") (delete-file "newer.txt"))')).toBe("T");
    expect(await valueOf('(length (directory "source/*.lisp"))')).toBe("1");
  });

  it.each([
    ["a file by its absolute name", `(with-open-file (i "${secret}") (read-line i))`],
    ["a file above", '(with-open-file (i "../secret.txt") (read-line i))'],
    ["a file behind a link", '(with-open-file (i "way-out") (read-line i))'],
    ["a file behind a linked directory", '(with-open-file (i "up/secret.txt") (read-line i))'],
    ["its own environment", '(with-open-file (i "/proc/self/environ") (read-line i))'],
    ["a new file outside", `(with-open-file (o "${top}/new.txt" :direction :output) (print 1 o))`],
    ["the removal of a file outside", `(delete-file "${secret}")`],
    ["a move to outside", `(rename-file "source/a.lisp" "${top}/a.lisp")`],
  ])("is refused %s, and told of what it may use", async (_what, form) => {
    expect(await valueOf(form)).toContain(`outside of ${root}`);
  });

  it("is told nothing of what is outside", async () => {
    expect(await valueOf(`(list (probe-file "${secret}") (directory "${top}/*.*"))`)).toBe("(NIL NIL)");
  });

  it("does not write what git or autolith run", async () => {
    const form = '(with-open-file (o ".git/config" :direction :output) (print 1 o))';
    expect(await valueOf(form)).toContain("inside .git");
  });

  it("C035: sees none of the host's secrets in its environment", async () => {
    expect(
      await valueOf('(list (sb-ext:posix-getenv "OPENAI_API_KEY") (not (sb-ext:posix-getenv "PATH")))'),
    ).toBe("(NIL NIL)");
  });

  it("waits for no pipe that nobody writes to", async () => {
    spawnSync("mkfifo", [join(root, "pipe")]);
    // It is read as what it is: without a writer it is at its end.
    expect(await valueOf('(with-open-file (i "pipe") (read-line i nil :end))')).toBe(":END");
  });
});
