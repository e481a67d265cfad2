// The program of the browser. Run by itself, it prints the path: the pinned package writes the program when it is first asked for it, and no
// other process can start it while this one still has the file open.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { argv, env } from "node:process";
import { fileURLToPath } from "node:url";

/** Returns the path of the browser: CHROMIUM, else one on the PATH, else the one of the pinned package. */
export async function program() {
  const found = [env.CHROMIUM, ...(env.PATH ?? "").split(delimiter).flatMap((folder) => [join(folder, "chromium"), join(folder, "chromium-browser")])];
  for (const path of found) {
    try {
      if (path) return accessSync(path, constants.X_OK), path;
    } catch {
      // Tries the next candidate.
    }
  }
  return (await import("@sparticuz/chromium")).default.executablePath();
}

if (argv[1] === fileURLToPath(import.meta.url)) console.log(await program());
