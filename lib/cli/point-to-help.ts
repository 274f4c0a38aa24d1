import type { Command } from "commander";

/**
 * After a wrong option each command points to its own help: that of the whole program does not list the options of the
 * command.
 */
export function pointToHelp(program: Command): void {
  program.showHelpAfterError("(kimitsu --help lists the commands)");
  for (const command of program.commands) {
    command.showHelpAfterError(`(kimitsu ${command.name()} --help says more)`);
    for (const inner of command.commands)
      inner.showHelpAfterError(`(kimitsu ${command.name()} ${inner.name()} --help says more)`);
  }
}
