/** `kimitsu schema`: JSON Schemas for editors, and the tables of fields in the reference pages. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { KimitsuError } from "@/lib/errors";
import { createSchemaDocument, SCHEMA_KINDS } from "@/lib/cli/schema-documents";
import { projectRoot } from "@/lib/cli/project-options";
import { drawFieldTable, replaceFieldTable } from "@/lib/cli/schema-table";

export function registerSchema(program: Command): void {
  program
    .command("schema")
    .description("write the JSON Schemas of the YAML files, so that editors complete and check them")
    .option("--out <folder>", "where to write; the folder .schema of the project if absent")
    .option("--docs [folder]", "also write the tables of fields in the reference pages")
    .action((options: { out?: string; docs?: string | true }) => {
      const folder = options.out ?? path.join(projectRoot(), ".schema");
      for (const file of writeSchemas(folder)) console.log(file);
      if (options.docs !== undefined)
        for (const file of writeTables(options.docs === true ? "docs/reference" : options.docs)) console.log(file);
    });
}

export function writeSchemas(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return SCHEMA_KINDS.map((kind) => {
    const file = path.join(folder, `${kind}.json`);
    writeFileSync(file, `${JSON.stringify(createSchemaDocument(kind), null, 2)}\n`);
    return file;
  });
}

export function writeTables(folder: string): string[] {
  return SCHEMA_KINDS.map((kind) => {
    const file = path.join(folder, `${kind}.md`);
    const page = replaceFieldTable(readFileSync(file, "utf8"), kind, drawFieldTable(createSchemaDocument(kind)));
    if (page === null)
      throw new KimitsuError(
        "invalid_request",
        `${file} has no place for the table of fields of ${kind}; add its two marker comments`,
      );
    writeFileSync(file, page);
    return file;
  });
}
