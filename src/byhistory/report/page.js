"use strict";
(() => {
  const $ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const open = () => {
    const place = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (place && place.tagName === "DETAILS") { place.open = true; place.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  open();
  const tools = document.querySelector(".tools");
  if (!tools) return;
  tools.hidden = false;
  const find = document.getElementById("find"), only = document.getElementById("only");
  const all = document.getElementById("all"), count = document.getElementById("count");
  const named = $("[data-name]"), rows = $("#overview tbody tr");
  const sift = () => {
    const word = find.value.trim().toLowerCase();
    for (const one of named) {
      const shown = one.dataset.name.includes(word) && (!only.checked || one.classList.contains("bad"));
      one.toggleAttribute("data-hidden", !shown);
    }
    const left = rows.filter((row) => !row.hasAttribute("data-hidden")).length;
    count.textContent = left === rows.length ? "" : `${left} of ${rows.length} columns`;
  };
  find.addEventListener("input", sift);
  only.addEventListener("change", sift);
  all.addEventListener("click", () => {
    const opens = all.getAttribute("aria-expanded") === "false";
    for (const one of $("details.column")) one.open = opens;
    all.setAttribute("aria-expanded", String(opens));
    all.textContent = opens ? "Close all" : "Open all";
  });
  const body = document.querySelector("#overview tbody");
  const heads = $("#overview th[data-sort]");
  for (const head of heads) {
    const place = [...head.parentNode.children].indexOf(head);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
      const text = (row) => row.children[place].textContent.trim();
      const compare = head.dataset.sort === "number"
        ? (a, b) => parseFloat(text(a)) - parseFloat(text(b))
        : (a, b) => text(a).localeCompare(text(b), undefined, { numeric: true });
      body.append(...rows.sort((a, b) => down * compare(a, b)));
    });
  }
})();
