/** Saving and restoring of images of about 20 MB: processor time and wall time, beside what V8's serializer takes for like data. */
import { deserialize, serialize, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { bootImage } from "../../lisp/image/boot.ts";
import type { Image } from "../../lisp/image/image.ts";
import { loadText } from "../../lisp/image/source-loading.ts";
import { restoreImage } from "../../lisp/saved-images/restore-image.ts";
import { saveImage } from "../../lisp/saved-images/save-image.ts";

const rounds = 5;

/** Programs that fill a heap with about 20 MB. */
const heaps: Readonly<Record<string, string>> = {
  "as booted": "",
  "list of 500,000": "(defvar *list* (make-list 500000 :initial-element 1))",
  mixed: `
    (defclass node () ((name :initarg :name) (kids :initarg :kids)))
    (defstruct rec a b c)
    (defvar *lists* (loop for i below 40000 collect (list i (* i 3))))
    (defvar *strings* (loop for i below 15000 collect (format nil "string number ~D" i)))
    (defvar *table* (let ((h (make-hash-table :test 'equal))) (dolist (s *strings* h) (setf (gethash s h) (length s)))))
    (defvar *numbers* (let ((h (make-hash-table))) (dotimes (i 15000 h) (setf (gethash i h) (* 1.5d0 i)))))
    (defvar *nodes* (loop for i below 8000 collect (make-instance 'node :name i :kids (list i))))
    (defvar *recs* (loop for i below 15000 collect (make-rec :a i :b nil :c "x")))
    (defvar *closures* (loop for i below 5000 collect (let ((i i)) (lambda (x) (+ x i)))))
    (defvar *vectors* (make-array 50000 :initial-element 7))
    (defvar *doubles* (make-array 50000 :element-type 'double-float))`,
  "500 functions": Array.from(
    { length: 500 },
    (_, i) =>
      `(defun f${i} (x &key (y ${i})) (let ((sum 0)) (dotimes (j x sum) (incf sum (if (evenp j) y (f${i} 0))))))`,
  ).join("\n"),
};

function heapUsed(collect: () => void): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Least processor and wall milliseconds of some rounds. */
function timed<Result>(work: () => Result): {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly result: Result;
} {
  let best = { cpuMs: Number.POSITIVE_INFINITY, wallMs: Number.POSITIVE_INFINITY, result: work() };
  for (let i = 0; i < rounds; i++) {
    const [cpu, wall] = [process.cpuUsage(), performance.now()];
    const result = work();
    const wallMs = performance.now() - wall;
    const { user, system } = process.cpuUsage(cpu);
    best = {
      cpuMs: Math.min(best.cpuMs, (user + system) / 1000),
      wallMs: Math.min(best.wallMs, wallMs),
      result,
    };
  }
  return best;
}

function imageWith(program: string): Image {
  const image = bootImage();
  image.symbol("*PACKAGE*").value = image.findPackage("COMMON-LISP-USER")!;
  loadText(image, program);
  return image;
}

/** Half a million objects for the floor; V8 cannot write a list of that length. */
function plainObjects(): unknown {
  return Array.from({ length: 500_000 }, () => ({ car: 1, cdr: null }));
}

/** Prints the figures. */
export function imageFigures(): void {
  setFlagsFromString("--expose-gc");
  setFlagsFromString("--stack-size=60000");
  const collect = runInNewContext("gc") as () => void;
  console.log(
    `images: best of ${rounds} rounds, processor milliseconds (wall in brackets); restoring includes booting`,
  );
  const boots = timed(() => bootImage());
  console.log(`  another image boots in ${boots.cpuMs.toFixed(0)} (${boots.wallMs.toFixed(0)})`);
  for (const [name, program] of Object.entries(heaps)) {
    const before = heapUsed(collect);
    const image = imageWith(program);
    const heapMb = (heapUsed(collect) - before) / 1e6;
    const saved = timed(() => saveImage(image));
    const restored = timed(() => restoreImage(saved.result));
    console.log(
      `  ${name.padEnd(16)} heap ${heapMb.toFixed(0).padStart(3)} MB  file ${(saved.result.length / 1e6).toFixed(2).padStart(6)} MB` +
        `  save ${saved.cpuMs.toFixed(0).padStart(4)} (${saved.wallMs.toFixed(0)})` +
        `  restore ${restored.cpuMs.toFixed(0).padStart(4)} (${restored.wallMs.toFixed(0)})`,
    );
  }
  const data = plainObjects();
  const written = timed(() => serialize(data));
  const read = timed(() => deserialize(written.result) as unknown);
  console.log(
    `  V8's serializer for 500,000 plain objects: write ${written.cpuMs.toFixed(0)}, read ${read.cpuMs.toFixed(0)}`,
  );
}
