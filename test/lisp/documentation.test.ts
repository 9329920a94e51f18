import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createImage } from "../../lisp/host/lisp-image.ts";
import { restoreLispImage, saveLispImage } from "../../lisp/host/saved-image.ts";

const page = readFileSync(new URL("../../docs/lisp.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```lisp\n(.*?)```/gs)].map((match) => match[1]!);

describe("docs/lisp.md", () => {
  it("has examples", () => {
    expect(blocks.length).toBeGreaterThan(3);
  });

  it.each(blocks)("is right: %s", async (block) => {
    let lisp = createImage();
    let pending = "";
    for (const line of block.split("\n")) {
      // What follows is said of the image that was saved and restored.
      if (line.startsWith(";; (save-image ")) lisp = restoreLispImage(saveLispImage(lisp)).lisp;
      if (!line.startsWith(";=> ")) {
        pending += `${line}\n`;
        continue;
      }
      const result = await lisp.evaluate(pending).result;
      expect(result.kind === "values" ? result.values.map(({ preview }) => preview).join(" ") : result).toBe(
        line.slice(4),
      );
      pending = "";
    }
  });
});
