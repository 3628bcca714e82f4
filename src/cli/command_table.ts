/**
 * All commands by name.
 */
import { copyCommand } from "./commands/copy.ts"
import { createCommand } from "./commands/create.ts"
import { deleteCommand } from "./commands/delete.ts"
import { evolveCommand } from "./commands/evolve.ts"
import { exportCommand } from "./commands/export.ts"
import { groupAddCommand } from "./commands/group/add.ts"
import { groupCopyCommand } from "./commands/group/copy.ts"
import { groupCreateCommand } from "./commands/group/create.ts"
import { groupRemoveCommand } from "./commands/group/remove.ts"
import { diffCommand } from "./commands/history/diff.ts"
import { logCommand } from "./commands/history/log.ts"
import { tagCommand } from "./commands/history/tag.ts"
import { importCommand } from "./commands/import_csv.ts"
import { lsCommand } from "./commands/ls.ts"
import { consolidateCommand } from "./commands/maintain/consolidate.ts"
import { fragmentsDeleteCommand } from "./commands/maintain/delete_fragments.ts"
import { inspectCommand } from "./commands/maintain/inspect.ts"
import { planCommand } from "./commands/maintain/plan.ts"
import { repairCommand } from "./commands/maintain/repair.ts"
import { tidyCommand } from "./commands/maintain/tidy.ts"
import { vacuumCommand } from "./commands/maintain/vacuum.ts"
import { verifyCommand } from "./commands/maintain/verify.ts"
import { metaGetCommand } from "./commands/metadata/get.ts"
import { metaListCommand } from "./commands/metadata/list.ts"
import { metaPutCommand } from "./commands/metadata/put.ts"
import { metaRemoveCommand } from "./commands/metadata/remove.ts"
import { mvCommand } from "./commands/objects/mv.ts"
import { rmCommand } from "./commands/objects/rm.ts"
import { publishCommand } from "./commands/publish.ts"
import { readCommand } from "./commands/read.ts"
import { domainCommand } from "./commands/show_domain.ts"
import { fragmentsCommand } from "./commands/show_fragments.ts"
import { schemaCommand } from "./commands/show_schema.ts"
import { treeCommand } from "./commands/tree.ts"
import { upgradeCommand } from "./commands/upgrade.ts"
import type { Command } from "./parse/command.ts"

/** All commands by name, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  ls: lsCommand,
  tree: treeCommand,
  schema: schemaCommand,
  fragments: fragmentsCommand,
  "fragments list": fragmentsCommand,
  "fragments delete": fragmentsDeleteCommand,
  domain: domainCommand,
  meta: metaListCommand,
  "meta list": metaListCommand,
  "meta get": metaGetCommand,
  "meta put": metaPutCommand,
  "meta remove": metaRemoveCommand,
  read: readCommand,
  create: createCommand,
  evolve: evolveCommand,
  upgrade: upgradeCommand,
  delete: deleteCommand,
  import: importCommand,
  export: exportCommand,
  copy: copyCommand,
  mv: mvCommand,
  rm: rmCommand,
  "group create": groupCreateCommand,
  "group add": groupAddCommand,
  "group remove": groupRemoveCommand,
  "group copy": groupCopyCommand,
  "group tree": treeCommand,
  log: logCommand,
  diff: diffCommand,
  tag: tagCommand,
  inspect: inspectCommand,
  plan: planCommand,
  consolidate: consolidateCommand,
  vacuum: vacuumCommand,
  tidy: tidyCommand,
  verify: verifyCommand,
  repair: repairCommand,
  publish: publishCommand,
}
