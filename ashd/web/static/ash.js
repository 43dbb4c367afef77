// Comforts only: every page works without this script.

// "/" goes to the search field, unless something is being typed.
const typing = (element) => element.closest("input, select, textarea") !== null;
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const field = document.querySelector("[data-search]");
  if (field) {
    event.preventDefault();
    field.focus();
  }
});

// A checkbox in a table's head selects all rows; it shows when only some are selected.
for (const all of document.querySelectorAll("input[data-all]")) {
  const rows = [...document.querySelectorAll(`input[name="${all.dataset.all}"]`)];
  const settle = () => {
    const checked = rows.filter((row) => row.checked).length;
    all.checked = checked > 0 && checked === rows.length;
    all.indeterminate = checked > 0 && checked < rows.length;
  };
  all.closest("[hidden]").hidden = false;
  all.addEventListener("change", () => rows.forEach((row) => (row.checked = all.checked)));
  rows.forEach((row) => row.addEventListener("change", settle));
  settle();
}

// A form is sent once, however often its button is pressed.
addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form")) delete form.dataset.sent;
});
