import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createImage } from "../../../lisp/host/lisp-image.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "autolith-files-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lisp = createImage();

/** Printed value of a form, with relative file names in the test's folder; errors by the name of their type. */
async function value(form: string): Promise<string> {
  const wrapped = `(let ((*default-pathname-defaults* (pathname "${folder}/")) (*print-pretty* nil))
    (handler-case (prin1-to-string (multiple-value-list ${form})) (error (c) (string (type-of c)))))`;
  const result = await lisp.evaluate(wrapped).result;
  if (result.kind !== "values") throw new Error(`the form ended as ${result.kind}`);
  return JSON.parse(result.values[0]?.preview ?? '""') as string;
}

describe("files", () => {
  it("are made, read, renamed, listed and deleted", async () => {
    expect(
      await value('(with-open-file (s "a.txt" :direction :output) (write-line "one" s) (princ 2 s))'),
    ).toBe("(2)");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n2");
    expect(await value('(with-open-file (s "a.txt") (list (read-line s) (read s) (read s nil :end)))')).toBe(
      '(("one" 2 :END))',
    );
    expect(await value('(mapcar #\'file-namestring (multiple-value-list (rename-file "a.txt" "b")))')).toBe(
      '(("b.txt" "a.txt" "b.txt"))',
    );
    expect(await value('(mapcar #\'file-namestring (directory "*.txt"))')).toBe('(("b.txt"))');
    expect(await value('(list (delete-file "b.txt") (probe-file "b.txt"))')).toBe("((T NIL))");
  });

  it("are renamed within their directory when the old name is relative to the process and the new one has none", async () => {
    const base = relative(process.cwd(), folder);
    writeFileSync(join(folder, "old.txt"), "x");
    expect(
      await value(
        `(let ((*default-pathname-defaults* #P"")) (namestring (third (multiple-value-list (rename-file "${base}/old.txt" "new.txt")))))`,
      ),
    ).toBe(`("${join(folder, "new.txt")}")`);
    expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe("x");
    rmSync(join(folder, "new.txt"));
  });

  it("are found by wild names relative to the directory of the process, and in every version", async () => {
    writeFileSync(join(folder, "wild.dat"), "");
    const before = process.cwd();
    process.chdir(folder);
    try {
      const names = async (form: string): Promise<string> => {
        const { result } = createImage().evaluate(
          `(let ((*print-pretty* nil)) (prin1-to-string (mapcar #'file-namestring ${form})))`,
        );
        const settled = await result;
        return settled.kind === "values" ? (settled.values[0]?.preview ?? "") : settled.kind;
      };
      expect(await names('(directory "*.dat")')).toBe(String.raw`"(\"wild.dat\")"`);
      expect(await names('(directory (make-pathname :version :wild :defaults "wild.dat"))')).toBe(
        String.raw`"(\"wild.dat\")"`,
      );
    } finally {
      process.chdir(before);
    }
    expect(await value('(open (make-pathname :name "wild" :version :wild))')).toBe("SIMPLE-FILE-ERROR");
  });

  it.each([
    [":error", "old"],
    ["nil", "old"],
    [":supersede", "new"],
    [":append", "oldnew"],
    [":overwrite", "newer"],
  ])("that exist are treated as :if-exists %s says", async (option, after) => {
    writeFileSync(join(folder, "exists.txt"), option === ":overwrite" ? "older" : "old");
    await value(
      `(with-open-file (s "exists.txt" :direction :output :if-exists ${option}) (when s (write-string "new" s)))`,
    );
    expect(readFileSync(join(folder, "exists.txt"), "utf8")).toBe(after);
  });

  it("are refused characters that their external format has no code for, unless it names a replacement", async () => {
    const written = (format: string): Promise<string> =>
      value(
        `(progn (with-open-file (s "coded.txt" :direction :output :if-exists :supersede :external-format ${format}) (write-string (coerce '(#\\a #\\U+03BB) 'string) s)) (with-open-file (s "coded.txt" :element-type '(unsigned-byte 8)) (let ((v (make-array (file-length s)))) (read-sequence v s) v)))`,
      );
    expect(await written(":latin-1")).toBe("SIMPLE-STREAM-ERROR");
    expect(await written("'(:latin-1 :replacement #\\?)")).toBe("(#(97 63))");
    expect(await written(`'(:us-ascii :replacement "*")`)).toBe("(#(97 42))");
    expect(await written(":utf-16be")).toBe("(#(0 97 3 187))");
    expect(await written(":default")).toBe("(#(97 206 187))");
  });

  it("opened and renamed under logical names keep those", async () => {
    await value(`(setf (logical-pathname-translations "SCRATCH") '(("*.*" "${folder}/*.*")))`);
    const kinds = "(mapcar (lambda (p) (typep p 'logical-pathname))";
    expect(
      await value(
        `(with-open-file (s "SCRATCH:NOTE.TXT" :direction :output) ${kinds} (list (pathname s) (truename s))))`,
      ),
    ).toBe("((T NIL))");
    expect(
      await value(`${kinds} (multiple-value-list (rename-file "SCRATCH:NOTE.TXT" "SCRATCH:OTHER.TXT")))`),
    ).toBe("((T NIL NIL))");
    expect(
      await value(`(list (probe-file "note.txt") (file-namestring (truename "SCRATCH:OTHER.TXT")))`),
    ).toBe('((NIL "other.txt"))');
  });

  it("keep their content when writing them is given up", async () => {
    writeFileSync(join(folder, "kept.txt"), "kept");
    await value(
      '(with-open-file (s "kept.txt" :direction :output :if-exists :supersede) (princ 1 s) (error "x"))',
    );
    expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("kept");
  });

  it("report what the machine refuses as file errors", async () => {
    expect(await value('(open "missing.txt")')).toBe("SIMPLE-FILE-ERROR");
    expect(await value('(delete-file "missing.txt")')).toBe("SIMPLE-FILE-ERROR");
    expect(await value('(truename "missing.txt")')).toBe("SIMPLE-FILE-ERROR");
    expect(await value('(open "*.txt")')).toBe("SIMPLE-FILE-ERROR");
  });

  it("are reached through logical pathnames", async () => {
    await value(`(setf (logical-pathname-translations "T") '(("**;*.*.*" "${folder}/**/*.*")))`);
    await value('(with-open-file (s "T:SUB;X.DAT" :direction :output :if-exists :supersede) (princ 7 s))');
    expect(await value('(multiple-value-list (ensure-directories-exist "T:SUB;X.DAT"))')).toContain("T");
    expect(
      await value('(with-open-file (s "T:SUB;X.DAT" :direction :output :if-exists :supersede) (princ 7 s))'),
    ).toBe("(7)");
    expect(readFileSync(join(folder, "sub", "x.dat"), "utf8")).toBe("7");
  });
});
