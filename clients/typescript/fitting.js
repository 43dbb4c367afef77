// Fit texts to the daemon's limits, as the Python client does: a person may paste a book.

import { CONTENT_CHARS } from "./methods.js";

/** Return a text that the daemon takes: valid Unicode without NUL, and not too long. */
export function fitted(text) {
  const whole = text.replaceAll("\0", "");
  if (whole.length <= CONTENT_CHARS) return whole.toWellFormed();
  const mark = `… (cut: the text has ${whole.length.toLocaleString("en")} characters)`;
  return (whole.slice(0, CONTENT_CHARS - mark.length) + mark).toWellFormed();
}
