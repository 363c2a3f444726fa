/** Small drawings above a sentence that says why a page is empty; each has its own meaning. */
const PATHS = {
  empty: "M4 13h4.5l1.5 2.5h4l1.5-2.5H20M4 13l2.6-7h10.8L20 13v5.5H4Z",
  tabs: "M8.5 8.5v-4h11v11h-4M4.5 8.5h11v11h-11Z",
  offline:
    "M4 4l16 16M2.5 9.5A14 14 0 0 1 8 6.4M11.5 5.7a14 14 0 0 1 10 3.8M6 13.2a9 9 0 0 1 4.5-2.4M15.5 11.7a9 9 0 0 1 2.5 1.5M12 18.5h.01",
  bell: "M12 4a5.5 5.5 0 0 0-5.5 5.5c0 4.6-2 6-2 7.5h15c0-1.5-2-2.900-2-7.5A5.5 5.5 0 0 0 12 4Zm-2 15.5a2.2 2.2 0 0 0 4 0",
  nowhere: "M12 21s6.5-6.2 6.5-11.2a6.5 6.5 0 0 0-13 0C5.5 14.8 12 21 12 21ZM10.3 8.3l3.4 3.4M13.7 8.3l-3.4 3.4",
  done: "M5 12.5l4.5 4.5L19 7.5",
};

export function Mark({ of }: { of: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden>
      <path
        d={PATHS[of]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
