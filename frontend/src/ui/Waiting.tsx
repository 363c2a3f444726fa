import { Fragment } from "react";
import { Link, useParams } from "react-router";
import classes from "./Waiting.module.css";
import { aheadWords, named, pageOf, type WaitingFor, waitingWords } from "./waitingWords";

interface WaitingProps {
  /** Undefined while it is not known what is ahead. */
  on: WaitingFor | undefined;
  /** Named if it is not the queue of most jobs. */
  queue?: "gpu";
  /** Part of a line, and not a sentence of its own. */
  within?: boolean;
}

/** Says that a job waits for a worker, and what workers do before it. */
export function Waiting({ on, queue, within = false }: WaitingProps) {
  const { slug = "" } = useParams();
  const [before, behind] = waitingWords(on, queue ?? "", within);
  return (
    <>
      {before}
      {named(on).map((job, at) => {
        const page = pageOf(job);
        const words = aheadWords(job, slug);
        return (
          <Fragment key={`${job.kind} ${job.id}`}>
            {at > 0 && ", "}
            {page ? (
              <Link to={page} className={classes.link}>
                {words}
              </Link>
            ) : (
              words
            )}
          </Fragment>
        );
      })}
      {behind}
    </>
  );
}
