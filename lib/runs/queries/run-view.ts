import type { ActorKind } from "@/lib/people/rules/actor";
import type { Prisma } from "@/lib/database/generated/client";

/** What a run, or a part of it, has used so far. */
export interface Figures {
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  llmCalls: number;
  toolCalls: number;
}

export interface RunFailure {
  code: string;
  message: string;
  step?: string;
  [detail: string]: unknown;
}

export interface StartedBy {
  kind: ActorKind;
  id: string;
  name: string;
}

type FigureColumns = {
  tokensIn: number;
  tokensOut: number;
  costUsd: Prisma.Decimal | number;
  llmCalls: number;
  toolCalls: number;
};

export const toFigures = ({ tokensIn, tokensOut, costUsd, llmCalls, toolCalls }: FigureColumns): Figures => ({
  tokensIn,
  tokensOut,
  costUsd: toMoney(costUsd),
  llmCalls,
  toolCalls,
});

/** Costs are stored to the millionth; floating-point sums must not show more digits. */
export const toMoney = (usd: Prisma.Decimal | number): number => Number(usd.toFixed(6));

export function addFigures(all: readonly Figures[]): Figures {
  const sum = (of: (figures: Figures) => number) => all.reduce((total, figures) => total + of(figures), 0);
  return {
    tokensIn: sum((each) => each.tokensIn),
    tokensOut: sum((each) => each.tokensOut),
    costUsd: toMoney(sum((each) => each.costUsd)),
    llmCalls: sum((each) => each.llmCalls),
    toolCalls: sum((each) => each.toolCalls),
  };
}
