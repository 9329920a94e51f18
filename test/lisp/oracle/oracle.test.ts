import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LString } from "../../../lisp/data/string.ts";
import { symbolFunction } from "../../../lisp/data/symbol.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";
import { readOracleFile } from "./oracle-file.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(folder).filter((name) => /^\d\d-.*\.lisp$/.test(name));

/** An image, in package COMMON-LISP-USER, and a function that gives the oracle text of a form. */
function session(): (form: string) => string {
  const image = bootImage();
  const user = image.findPackage("COMMON-LISP-USER")!;
  image.symbol("*PACKAGE*").value = user;
  loadText(image, readFileSync(`${folder}classify.lisp`, "utf8"));
  const evaluate = symbolFunction(user.lookup("ORACLE-TEXT")!)!;
  return (form) => (image.runtime.callNow(evaluate, LString.from(form)) as LString).toJS();
}

describe("forms whose values SBCL has told", () => {
  it.each(files)("%s", (file) => {
    const text = session();
    const cases = readOracleFile(`${folder}${file}`);
    expect(cases.length).toBeGreaterThan(10);
    const wrong = cases
      .map(({ form, expected }) => ({ form, expected, got: text(form) }))
      .filter(({ expected, got }) => expected !== got);
    expect(wrong).toEqual([]);
  });
});
