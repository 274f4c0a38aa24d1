/** Both the order and the outcome are accepted: `approve` and `approved` mean the same. */
export const toVerdict = (decision: "approve" | "approved" | "reject" | "rejected"): "approved" | "rejected" =>
  decision.startsWith("approve") ? "approved" : "rejected";
