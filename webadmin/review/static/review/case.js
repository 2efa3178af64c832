// Links the two columns of a case: hovering, focusing or selecting a piece on one side highlights it on the other.
"use strict";

(() => {
    const section = document.querySelector(".zw-compare");
    if (!section) return;
    const columns = section.querySelector(".zw-columns");
    const where = section.querySelector(".zw-where");
    const count = Number(section.dataset.count);
    let passage = 0;
    let change = -1;

    const numbersOf = (element) => (element ? element.dataset.passages.split(" ").map(Number) : []);
    const keysOf = (element) => (element ? element.dataset.changes.split(" ") : []);

    // The elements of each passage and change, in both columns and in the map, are looked up once, not at each pointer move.
    let known = null;
    const changed = () => { known = null; };
    columns.addEventListener("zw:texts", changed);

    function indexed() {
        if (known) return known;
        known = { passages: new Map(), changes: new Map() };
        const note = (map, key, element) => {
            if (!map.has(key)) map.set(key, []);
            map.get(key).push(element);
        };
        columns.querySelectorAll("[data-passages]").forEach((element) =>
            numbersOf(element).forEach((number) => note(known.passages, number, element)));
        columns.querySelectorAll("[data-go]").forEach((element) => note(known.passages, Number(element.dataset.go), element));
        columns.querySelectorAll("[data-changes]").forEach((element) =>
            keysOf(element).forEach((key) => note(known.changes, key, element)));
        return known;
    }

    let linked = new Set();
    function mark(passages, keys) {
        const { passages: ofPassage, changes: ofChange } = indexed();
        const next = new Set([...passages.flatMap((number) => ofPassage.get(number) || []), ...keys.flatMap((key) => ofChange.get(key) || [])]);
        for (const element of linked) if (!next.has(element)) element.classList.remove("is-linked");
        for (const element of next) element.classList.add("is-linked");
        linked = next;
    }

    // Scrolls only inside the column, not the page, and again after the visible blocks were laid out.
    function reveal(elements, except) {
        const shown = new Set();
        for (const target of elements) {
            const text = target.closest(".zw-text");
            if (!text || text === except || shown.has(text)) continue;
            shown.add(text);
            const scroll = () => {
                const above = target.getBoundingClientRect().top - text.getBoundingClientRect().top;
                text.scrollTop += above - text.clientHeight / 4;
            };
            scroll();
            requestAnimationFrame(() => requestAnimationFrame(scroll));
        }
    }

    function tell(detail) {
        const place = section.dataset.label.replace("{n}", passage).replace("{m}", count);
        where.textContent = detail ? `${place} · ${detail}` : place;
        columns.dispatchEvent(new CustomEvent("zw:chosen", { detail: { passage, told: place } }));
    }

    function choosePassage(number, from) {
        passage = number;
        change = -1;
        mark([number], []);
        reveal(indexed().passages.get(number) || [], from);
        tell("");
    }

    function chooseChange(element, from) {
        const key = keysOf(element)[0];
        passage = Number(key.split("-")[0]);
        mark([passage], [key]);
        reveal(indexed().changes.get(key) || [], from);
        tell(element.title);
    }

    function stepPassage(by) {
        if (!count) return;
        choosePassage(passage ? ((passage - 1 + by + count) % count) + 1 : by > 0 ? 1 : count, null);
        section.querySelector(".zw-columns").scrollIntoView({ block: "nearest" });
    }

    function stepChange(by) {
        const off = columns.dataset.off.split(" ");
        const isOn = (element) => !off.some((kind) => kind && element.classList.contains(`zw-${kind}`));
        const changes = [...columns.querySelectorAll('[data-side="page"] [data-pair] [data-changes]')].filter(isOn);
        if (!changes.length) return;
        if (change < 0 && passage) {
            const first = changes.findIndex((element) => keysOf(element)[0].startsWith(`${passage}-`));
            change = first < 0 ? -1 : by > 0 ? first - 1 : first;
        }
        change = (change + by + changes.length) % changes.length;
        const at = change;
        chooseChange(changes[at], null);
        change = at;
    }

    function point(event) {
        const chosenChange = event.target.closest("[data-changes]");
        const chosenPassage = event.target.closest("[data-passages]");
        if (!chosenPassage) return;
        mark(numbersOf(chosenPassage), keysOf(chosenChange));
    }

    function choose(event) {
        const strip = event.target.closest("[data-go]");
        const chosenChange = event.target.closest("[data-changes]");
        const chosenPassage = event.target.closest("[data-passages]");
        const from = event.target.closest(".zw-text");
        if (strip) choosePassage(Number(strip.dataset.go), null);
        else if (chosenChange) chooseChange(chosenChange, from);
        else if (chosenPassage) choosePassage(numbersOf(chosenPassage)[0], from);
    }

    columns.addEventListener("mouseover", point);
    columns.addEventListener("focusin", point);
    columns.addEventListener("click", choose);
    columns.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && event.target.closest("[data-passages]")) choose(event);
    });
    section.querySelectorAll("[data-step]").forEach((button) =>
        button.addEventListener("click", () => stepPassage(Number(button.dataset.step))));
    section.querySelector(".zw-tags-switch").addEventListener("change", (event) =>
        columns.classList.toggle("zw-tags", event.target.checked));
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
        if (event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, dialog")) return;
        const key = event.key.toLowerCase();
        if (key !== "n" && key !== "p") return;
        (event.shiftKey ? stepPassage : stepChange)(key === "n" ? 1 : -1);
    });

    // Switches the marks of a kind of change on or off.
    section.querySelectorAll("button.zw-kind").forEach((button) => button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        const off = section.querySelectorAll('.zw-kind[aria-pressed="false"]');
        columns.dataset.off = [...off].map((each) => each.dataset.kind).join(" ");
        change = -1;
    }));
})();
