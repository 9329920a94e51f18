import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readIfPresent } from "../../../orchestrator/record/present-file.ts";
import { freshDirectory } from "./directories.ts";

it("a file that is not there has no content; one that cannot be read is an error", async () => {
  const directory = await freshDirectory();
  const path = join(directory, "a.sexp");
  expect(await readIfPresent(path)).toBeUndefined();
  await writeFile(path, "(:a)");
  expect(await readIfPresent(path)).toEqual(Buffer.from("(:a)"));
  await expect(readIfPresent(directory)).rejects.toMatchObject({ code: "EISDIR" });
});
