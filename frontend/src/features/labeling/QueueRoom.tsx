import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { isRetryable } from "@/api/client";
import { newId } from "@/api/journal";
import { usePageChoices } from "@/api/preferences";
import { useSession as useLogin, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { type Desk, useOutbox } from "@/api/useDesk";
import { commandNamed } from "@/protocol/commands";
import { keysOf, NO_CHOICES } from "@/protocol/keyMap";
import { isTyping, showKey } from "@/protocol/keys";
import { BottomLine } from "@/ui/BottomLine";
import { ButtonLink } from "@/ui/Button";
import { fetchParts, partOfPage, whenIdle } from "@/ui/partOfPage";
import { ErrorState } from "@/ui/states";
import { type DeskSession, openSession } from "./deskSession";
import { LoadingDesk } from "./LoadingDesk";
import { LabelSession } from "./labelSession";
import classes from "./layout.module.css";
import { hasteWords, unsentOf, withOwn } from "./ownProgress";
import {
  askAheadQuery,
  changeProgress,
  claimNextLabel,
  guidelineQuery,
  myProgressKey,
  myProgressQuery,
  queueKey,
  releaseLabel,
  reopenLabel,
  resumeLabel,
} from "./queries";
import { advance, EMPTY_QUEUE, type Queue, reconcile, takeBack, UNDO_MS, withoutRound } from "./queue";
import { queueNews } from "./queueNews";
import { isScreening } from "./screeningRound";
import { UndoByKey } from "./UndoByKey";
import { useSession, useShelf, warmFormulas } from "./useLabelingRoom";
import { useScreening } from "./useScreening";
import { useStock } from "./useStock";
import { Workbench } from "./Workbench";

const EmptyQueueScreen = partOfPage(async () => (await import("./EmptyScreens")).EmptyQueueScreen, <LoadingDesk />);
const WaitingScreen = partOfPage(async () => (await import("./EmptyScreens")).WaitingScreen, <LoadingDesk />);
const PathDesk = partOfPage(async () => (await import("./PathDesk")).PathDesk, <LoadingDesk />);
const PausedScreen = partOfPage(async () => (await import("./Screening")).PausedScreen, <LoadingDesk />);
const ScreeningResult = partOfPage(async () => (await import("./Screening")).ScreeningResult, <LoadingDesk />);
const ScreeningDoor = partOfPage(async () => (await import("./ScreeningDoor")).ScreeningDoor, <LoadingDesk />);
const FeedbackScreen = partOfPage(async () => (await import("./ScreeningFeedback")).FeedbackScreen, <LoadingDesk />);

const RETRY_MS = 5_000;
const FLUSH_PATIENCE_MS = 4_000;

/** The label before this one, which can be taken back. */
interface Before {
  session: DeskSession;
  /** It was left, not submitted. */
  left: boolean;
  key: string;
  at: number;
  /** Asks whether the label was really read, if it took hardly any time. */
  haste: string;
}

/** The queue of a project. After you submit, the next label is there at once; the network follows in the background. */
export function QueueRoom({ slug, desk }: { slug: string; desk: Desk }) {
  const user = useUser();
  const build = useLogin().data?.build ?? "";
  const client = useQueryClient();
  const navigate = useNavigate();
  const undoKey = showKey(keysOf(commandNamed("undo"), user.preferences.keys ?? NO_CHOICES)[0] ?? "");
  const { outbox, journal } = desk;
  const shelf = useShelf(user.id, journal);
  const waiting = useOutbox(outbox);
  const [last, setLast] = useState<Before | null>(null);
  const [notice, setNotice] = useState("");
  const key = useMemo(() => queueKey(user.id, slug), [user.id, slug]);
  const { tasks_ahead: ahead } = usePageChoices();
  const [stock] = useState<Map<number, Label>>(() => new Map());
  const begun = useRef(false);
  const screening = useScreening(slug, outbox);

  const queue = useQuery<Queue>({
    queryKey: key,
    queryFn: async ({ signal }) => {
      // Send what is waiting first, or the server would offer the label just submitted once more.
      await Promise.race([outbox.flush(), new Promise((done) => setTimeout(done, FLUSH_PATIENCE_MS))]);
      const fresh = await claimNextLabel(slug, begun.current, ahead, signal);
      if (fresh.leased) stock.set(fresh.leased.id, fresh.leased);
      const shown = client.getQueryData<Queue>(key)?.label ?? null;
      return reconcile(shown, fresh, outbox.queuedLabels(), shelf.hasWork(shown?.id) || isTyping(), stock);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    refetchOnMount: "always",
    networkMode: "always",
    retry: (failures, error) => failures < 1 && isRetryable(error),
    refetchInterval: (query) => (!query.state.data?.label && query.state.error ? RETRY_MS : false),
  });
  const label = queue.data?.label ?? null;
  const next = queue.data?.next ?? null;
  const session = useSession(shelf, label);
  useStock(stock, key, queue.data);

  useEffect(() => {
    for (const offered of [label, next]) {
      if (!offered) continue;
      shelf.open(offered);
      shelf.get(offered.id)?.carry(offered.carried);
      if (offered.after_error.suggests) void client.prefetchQuery(askAheadQuery(offered.id));
    }
    return next ? warmFormulas(next) : undefined;
  }, [label, next, shelf, client]);

  useEffect(() => {
    if (queue.data?.resume) void session?.resume();
  }, [queue.data?.resume, session]);

  useEffect(() => void client.prefetchQuery(guidelineQuery(slug)), [client, slug]);

  const hasLabel = label !== null;
  useEffect(() => (hasLabel ? whenIdle(() => void fetchParts()) : undefined), [hasLabel]);

  useEffect(
    () =>
      outbox.onSent(({ item, label: { round }, surplus, round_closed }) => {
        if (item.slug !== slug) return;
        changeProgress(client, slug, (progress) =>
          withOwn(progress, item.submission, { round: round.number, surplus }),
        );
        setTimeout(() => {
          if (!shelf.get(item.labelId)) void journal.deleteDraft(user.id, item.labelId);
        }, UNDO_MS + 5_000);
        if (surplus) {
          const why = round_closed ? "Its round was closed" : "Its slot was taken";
          setNotice(`Submitted. ${why}, so it is kept as an extra label.`);
        }
        if (round_closed) {
          client.setQueryData<Queue>(key, (old) => {
            const begun = (id: number) => shelf.hasWork(id) || (id === old?.label?.id && isTyping());
            return old && withoutRound(old, round.number, begun, stock);
          });
        }
        if (outbox.getState().items.every((one) => one.slug !== slug || one.refusal)) void queue.refetch();
      }),
    [outbox, slug, client, journal, user.id, shelf, queue.refetch, key, stock],
  );

  // A refusal by the server ends the wait just as an acceptance does: ask again for what comes next.
  const refusals = waiting.items.filter((item) => item.slug === slug && item.refusal).length;
  useEffect(() => {
    if (refusals) void queue.refetch();
  }, [refusals, queue.refetch]);

  useEffect(() => {
    if (!last) return;
    const timer = setTimeout(() => setLast(null), last.at + UNDO_MS - Date.now());
    return () => clearTimeout(timer);
  }, [last]);

  const submit = useCallback(() => {
    if (!session) return;
    const now = Date.now();
    const submission = session.submission(newId(), build, now);
    session.close();
    outbox.enqueue({
      key: submission.idempotency_key,
      userId: user.id,
      labelId: session.label.id,
      slug,
      round: session.label.round.number,
      action: "submit",
      submission,
      problemText: session.label.problem.text.slice(0, 160),
      finish: submission.finish_reason,
      queuedAt: now,
      attempts: 0,
      refusal: null,
    });
    shelf.remove(session.label.id);
    void client.cancelQueries({ queryKey: key });
    client.setQueryData<Queue>(key, (old) => advance(old ?? EMPTY_QUEUE, stock));
    const floor = client.getQueryData(myProgressQuery(slug, session.label.round.number).queryKey)?.floor_ms;
    if (isScreening(session.label)) screening.answered(session.label.id);
    else
      setLast({ session, left: false, key: submission.idempotency_key, at: now, haste: hasteWords(submission, floor) });
    setNotice("");
  }, [session, build, outbox, user.id, slug, shelf, client, key, screening.answered, stock]);

  const undo = useCallback(async () => {
    if (!last) return;
    setLast(null);
    try {
      const { id } = last.session.label;
      const here = !last.left && (await outbox.withdraw(last.key));
      const reopened = here ? last.session.label : await (last.left ? resumeLabel(id) : reopenLabel(id));
      const again = await openSession(reopened, user.id, journal);
      if (again instanceof LabelSession && last.session instanceof LabelSession) {
        again.adoptHistory(last.session.getState().draft);
      }
      shelf.put(again);
      await client.cancelQueries({ queryKey: key });
      client.setQueryData<Queue>(key, (old) => takeBack(old ?? EMPTY_QUEUE, reopened));
      void client.invalidateQueries({ queryKey: myProgressKey(slug) });
    } catch (error) {
      setNotice(`Not taken back: ${error instanceof Error ? error.message : "unknown reason."}`);
    }
  }, [last, outbox, user.id, journal, shelf, client, key, slug]);

  const refetch = useCallback(() => void queue.refetch(), [queue.refetch]);
  const begin = useCallback(() => {
    begun.current = true;
    refetch();
  }, [refetch]);

  const leave = useCallback(async () => {
    if (!session) return;
    try {
      await releaseLabel(session.label.id);
      if (session.hasWork()) setLast({ session, left: true, key: "", at: Date.now(), haste: "" });
      session.close();
      shelf.remove(session.label.id);
      await client.cancelQueries({ queryKey: key });
      client.setQueryData<Queue>(key, (old) => advance(old ?? EMPTY_QUEUE, stock));
      refetch();
    } catch (error) {
      setNotice(`The problem could not be given back: ${error instanceof Error ? error.message : "unknown reason."}`);
    }
  }, [session, shelf, client, key, refetch, stock]);

  const mine = waiting.items.filter((item) => item.slug === slug && !item.refusal);
  const refused = waiting.items.filter((item) => item.slug === slug && item.refusal);
  const newsWhile = (working: boolean) =>
    queueNews({
      refused,
      notice,
      last,
      waits: waiting.unreachable && mine.some((item) => item.key === last?.key),
      working,
      undoKey,
      undo: () => void undo(),
      hide: () => setNotice(""),
      openRefused: (item) =>
        void outbox.withdraw(item.key).then(() => navigate(`/projects/${item.slug}/label/${item.labelId}`)),
    });

  if (screening.shown === "feedback")
    return <FeedbackScreen slug={slug} labelId={screening.labelId} onNext={screening.next} />;
  if (screening.shown === "result") {
    return (
      <ScreeningResult
        slug={slug}
        onStart={() => {
          screening.next();
          refetch();
        }}
      />
    );
  }
  const onItsWay = refused.length === 0 && !waiting.unreachable;
  if (screening.shown === "sending" && onItsWay) return <LoadingDesk />;
  if (label && session) {
    const desk = {
      label,
      canUndoSubmission: last !== null,
      waiting: unsentOf(mine),
      outbox: { queued: mine.length, unreachable: waiting.unreachable, durable: journal.durable },
      newsWhile,
      onSubmit: submit,
      onUndoSubmission: () => void undo(),
    };
    return session instanceof LabelSession ? (
      <Workbench key={label.id} {...desk} session={session} submitWords="Submit, next" />
    ) : (
      <PathDesk key={label.id} {...desk} session={session} onLeave={() => void leave()} />
    );
  }
  if (label || queue.isPending) return <LoadingDesk />;
  return (
    <>
      {queue.data?.empty?.code === "screening_not_begun" ? (
        <ScreeningDoor slug={slug} beginning={queue.isFetching && begun.current} onBegin={begin} />
      ) : queue.data?.empty?.code === "paused" ? (
        <PausedScreen slug={slug} empty={queue.data.empty} onRetry={refetch} />
      ) : queue.data?.empty?.code === "screening_failed" || queue.data?.empty?.code === "screening_rejected" ? (
        <ScreeningResult slug={slug} onStart={refetch} />
      ) : queue.data?.empty ? (
        <EmptyQueueScreen slug={slug} empty={queue.data.empty} checking={queue.isFetching} onRetry={refetch} />
      ) : queue.error && !isRetryable(queue.error) ? (
        <ErrorState
          title="There is nothing to label here"
          error={queue.error}
          retry={refetch}
          actions={<ButtonLink to="/projects">Projects</ButtonLink>}
        />
      ) : (
        <WaitingScreen
          slug={slug}
          queued={mine.length}
          unreachable={waiting.unreachable || queue.isError}
          onRetry={refetch}
        />
      )}
      {last && <UndoByKey onUndo={() => void undo()} />}
      <div className={classes.bottom}>
        <BottomLine news={newsWhile(false)} />
      </div>
    </>
  );
}
