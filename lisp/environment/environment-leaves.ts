import { list } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { Ratio } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { HostPort } from "../streams/host-port.ts";

/** Seconds from 1900 (universal time) to 1970 (epoch). */
const universalEpoch = 2_208_988_800;

/** The keywords of *FEATURES*. */
const featureNames = ["AUTOLITH", "ANSI-CL", "COMMON-LISP", "IEEE-FLOATING-POINT", "UNIX", "64-BIT"];

/** Installer of the environment functions (chapter 25) for an image on this machine. */
export function environmentInstaller({ machine }: HostPort): LeafInstaller {
  return (define, host) => {
    const units = host.symbol("INTERNAL-TIME-UNITS-PER-SECOND");
    units.kind = "constant";
    units.value = 1_000_000;
    const features = host.symbol("*FEATURES*");
    features.kind = "special";
    features.value = list(...featureNames.map((name) => host.symbol(`:${name}`)));
    const startedAtMs = machine.monotonicMs();
    define("GET-UNIVERSAL-TIME", "", () => Math.floor(machine.now() / 1000) + universalEpoch);
    define("GET-INTERNAL-REAL-TIME", "", () => Math.round((machine.monotonicMs() - startedAtMs) * 1000));
    define("GET-INTERNAL-RUN-TIME", "", () => Math.round(machine.cpuMs() * 1000));
    define("SYS:%LOCAL-ZONE", "universal-time", (time: LispValue) => {
      const atMs =
        (Number(typeof time === "number" || typeof time === "bigint" ? time : 0) - universalEpoch) * 1000;
      const { minutesWest, daylight } = machine.zone(
        Number.isFinite(atMs) && Math.abs(atMs) < 8e15 ? atMs : 0,
      );
      const hours = minutesWest / 60;
      const zone: LispValue = Number.isInteger(hours) ? hours : reduced(minutesWest);
      return list(zone, bool(daylight));
    });
    const facts: readonly (readonly [string, string])[] = [
      ["MACHINE-INSTANCE", machine.instance],
      ["MACHINE-TYPE", machine.type],
      ["MACHINE-VERSION", machine.version],
      ["SOFTWARE-TYPE", machine.softwareType],
      ["SOFTWARE-VERSION", machine.softwareVersion],
      ["LISP-IMPLEMENTATION-TYPE", "Autolith Common Lisp"],
      ["LISP-IMPLEMENTATION-VERSION", "0.1.0"],
    ];
    for (const [name, value] of facts) define(name, "", () => LString.from(value));
    define("SHORT-SITE-NAME", "", () => NIL);
    define("LONG-SITE-NAME", "", () => NIL);
    define("SYS:%HEAP-USED", "", () => machine.heap().used);
    define("SYS:%HEAP-LIMIT", "", () => machine.heap().limit);
    define("SYS:%GETENV", "name", (name: LispValue) => {
      if (!(name instanceof LString)) throw typeError(name, "STRING");
      const value = machine.environment(name.toJS());
      return value === undefined ? NIL : LString.from(value);
    });
    define("SYS:%SYMBOL-CONSTANT-P", "symbol", (symbol: LispValue) =>
      bool(symbol instanceof LSymbol && symbol.kind === "constant"),
    );
  };
}

function reduced(minutes: number): LispValue {
  const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
  const divisor = gcd(minutes, 60);
  return new Ratio(minutes / divisor, 60 / divisor);
}
