/**
 * The forms of `chapters/*.lisp`, one a line, must give what SBCL gives. Its answers are stored beside them, and compared with the
 * SBCL of this machine where there is one, so that stored answers cannot go stale.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createImage } from "../../../lisp/host/lisp-image.ts";
import { chapters, driver, findOracle, oracleAnswers } from "./oracle.ts";

const names = readdirSync(chapters)
  .filter((name) => name.endsWith(".lisp"))
  .map((name) => name.replace(/\.lisp$/, ""));

function lines(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

/** Each form with its answer, so that a failure shows what differs. */
function paired(forms: readonly string[], answers: readonly string[]): string[] {
  return forms.map((form, i) => `${form}  =>  ${answers[i] ?? "nothing"}`);
}

async function ourAnswers(chapter: string): Promise<string[]> {
  let output = "";
  const image = createImage();
  const program = `${readFileSync(driver, "utf8")}\n(write-results ${JSON.stringify(join(chapters, `${chapter}.lisp`))})`;
  const { result } = image.evaluate(program, {
    onOutput: (text) => {
      output += text;
    },
  });
  const end = await result;
  if (end.kind !== "values") throw new Error(`the driver ended as ${end.kind}`);
  return output.split("\n").slice(0, -1);
}

const oracle = findOracle();

describe.each(names)("chapter %s", (name) => {
  const forms = lines(join(chapters, `${name}.lisp`));
  const expected = lines(join(chapters, `${name}.expected`));

  it("gives the stored answers", async () => {
    expect(expected).toHaveLength(forms.length);
    expect(paired(forms, await ourAnswers(name))).toEqual(paired(forms, expected));
  });

  if (oracle !== undefined) {
    it("has stored answers that SBCL gives today", () => {
      expect(paired(forms, oracleAnswers(oracle, name))).toEqual(paired(forms, expected));
    });
  }
});
