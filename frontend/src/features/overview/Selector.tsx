import type { SelectorNews } from "@/api/homeTypes";
import { BaselineMark } from "@/ui/BaselineMark";
import { ButtonLink } from "@/ui/Button";
import { intervalPart, signed } from "@/ui/charts/estimateWords";
import { FIGURES, standing } from "@/ui/figureWords";
import { formatDay } from "@/ui/forecastWords";
import { Figure, Figures, Panel } from "@/ui/Panel";
import classes from "./overview.module.css";
import { useSelector } from "./queries";
import { ALONE, selectorVerdict } from "./selectorWords";

const MOST = 5; // figures in a row; the others are a click away

/** What to look at next: traces that the selector takes for right, with wrong answers, that nobody has labeled. */
const CONVINCING = "traces?outcome=wrong&labeled=no&order=score";

/** The two most important figures, which are shown even if undecided. */
const ALWAYS = new Set(["auc", "processbench_f1"]);

/** The selector against the previous one: what it does better and worse, with intervals. */
export function Selector({ slug }: { slug: string }) {
  const { data: news } = useSelector(slug);
  if (!news) return null;
  const compared = news.why === "compared" && news.left && news.right;
  const alone = news.why === "compared" ? null : ALONE[news.why];
  const to = compared
    ? `evaluations/compare?left=${news.left?.id}&right=${news.right?.id}`
    : (alone?.to ?? "evaluations");
  return (
    <Panel
      title="The selector"
      note={noteOf(news)}
      actions={
        <>
          {news.selector && (
            <ButtonLink to={`/projects/${slug}/${CONVINCING}`}>Most convincing wrong traces</ButtonLink>
          )}
          <ButtonLink to={`/projects/${slug}/${to}`}>{compared ? "Compare" : alone?.link}</ButtonLink>
        </>
      }
    >
      <BaselineMark notBeaten={news.baseline_not_beaten} />
      {alone && <p className={classes.basis}>{alone.says}</p>}
      {compared && (
        <>
          <Figures>
            {shown(news).map((one) => (
              <Figure
                key={one.name}
                name={FIGURES[one.name]?.name ?? one.name}
                value={one.value === null ? "n/a" : signed(one.value)}
                note={[standing(one), intervalPart(one, signed)].join(" · ")}
              />
            ))}
          </Figures>
          <p className={classes.basis}>
            Against {news.before?.name} on {news.left?.set_name}: {selectorVerdict(news.differences)}. The differences
            are paired over problems.
          </p>
        </>
      )}
    </Panel>
  );
}

function noteOf({ selector, since }: SelectorNews): string | undefined {
  return selector ? `${selector.name}${since ? `, since ${formatDay(since.slice(0, 10))}` : ""}` : undefined;
}

/** Return the figures to show, those that got worse first. */
function shown({ differences }: SelectorNews): SelectorNews["differences"] {
  const decided = (one: SelectorNews["differences"][number]) => ["better", "worse"].includes(standing(one));
  const worse = (one: SelectorNews["differences"][number]) => standing(one) === "worse";
  const order = Object.keys(FIGURES);
  return differences
    .filter((one) => FIGURES[one.name] && (ALWAYS.has(one.name) || decided(one)))
    .sort((a, b) => Number(worse(b)) - Number(worse(a)) || order.indexOf(a.name) - order.indexOf(b.name))
    .slice(0, MOST);
}
