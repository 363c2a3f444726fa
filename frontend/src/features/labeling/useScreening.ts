import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Outbox } from "@/api/outbox";
import type { MyQuality } from "@/api/qualityTypes";
import { myQualityQuery } from "./queries";

interface Answer {
  labelId: number;
  /** The server's state after the answer; null until the answer has arrived there. */
  standing: MyQuality | null;
  read: boolean;
}

type Shown = "work" | "sending" | "feedback" | "result";

/** What comes between one screening task and the next: the accepted answer and, at the end, the result. */
export function useScreening(slug: string, outbox: Outbox) {
  const client = useQueryClient();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const awaited = useRef(0);
  useEffect(
    () =>
      outbox.onSent(({ item }) => {
        if (item.labelId !== awaited.current) return;
        client
          .fetchQuery({ ...myQualityQuery(slug), staleTime: 0 })
          .then((standing) => setAnswer({ labelId: item.labelId, standing, read: false }))
          .catch(() => setAnswer(null)); // the next task shows the result so far
      }),
    [outbox, slug, client],
  );
  return {
    labelId: answer?.labelId ?? 0,
    shown: shownFor(answer),
    answered: useCallback((labelId: number) => {
      awaited.current = labelId;
      setAnswer({ labelId, standing: null, read: false });
    }, []),
    next: useCallback(
      () => setAnswer((now) => (now && !now.read && isOver(now.standing) ? { ...now, read: true } : null)),
      [],
    ),
  };
}

function isOver(standing: MyQuality | null): boolean {
  return standing?.screening?.passed != null;
}

/** Return what to show: feedback first if there is any, then the result if the attempt is over, then work. */
export function shownFor(answer: Answer | null): Shown {
  if (answer === null) return "work";
  if (answer.standing === null) return "sending";
  if (answer.standing.screening?.feedback && !answer.read) return "feedback";
  return isOver(answer.standing) ? "result" : "work";
}
