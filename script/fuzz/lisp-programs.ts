/** Lisp programs out of the forms of the tests, with parts exchanged, dropped and replaced by what no program expects. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";

/** A form as text in pieces: an atom, or a list of forms with what stands before its parenthesis. */
type Form = string | { readonly before: string; readonly items: readonly Form[] };

/** Atoms that operators do not expect. */
const hostileAtoms: readonly string[] = [
  ..."nil t () 0 -1 1 1/3 -0.0 1.5d0 1d308 #c(1 2) 4611686018427387904 (expt 10 30) (expt 2 70) most-positive-fixnum".split(
    " ",
  ),
  ...'-4611686018427387904 :key #\\a #\\Space "" "abc" #() #(1 2) #*101 #p"x" #:g \'car #\'car #\'(lambda (x) x)'.split(
    " ",
  ),
  "(make-hash-table)",
  "'#1=(1 . #1#)",
  "'(1 . 2)",
  "(make-list 100000)",
  "(make-array '(2 3))",
  "(make-array 5 :fill-pointer 2 :adjustable t)",
  "(make-string-output-stream)",
  "(find-class 'integer)",
  '(lambda (&rest r) (error "~A" r))',
  "(make-condition 'error)",
  "(loop)",
  "(throw 'nowhere 1)",
  "(return-from nobody 1)",
  "(invoke-restart 'abort)",
  "(let ((x (list 1))) (setf (car x) x) x)",
  "*package*",
  "*standard-output*",
  "(values)",
  "(values 1 2 3)",
];

const tokens: readonly string[] = [
  ..."( ( ( ) ) ) ' ` , ,@ #' #( #. #+ #- #| |# \" \\ | ; : :: . #\\ #1= #1# #* #p #s( #c( #b #x #36r".split(
    " ",
  ),
  " ",
  "\n",
];

/** Reads the text of a form; what is not a list is an atom. Strings, characters and bars are kept whole. */
function parse(text: string): Form[] {
  const pattern =
    /\s+|;[^\n]*|"(?:[^"\\]|\\.)*"|#\|[^]*?\|#|#\\(?:\w+|[^])|[#'`,@+\-*A-Za-z0-9.:=]*\(|\)|\|[^|]*\||(?:[^\s()"';|\\]|\\[^])+|[^]/g;
  const open: { before: string; items: Form[] }[] = [{ before: "", items: [] }];
  for (const [token] of text.matchAll(pattern)) {
    if (/^[\s;]/.test(token)) continue;
    if (token.endsWith("(") && !token.startsWith('"') && !token.startsWith("#\\"))
      open.push({ before: token.slice(0, -1), items: [] });
    else if (token !== ")") open.at(-1)!.items.push(token);
    else if (open.length > 1) {
      const list = open.pop()!;
      open.at(-1)!.items.push(list);
    }
  }
  return open[0]!.items;
}

function print(form: Form): string {
  return typeof form === "string" ? form : `${form.before}(${form.items.map(print).join(" ")})`;
}

/** The forms of the differential tests, whose programs touch no files. */
export function testForms(folder: string): readonly Form[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".lisp"))
    .toSorted()
    .flatMap((name) => parse(readFileSync(join(folder, name), "utf8")))
    .filter((form) => typeof form !== "string");
}

function anyPart(random: Random, forms: readonly Form[]): Form {
  let form = random.pick(forms);
  while (typeof form !== "string" && form.items.length > 0 && !random.oneIn(3))
    form = random.pick(form.items);
  return form;
}

function damaged(random: Random, form: Form, forms: readonly Form[]): Form {
  if (typeof form === "string" || form.items.length === 0 || random.oneIn(6)) {
    return random.oneIn(2) ? random.pick(hostileAtoms) : anyPart(random, forms);
  }
  const at = random.upTo(form.items.length - 1);
  const { before, items } = form;
  switch (random.upTo(9)) {
    case 0:
      return { before, items: items.toSpliced(at, 1) };
    case 1:
      return { before, items: items.toSpliced(at, 0, anyPart(random, forms)) };
    case 2:
      return { before, items: items.toSpliced(at, 0, items[at]!) };
    case 3:
      return { before: random.pick(["'", "`", "#'", ",", "#", ""]), items };
    default:
      return { before, items: items.with(at, damaged(random, items[at]!, forms)) };
  }
}

/** A form of the tests with one to four parts changed. */
export function mutatedProgram(random: Random, forms: readonly Form[]): string {
  let form = random.pick(forms);
  for (let count = 1 + random.upTo(3); count > 0; count -= 1) form = damaged(random, form, forms);
  return print(form);
}

/** Words and signs of the language in no order. */
export function tokenSoup(random: Random, forms: readonly Form[]): string {
  const pieces = Array.from({ length: 1 + random.mostlySmall(200) }, () => {
    if (random.oneIn(2)) return random.pick(tokens);
    return random.oneIn(3) ? random.pick(hostileAtoms) : print(anyPart(random, forms));
  });
  return pieces.join(random.oneIn(3) ? "" : " ");
}
