/** Lists every run, also for people whose History opens with a view of their own. */
export const ALL_RUNS = "/history?view=all";
