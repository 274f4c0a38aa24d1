import type { Command } from "commander";

/**
 * After a slip each command points to its own help: that of the whole program does not say which options the command
 * takes.
 */
export function pointToHelp(program: Command): void {
  program.showHelpAfterError("(kimitsu --help lists the commands)");
  for (const command of program.commands) {
    command.showHelpAfterError(`(kimitsu ${command.name()} --help says more)`);
    for (const inner of command.commands)
      inner.showHelpAfterError(`(kimitsu ${command.name()} ${inner.name()} --help says more)`);
  }
}
