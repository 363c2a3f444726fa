import { Fragment } from "react";
import { Link, useParams } from "react-router";
import classes from "./Waiting.module.css";
import { aheadWords, named, pageOf, type WaitingFor, waitingWords } from "./waitingWords";

interface WaitingProps {
  /** Nothing while nobody knows what is ahead. */
  on: WaitingFor | undefined;
  /** Named where it is not the one that most jobs are on. */
  queue?: "gpu";
  /** Within a line, and not a sentence of its own. */
  within?: boolean;
}

/** That a job waits for a worker, and what workers do before it. */
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
