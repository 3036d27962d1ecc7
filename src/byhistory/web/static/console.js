"use strict";
(() => {
  const $ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const typing = () => document.activeElement?.matches("input:not([type=range]), select, textarea") ?? false;
  const help = document.getElementById("keys");
  for (const button of $("[data-help]")) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }

  // Keys: one letter each, never while somebody writes.
  const step = (by) => {
    const rows = $("[data-open]").filter((one) => one.offsetParent);
    if (!rows.length) return;
    const at = rows.indexOf(document.activeElement);
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing() || help?.open) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "?") help?.showModal();
    else if (event.key === "/") {
      const search = document.querySelector("[data-search]");
      if (!search) return;
      search.focus();
    } else {
      const verb = $("[data-key]").find((one) => one.dataset.key === event.key);
      if (!verb) return;
      verb.open = true;
      verb.scrollIntoView({ block: "nearest" });
      (verb.querySelector("input:not([type=hidden])") ?? verb.querySelector("button"))?.focus();
    }
    event.preventDefault();
  });

  // What a decision would change is shown in its form, when it is opened and when it is filled in.
  const preview = async (form) => {
    const place = form.querySelector(".preview");
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (["what", "until", "column", "place"].includes(name)) given.append(name, value);
    if (form.querySelector("[name=until]") && !given.get("until")) { place.textContent = ""; return; }
    const asked = `${form.dataset.preview}&${given}`;
    form.dataset.asked = asked;
    place.textContent = "Looking at what it would change …";
    const answer = await fetch(asked);
    const read = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (form.dataset.asked !== asked) return;
    const found = read.getElementById("preview") ?? read.querySelector(".problem");
    place.replaceChildren(...(found ? found.childNodes : []));
  };
  const prepare = (root) => {
    for (const verb of $("details.verb", root)) {
      const form = verb.querySelector("form[data-preview]");
      if (!form) continue;
      verb.addEventListener("toggle", () => verb.open && preview(form));
      form.addEventListener("change", (event) => event.target.name !== "why" && preview(form));
    }
  };

  // A slider over the budgets that were measured.
  const slide = (root) => {
    for (const slider of $("[data-slider]", root)) {
      const place = slider.closest(".slider"), rows = $(".budgets tbody tr", root), shown = place.querySelector("output");
      const show = () => {
        rows.forEach((row, i) => row.classList.toggle("chosen", i === Number(slider.value)));
        const cells = rows[slider.value].children;
        shown.textContent = `${cells[0].textContent}: ${cells[1].textContent} runs stopped, ${cells[2].textContent} of faults caught`;
        slider.setAttribute("aria-valuetext", shown.textContent);
      };
      place.hidden = false;
      slider.addEventListener("input", show);
      show();
    }
  };
  prepare(document);
  slide(document);

  // What somebody wrote and did not send yet is there again after a reload, in this window only.
  const name = (field) => `${location.pathname}${location.search} ${field.form.dataset.draft} ${field.name}`;
  const drafts = () => $("[data-draft] input[name=why], [data-draft] input[name=until]");
  for (const field of drafts()) {
    const kept = sessionStorage.getItem(name(field));
    if (!kept) continue;
    field.value = kept;
    const verb = field.closest("details.verb");
    if (verb) verb.open = true;
  }
  addEventListener("input", ({ target }) => drafts().includes(target) && sessionStorage.setItem(name(target), target.value));
  addEventListener("submit", ({ target }) => drafts().filter((field) => field.form === target).forEach((field) => sessionStorage.removeItem(name(field))));

  // What happens while the page is open: the parts that are live are fetched again and put in place.
  const live = $("[data-live]");
  if (!live.length) return;
  const news = document.querySelector(".news");
  const here = new URLSearchParams(location.search).get("t");
  // Of a page about all tables something changes all the time: it is fetched again every few seconds at most.
  const soon = here === null ? 3000 : 300;
  let waiting = null;
  const renew = async () => {
    waiting = null;
    const begun = drafts().some((field) => field.value) || $("[data-live] [type=checkbox]").some((box) => box.checked !== box.defaultChecked);
    if (typing() || begun || $("details.verb[open]").length) {
      news.hidden = false;
      return;
    }
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const read = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of $("[data-live]")) {
      const fresh = read.getElementById(part.id);
      if (!fresh) continue;
      const at = $("[data-open]").indexOf(document.activeElement);
      part.replaceWith(document.adoptNode(fresh));
      prepare(fresh);
      slide(fresh);
      if (at >= 0) $("[data-open]")[at]?.focus();
    }
    document.title = read.title;
  };
  const events = new EventSource(`/events?after=${document.body.dataset.version}`);
  events.addEventListener("table", (event) => {
    const change = JSON.parse(event.data);
    if (here !== null && change.table !== here) return;
    news.textContent = `${change.table} ${change.run}: ${change.state}`;
    if (!waiting) waiting = setTimeout(renew, soon);
  });
  addEventListener("pagehide", () => events.close());
})();
