import { bootImage, loadText } from "../lisp/image/boot.ts";
const t0=performance.now();
const image = bootImage();
console.log("boot", performance.now()-t0);
console.log(loadText(image, process.argv[2]!));
