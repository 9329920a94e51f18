import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chainLimit, commandChain } from "../../../orchestrator/permissions/command-chain.ts";

function names(text: string): readonly (string | undefined)[] {
  return commandChain(text).commands.map(({ name }) => name);
}

describe("commandChain", () => {
  test.each<[string, string[]]>([
    ["ls -la", ["ls"]],
    ["a; b && c || d & e", ["a", "b", "c", "d", "e"]],
    ["a | b |& c", ["a", "b", "c"]],
    ["a\nb\n\n  c", ["a", "b", "c"]],
    ["(a; b) && { c; }", ["a", "b", "c"]],
    ["echo $(a $(b)) `c \\`d\\``", ["b", "a", "d", "c", "echo"]],
    ['echo "x $(a "$(b)") y" \'$(no)\'', ["b", "a", "echo"]],
    ["diff <(a) <(b) > >(c)", ["a", "b", "c", "diff"]],
    ["x=$(a) y=1 b", ["a", "b"]],
    ["x=$(a)", ["a", ""]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for f in $(a) b; do c $f; done", ["a", "c"]],
    ["while a; do b; done < <(c)", ["a", "b", "c", ""]],
    ["case $(a) in x|y) b;; (z) c ;; *) d; esac; e", ["a", "b", "c", "d", "e"]],
    ["f() { a; }; f", ["a", "f"]],
    ["function f { a; }; f", ["a", "f"]],
    ["[[ $(a) == x && y ]] && b", ["a", "b"]],
    ["! a", ["a"]],
    ["env -u Z X=1 Y=2 a b", ["env", "a"]],
    ["sudo -u root env X=1 nice -n 5 a", ["sudo", "env", "nice", "a"]],
    ["timeout -k 5 10 a", ["timeout", "a"]],
    ["find . -name x -exec a {} \\; -exec b {} +", ["find", "a", "b"]],
    ["a | xargs -0 -n 1 b", ["a", "xargs", "b"]],
    ["a | xargs -I{} sh -c 'b {}; c'", ["a", "xargs", "sh", "b", "c"]],
    ["bash -lc 'a && b'", ["bash", "a", "b"]],
    ["eval 'a;' b", ["eval", "a", "b"]],
    ["trap 'a' EXIT", ["trap", "a"]],
    ["cat <<EOF\n$(a) rm\nEOF\nb", ["a", "cat", "b"]],
    ["cat <<'EOF'\n$(a) rm\nEOF\nb", ["cat", "b"]],
    ["cat <<-E; b\n\tx\n\tE\nc", ["cat", "b", "c"]],
    ["bash <<EOF\na\nb\nEOF", ["a", "b", "bash"]],
    ["bash <<< 'a; b'", ["bash", "a", "b"]],
    ["a # ; b\nc", ["a", "c"]],
    ["# x \\\nb", ["b"]],
    ["a\\\nb", ["ab"]],
    ["a ${x:-$(b)} $((1 + $(c)))", ["b", "c", "a"]],
    ["echo $(case x in x) a;; esac)", ["a", "echo"]],
    ["time -p a", ["time", "a"]],
    ["command -v a", ["command"]],
    ["watch -n 1 a b", ["watch", "a"]],
    ["'a' \"b\"", ["a"]],
    ["a=(1 $(b)); c", ["b", "", "c"]],
  ])("%s", (text, expected) => {
    const chain = commandChain(text);
    expect(chain).toMatchObject({ kind: "known" });
    expect(chain.commands.map(({ name }) => name)).toEqual(expected);
  });

  test.each<[string, string]>([
    ["$CMD x", "only known when it runs"],
    ["/bin/* x", "only known when it runs"],
    ['eval "$x"', "What eval runs"],
    ['bash -c "$x"', "What bash runs"],
    ["curl http://x | sh", "runs whatever it is given"],
    ["bash < script", "runs whatever it is given"],
    ["echo 'a", "single quote does not end"],
    ['echo "$(a', "does not end"],
    ["cat <<EOF\nx", "does not end"],
    ["alias ls='rm'; ls", "alias"],
    ["[[ a; rm -rf x; echo ]]", "There is no ]]"],
    ["select x\nrm y\ndo", "There is no do"],
    [`${"$(".repeat(100)}a${")".repeat(100)}`, "deep"],
    ["a;".repeat(chainLimit + 1), `More than ${chainLimit}`],
  ])("%s is opaque", (text, reason) => {
    const chain = commandChain(text);
    expect(chain.kind).toBe("opaque");
    expect(chain.kind === "opaque" ? chain.reason : "").toContain(reason);
  });

  test("keeps arguments, redirections, assignments and the way to a command", () => {
    const [first, second] = commandChain("A=1 a 'b c' $d >out 2>>err | xargs e").commands;
    expect(first).toMatchObject({
      name: "a",
      arguments: ["b c", undefined],
      assignments: ["A=1"],
      redirections: [
        { operator: ">", target: "out" },
        { operator: ">>", target: "err" },
      ],
      piped: false,
    });
    expect(second).toMatchObject({ name: "xargs", piped: true });
    expect(commandChain("bash -c 'a $(b)'").commands.at(-1)?.via).toEqual(["bash"]);
    expect(commandChain("bash -c 'a $(b)'").commands.at(1)).toMatchObject({
      name: "b",
      via: ["bash", "substitution"],
    });
  });

  test("never throws and never hangs, whatever the text", () => {
    const piece = fc.constantFrom(
      "a",
      "$(",
      ")",
      "`",
      "'",
      '"',
      "\\",
      "\n",
      ";",
      "&",
      "|",
      "<<E",
      "E",
      "((",
      "case",
      "in",
      "esac",
      "[[",
      "]]",
      "do",
      "$",
      "{",
      "}",
      " ",
      "#",
      "<(",
      "${",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const chain = commandChain(pieces.join(""));
        expect(["known", "opaque"]).toContain(chain.kind);
      }),
      { numRuns: 3000 },
    );
  });
});

/*
 * The real shells are the judges: programs named p0…p5 that only write down their names stand in PATH, random scripts are run, and
 * every program that was started must be among the commands that were found (or the chain opaque).
 */
describe("against real shells", () => {
  const programs = ["p0", "p1", "p2", "p3", "p4", "p5"];
  let directory = "";
  let runs = 0;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "chain-"));
    mkdirSync(join(directory, "bin"));
    for (const program of programs) {
      const path = join(directory, "bin", program);
      writeFileSync(path, `#!/bin/sh\necho ${program} >> "$LOG"\necho out\n`);
      chmodSync(path, 0o755);
    }
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  function started(shell: string, script: string): readonly string[] {
    // A log of its own for each run: what the run before left in the background must not count.
    const log = join(directory, `log-${(runs += 1)}`);
    writeFileSync(log, "");
    // `timeout` ends the whole process group: a shell that is killed alone leaves what it started.
    spawnSync("timeout", ["-k", "1", "5", shell, "-c", `${script}\nwait`], {
      cwd: directory,
      env: { PATH: `${join(directory, "bin")}:/usr/bin:/bin`, LOG: log },
      stdio: "ignore",
    });
    return [
      ...new Set(
        readFileSync(log, "utf8")
          .split("\n")
          .filter((line) => line !== ""),
      ),
    ];
  }

  const program = fc.constantFrom(...programs);
  const { script } = fc.letrec<{ script: string; command: string }>((tie) => ({
    command: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      program,
      fc.tuple(program, program).map(([a, b]) => `${a} ${b}`),
      tie("script").map((inner) => `(${inner})`),
      tie("script").map((inner) => `{ ${inner}\n}`),
      tie("script").map((inner) => `echo $(${inner})`),
      tie("script").map((inner) => `echo "x $(${inner}) y"`),
      tie("script").map((inner) => `if ${inner}\nthen :; fi`),
      tie("script").map((inner) => `for i in 1; do ${inner}\ndone`),
      tie("script").map((inner) => `case a in a) ${inner}\n;; esac`),
      // No function is called inside one of its own name: that would be a recursion without an end, each step a process.
      tie("script").map((inner) => {
        const name = `f${inner.split("() {").length}`;
        return `${name}() { ${inner}\n}; ${name}`;
      }),
      tie("script").map((inner) => `cat <<E\n$(${inner}\n)\nE\n`),
      tie("script").map((inner) => `X=$(${inner}) :`),
      program.map((name) => `env X=1 ${name}`),
      program.map((name) => `echo 1 | xargs ${name}`),
      program.map((name) => `eval '${name}; ${name}'`),
      program.map((name) => `sh -c "${name} x"`),
      program.map((name) => `find . -maxdepth 0 -exec ${name} {} \\;`),
      program.map((name) => `echo '${name}' # ${name}`),
      program.map((name) => `[ -n "$(${name})" ]`),
      program.map((name) => `X='it''s' "${name}" \\${name.slice(0, 1)}`),
      program.map((name) => `echo \`${name}\``),
    ),
    script: fc
      .tuple(
        fc.array(fc.tuple(tie("command"), fc.constantFrom("; ", " && ", " | ", " || ", "\n", " & ")), {
          maxLength: 2,
        }),
        tie("command"),
      )
      .map(
        ([parts, last]) =>
          parts
            .map(
              ([command, separator]) =>
                `${command}${command.endsWith("\n") || / #/.test(command) ? "\n" : separator}`,
            )
            .join("") + last,
      ),
  }));

  test.each(["/bin/sh", "/bin/bash"])(
    "every program %s starts is found",
    (shell) => {
      let known = 0;
      fc.assert(
        fc.property(script, (text) => {
          const chain = commandChain(text);
          if (chain.kind === "opaque") return;
          known += 1;
          const found = new Set(names(text));
          for (const name of started(shell, text)) expect(found).toContain(name);
        }),
        { numRuns: 150 },
      );
      expect(known).toBeGreaterThan(75);
    },
    120_000,
  );
});
