import { useState } from "react";
import { countOf } from "@/ui/format";
import classes from "./run.module.css";
import type { RunSource, StepImage, StepTable } from "./typedStep";

interface SeenProps {
  images: readonly StepImage[];
  table: StepTable | undefined;
  source: RunSource;
}

/** Pictures and tables that an agent saw, as they were in the imported file. */
export function Seen({ images, table, source }: SeenProps) {
  return (
    <>
      {images.map((image, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pictures never change their order
        <Picture key={place} image={image} address={source.image(image.sha256)} />
      ))}
      {table && <Table table={table} />}
    </>
  );
}

/** A picture in its own size, at most as wide as the column; its space is reserved before it loads. */
function Picture({ image, address }: { image: StepImage; address: string }) {
  const [lost, setLost] = useState(false);
  const about = `${image.width} × ${image.height}`;
  if (lost) return <p className={classes.none}>{`A picture (${about}) that is not here.`}</p>;
  return (
    <img
      className={classes.picture}
      src={address}
      alt={`What the agent saw, ${about}`}
      width={image.width}
      height={image.height}
      loading="lazy"
      decoding="async"
      onError={() => setLost(true)}
    />
  );
}

function Table({ table }: { table: StepTable }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
    <section className={classes.table} tabIndex={0} aria-label="A table that the agent saw">
      <table>
        <thead>
          <tr>
            {table.columns.map((name, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change their order
              <th key={place} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never change their order
            <tr key={place}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells never change their order
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.left_out !== undefined && <p className={classes.none}>{countOf(table.left_out, "row")} were not kept.</p>}
    </section>
  );
}
