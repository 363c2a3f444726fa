import type { Rating } from "@/api/types";

export const RATINGS: Rating[] = [-1, 0, 1];

/** Return a rating as the page writes it, with a true minus sign. */
export function showRating(rating: Rating | null | undefined): string {
  if (rating === null || rating === undefined) return "·";
  return rating === 1 ? "+1" : rating === 0 ? "0" : "−1";
}

const NAMES: Record<Rating, string> = { 1: "+1, good", 0: "0, neutral", [-1]: "−1, wrong" };

interface RatingButtonsProps {
  className?: string;
  label: string;
  rating: Rating | null;
  /** Whether the Tab key can reach the buttons. It reaches only those of the focused step. */
  reachable: boolean;
  disabled?: boolean;
  onRate: (rating: Rating) => void;
}

/** −1, 0, +1 as one radio group. */
export function RatingButtons({ className, label, rating, reachable, disabled, onRate }: RatingButtonsProps) {
  return (
    <div className={className} role="radiogroup" aria-label={label}>
      {RATINGS.map((value) => (
        // biome-ignore lint/a11y/useSemanticElements: three segments of one control; a native radio cannot be pressed again
        <button
          key={value}
          type="button"
          role="radio"
          aria-checked={rating === value}
          aria-label={NAMES[value]}
          data-rating={value}
          disabled={disabled}
          tabIndex={reachable ? 0 : -1}
          onClick={() => onRate(value)}
        >
          {showRating(value)}
        </button>
      ))}
    </div>
  );
}
