import { type KeyboardEvent, useRef } from "react";
import { Link, useNavigate } from "react-router";
import type { Notice } from "@/api/deskTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { Mark } from "@/ui/Mark";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./notices.module.css";
import { useNotices, useReadAllNotices, useReadNotice } from "./queries";

/** Your notices, newest first. j and k move, Enter opens, m marks as read. */
export function NoticesPage() {
  const notices = useNotices();
  const readAll = useReadAllNotices();
  const unread = notices.rows?.some((notice) => notice.read_at === null) ?? false;
  return (
    <>
      <PageHeading
        title="Notices"
        actions={
          <>
            <ButtonLink kind="plain" to="/account#notices">
              Choose what reaches you
            </ButtonLink>
            <Button disabled={!unread || readAll.isPending} onClick={() => readAll.mutate()}>
              Mark all as read
            </Button>
          </>
        }
      />
      <ErrorNotice error={readAll.error} />
      {notices.isPending && <SkeletonLines lines={6} />}
      {notices.error && !notices.rows && (
        <ErrorState inline error={notices.error} retry={() => void notices.refetch()} />
      )}
      {notices.rows?.length === 0 && (
        <EmptyState inline mark={<Mark of="bell" />} title="Nothing to tell you yet">
          <p>Notices appear here when a round is labeled, an export is ready or something needs your attention.</p>
        </EmptyState>
      )}
      {notices.rows && notices.rows.length > 0 && <NoticeList notices={notices.rows} />}
      {notices.hasNextPage && (
        <Button disabled={notices.isFetchingNextPage} onClick={() => void notices.fetchNextPage()}>
          {notices.isFetchingNextPage ? "Loading…" : "Load more"}
        </Button>
      )}
    </>
  );
}

function NoticeList({ notices }: { notices: Notice[] }) {
  const navigate = useNavigate();
  const read = useReadNotice();
  const list = useRef<HTMLUListElement>(null);

  const focusRow = (place: number) => {
    const rows = list.current?.querySelectorAll<HTMLElement>("[data-notice]") ?? [];
    rows[Math.max(0, Math.min(rows.length - 1, place))]?.focus();
  };
  const open = (notice: Notice) => {
    if (notice.read_at === null) read.mutate(notice.id);
    if (notice.path) void navigate(notice.path);
  };
  const press = (event: KeyboardEvent, place: number) => {
    const notice = notices[place];
    if (!notice || event.ctrlKey || event.metaKey || event.altKey) return;
    const by: Record<string, () => void> = {
      j: () => focusRow(place + 1),
      ArrowDown: () => focusRow(place + 1),
      k: () => focusRow(place - 1),
      ArrowUp: () => focusRow(place - 1),
      m: () => notice.read_at === null && read.mutate(notice.id),
      Enter: () => open(notice),
    };
    const run = by[event.key];
    if (!run || (event.key === "Enter" && event.target !== event.currentTarget)) return;
    event.preventDefault();
    run();
  };
  return (
    <ul ref={list} className={classes.list} aria-label="Notices, newest first">
      {notices.map((notice, place) => (
        <li
          key={notice.id}
          className={classes.notice}
          data-unread={notice.read_at === null || undefined}
          data-notice
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a row is what the keys move over
          tabIndex={0}
          onKeyDown={(event) => press(event, place)}
        >
          <span className={classes.dot} aria-hidden />
          <div className={classes.words}>
            <p className={classes.title}>
              {notice.path ? (
                <Link to={notice.path} tabIndex={-1} onClick={() => open(notice)}>
                  {notice.title}
                </Link>
              ) : (
                notice.title
              )}
              {notice.read_at === null && <span className="visually-hidden"> (unread)</span>}
            </p>
            <p>{notice.text}</p>
            <p className={classes.about}>
              {notice.project && <>{notice.project.name} · </>}
              <RelativeTime at={notice.created_at} />
            </p>
          </div>
          {notice.read_at === null && (
            <Button kind="plain" tabIndex={-1} onClick={() => read.mutate(notice.id)}>
              Mark as read
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
