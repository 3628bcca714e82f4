/**
 * All commands by name.
 */
import type { Command } from "./parse/command.ts"
import { lsCommand } from "./commands/ls.ts"
import { treeCommand } from "./commands/tree.ts"
import { schemaCommand } from "./commands/show_schema.ts"
import { fragmentsCommand } from "./commands/show_fragments.ts"
import { domainCommand } from "./commands/show_domain.ts"
import { metaCommand } from "./commands/metadata/list.ts"
import { readCommand } from "./commands/read.ts"
import { deleteCommand } from "./commands/delete.ts"
import { importCommand } from "./commands/import_csv.ts"
import { exportCommand } from "./commands/export.ts"
import { copyCommand } from "./commands/copy.ts"
import { publishCommand } from "./commands/publish.ts"

/** All commands by name, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  ls: lsCommand,
  tree: treeCommand,
  schema: schemaCommand,
  fragments: fragmentsCommand,
  domain: domainCommand,
  meta: metaCommand,
  read: readCommand,
  delete: deleteCommand,
  import: importCommand,
  export: exportCommand,
  copy: copyCommand,
  publish: publishCommand,
}
