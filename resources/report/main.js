// Reads the data and puts the parts together.

/** The rows of the tables that belong to tensors: the plans that free one, the modules that hold one. */
function rowsOf(data, tensors) {
  const chosen = new Set(tensors);
  const plans = new Set();
  data.plans.forEach((plan, i) => {
    if (plan.tensors.some((tensor) => chosen.has(tensor))) plans.add(i);
  });
  const modules = new Set();
  for (const tensor of chosen) modules.add(data.tensors.module[tensor]);
  return { plans, modules };
}

function showPictures(data, plans, modules) {
  for (const each of document.querySelectorAll(".static")) each.hidden = true;
  for (const each of document.querySelectorAll(".live")) each.hidden = false;
  const names = readNames(data.tensors.shared, data.tensors.name);
  const icicle = new Icicle(data, names, (tensors) => {
    const rows = rowsOf(data, tensors ?? []);
    plans.mark(rows.plans);
    modules.mark(rows.modules);
  });
  const curve = new Curve(data, names, (column) => icicle.show(column));
  byId("to-peak").addEventListener("click", () => curve.setShown(data.curve.peak_column));
}

function main() {
  const data = JSON.parse(byId("data").textContent);
  const plans = new Table("plans-table", "plans");
  const modules = new Table("modules-table", "modules");
  if (data.curve.slots > 0) showPictures(data, plans, modules);
}

main();
