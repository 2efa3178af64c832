// Builds a single column for narrow screens: each passage of the page is followed by its source in the work.
"use strict";

(() => {
    const columns = document.querySelector(".zw-columns");
    if (!columns) return;
    const narrow = matchMedia("(max-width: 48rem)");
    const wanted = document.querySelector(".zw-by-passage input");
    const label = columns.dataset.work;

    function ofWork() {
        const found = new Map();
        for (const pair of columns.querySelectorAll('[data-side="work"] [data-pair]')) {
            for (const number of pair.dataset.pair.split(" ")) found.set(number, [...(found.get(number) || []), pair]);
        }
        return found;
    }

    function original(pairs) {
        const made = document.createElement("span");
        made.className = "zw-of-work";
        made.dataset.label = label;
        made.setAttribute("role", "group");
        made.setAttribute("aria-label", label);
        for (const pair of pairs) made.append(...[...pair.childNodes].map((node) => node.cloneNode(true)));
        return made;
    }

    function pair() {
        const page = columns.querySelector('[data-side="page"]');
        const isPaired = narrow.matches && wanted.checked && page.dataset.view === "text";
        columns.classList.toggle("is-paired", narrow.matches && wanted.checked);
        const shown = page.querySelectorAll(".zw-of-work");
        if (isPaired && !shown.length) {
            const originals = ofWork();
            for (const each of page.querySelectorAll("[data-pair]")) {
                const pairs = originals.get(each.dataset.pair.split(" ")[0]);
                if (pairs) each.after(original(pairs));
            }
        } else if (!isPaired) shown.forEach((each) => each.remove());
    }

    function pairAnew() {
        pair();
        columns.dispatchEvent(new CustomEvent("zw:texts"));
    }

    columns.addEventListener("zw:texts", pair);
    narrow.addEventListener("change", pairAnew);
    wanted.addEventListener("change", pairAnew);
    if (narrow.matches) pair();
})();
