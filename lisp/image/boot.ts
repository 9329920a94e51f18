import type { LeafInstaller } from "../data/leaf.ts";
import { NIL } from "../data/symbol.ts";
import { installBits } from "../numbers/bit-leaves.ts";
import { installArithmetic } from "../numbers/arithmetic-leaves.ts";
import { installNumberFunctions } from "../numbers/function-leaves.ts";
import { installEquality } from "../equality/equality-leaves.ts";
import { installLists } from "../sequences/list-leaves.ts";
import { installPropertyLists } from "../sequences/property-list-leaves.ts";
import { installDirectSearch } from "../sequences/direct-search.ts";
import { installEqlSearch } from "../sequences/eql-search.ts";
import { installStringMaking } from "../sequences/string-making.ts";
import { installFixnumSorting } from "../sequences/fixnum-sorting.ts";
import { installModular } from "../numbers/modular-leaves.ts";
import { installSequenceConversion } from "../sequences/sequence-conversion.ts";
import { installSequences } from "../sequences/sequence-leaves.ts";
import { installCharacters } from "../characters/character-leaves.ts";
import { installStrings } from "../characters/string-leaves.ts";
import { installArrays } from "../arrays/array-leaves.ts";
import { installBitArrays } from "../arrays/bit-array-leaves.ts";
import { installHashTables } from "../hash/hash-table-leaves.ts";
import { installReader } from "../reader/reader-leaves.ts";
import { ReaderContext } from "../reader/context.ts";
import { Reader } from "../reader/reader.ts";
import { TextSource } from "../reader/source.ts";
import { installCallers } from "./caller-operators.ts";
import { installPackages } from "../packages/package-leaves.ts";
import { installHashEntries } from "../hash/hash-entries.ts";
import { installTypeLeaves } from "../typing/type-leaves.ts";
import { installClasses } from "../objects/class-leaves.ts";
import { installSlotFilling } from "../objects/slot-filling.ts";
import { installDispatch } from "../objects/dispatch.ts";
import { installConditionReaders } from "../objects/condition-leaves.ts";
import { installSignalling } from "../objects/signalling-leaves.ts";
import { installStructures } from "../structures/structure-leaves.ts";
import { installCharacterStreams } from "../streams/character-leaves.ts";
import { installStreams } from "../streams/stream-leaves.ts";
import { environmentInstaller } from "../environment/environment-leaves.ts";
import { filesInstaller } from "../pathnames/file-leaves.ts";
import { installPathnames } from "../pathnames/pathname-leaves.ts";
import type { HostPort } from "../streams/host-port.ts";
import { nodeHostPort } from "../streams/node-host.ts";
import { terminalInstaller } from "../streams/terminal-leaves.ts";
import { installNumberLayout } from "../printer/number-layout.ts";
import { installLongNumbers } from "../printer/long-numbers.ts";
import { installPrinter } from "../printer/printer-leaves.ts";
import { installRestarts } from "./restart-leaves.ts";
import { installImageSaving } from "../saved-images/image-leaves.ts";
import { installSymbols } from "../symbols/symbol-leaves.ts";
import { installCore } from "./core-leaves.ts";
import { installDefinitions } from "./definition-leaves.ts";
import { installFastArithmetic } from "./fast-arithmetic.ts";
import { loadLibrary } from "./library.ts";
import { Image } from "./image.ts";

/** Installers of all leaves, in order; a later one may replace an earlier one's leaf. */
const installers: readonly LeafInstaller[] = [
  installCore,
  installSymbols,
  installArithmetic,
  installBits,
  installNumberFunctions,
  installEquality,
  installLists,
  installPropertyLists,
  installSequences,
  installEqlSearch,
  installDirectSearch,
  installFixnumSorting,
  installStringMaking,
  installModular,
  installSequenceConversion,
  installCharacters,
  installStrings,
  installArrays,
  installBitArrays,
  installHashTables,
  installReader,
  installPackages,
  installHashEntries,
  installTypeLeaves,
  installClasses,
  installDispatch,
  installSlotFilling,
  installConditionReaders,
  installSignalling,
  installStructures,
  installRestarts,
  installCharacterStreams,
  installStreams,
  installPrinter,
  installNumberLayout,
  installLongNumbers,
  installPathnames,
];

/** Installers of the leaves that use the machine, through its port. */
function machineInstallers(port: HostPort): LeafInstaller[] {
  return [filesInstaller(port), terminalInstaller(port), environmentInstaller(port)];
}

/** A new image with all leaves and nothing of the library. */
export function bareImage(port: HostPort): Image {
  const image = new Image();
  const context = new ReaderContext(image);
  const system = image.findPackage("AUTOLITH-SYSTEM")!;
  image.readText = (text) => {
    const reader = new Reader(context, new TextSource(text), NIL, { pkg: system, standard: true });
    reader.run();
    return reader.value;
  };
  for (const install of [...installers, ...machineInstallers(port)]) install(image.define, image);
  installDefinitions(image);
  installCallers(image);
  installFastArithmetic(image);
  installImageSaving(image, port.files);
  return image;
}

/** A new image with all leaves and the library. */
export function bootImage(port: HostPort = nodeHostPort()): Image {
  let image = bareImage(port);
  if (!loadLibrary(image)) {
    // What was just compiled is in the cache now; all images come from there, so that they are alike.
    image = bareImage(port);
    loadLibrary(image);
  }
  image.booted = true;
  image.bootAnother = () => bootImage(port);
  return image;
}
