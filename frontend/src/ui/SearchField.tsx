import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  /** More explanation than fits in the placeholder. */
  title?: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text filter that waits for a pause in typing before it asks the server. */
export function SearchField({ label, placeholder, title, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, 300);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      type="search"
      label={label}
      {...(placeholder ? { placeholder } : {})}
      {...(title ? { title } : {})}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value.trim());
      }}
    />
  );
}
