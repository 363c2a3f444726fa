import { Link } from "react-router";
import type { Home } from "@/api/homeTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import type { TrainingAtClose } from "@/api/trainingTypes";
import { StartLink, WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { CURVE_TITLE, NewestCurve } from "@/ui/charts/LearningCurve";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { closeNews, isUnderWay } from "./closeNews";
import classes from "./overview.module.css";
import { useFreshCurve, useTrainAtEachClose, useTrainingAtClose } from "./queries";

/** The newest learning curve and the training at the newest close. Without a curve, how to get one. */
export function LearningBlock({ slug, learning }: { slug: string; learning: Home["learning"] }) {
  const { data: atClose } = useTrainingAtClose(slug);
  useFreshCurve(slug, atClose !== undefined && isUnderWay(atClose));
  if (!learning) return atClose ? <NoCurveYet slug={slug} atClose={atClose} /> : null;
  return (
    <NewestCurve
      slug={slug}
      learning={learning}
      news={atClose && <News slug={slug} atClose={atClose} shown={learning} />}
    />
  );
}

/** What happened to the training at the newest close. */
function News({ slug, atClose, shown }: { slug: string; atClose: TrainingAtClose; shown: Home["learning"] }) {
  const news = closeNews(atClose, shown);
  if (!news) return null;
  return (
    <div className={classes.news} data-tone={news.tone}>
      {news.tone === "going" && (
        <ProgressLine label="Training" done={0} total={atClose.run?.status === "running" ? null : 1} />
      )}
      <p aria-live="polite">
        <strong>{news.says}</strong> {news.detail}
      </p>
      {news.link && <Link to={`/projects/${slug}/${news.link.to}`}>{news.link.name}</Link>}
    </div>
  );
}

function NoCurveYet({ slug, atClose }: { slug: string; atClose: TrainingAtClose }) {
  const news = closeNews(atClose, null);
  return (
    <Panel title={CURVE_TITLE}>
      {news ? (
        <News slug={slug} atClose={atClose} shown={null} />
      ) : (
        <p className={classes.quiet}>
          Not measured yet. Training a PRM measures it: the training fits the head on shares of the labels and shows
          what more labels would bring.
        </p>
      )}
      {atClose.on ? !news && <p className={classes.basis}>{onWords(atClose)}</p> : <Offer slug={slug} />}
    </Panel>
  );
}

function onWords({ has_base }: TrainingAtClose): string {
  return has_base
    ? "The next time a round with labels closes, a training starts."
    : "A training should start when a round closes, but there is no base model here. An operator must name one in TRAINING_BASES.";
}

/** The switch from the settings, as one click for those who may use it. */
function Offer({ slug }: { slug: string }) {
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const switchOn = useTrainAtEachClose(slug);
  return (
    <>
      <p className={classes.basis}>
        When a round closes, a worker can automatically train a PRM on all labels to keep this up to date. It takes a
        few minutes and promotes nothing.
        {!admin && " An admin of the project can switch this on under Settings."}
      </p>
      <ErrorNotice error={switchOn.error} />
      <div className={classes.offer}>
        {admin && (
          <WhileActive>
            <Button kind="primary" disabled={switchOn.isPending} onClick={() => switchOn.mutate()}>
              Train when a round closes
            </Button>
          </WhileActive>
        )}
        <StartLink to={`/projects/${slug}/prms/train`}>Train a PRM now</StartLink>
      </div>
    </>
  );
}
