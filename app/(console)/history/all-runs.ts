/** Lists every run, also for those whose History opens with a view of theirs. */
export const ALL_RUNS = "/history?view=all";
