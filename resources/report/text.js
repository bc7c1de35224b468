// Amounts as the program writes them, and small helpers for elements.

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** `1.25 GiB`, `640 B`. */
function formatBytes(bytes) {
  let unit = 0;
  let amount = bytes;
  while (Math.abs(amount) >= 1024 && unit + 1 < byteUnits.length) {
    amount /= 1024;
    ++unit;
  }
  if (unit === 0) return `${bytes} B`;
  const digits = Math.abs(amount) < 10 ? 2 : Math.abs(amount) < 100 ? 1 : 0;
  return `${amount.toFixed(digits)} ${byteUnits[unit]}`;
}

/** `671,088,640`. */
function withThousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function exactBytes(bytes) {
  return bytes < 1024 ? `${bytes} B` : `${formatBytes(bytes)} (${withThousands(bytes)} B)`;
}

function percent(part, whole) {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
}

/** An element with a class and a text. Names of a model are only ever set as text, never as HTML. */
function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

function byId(id) {
  return document.getElementById(id);
}
