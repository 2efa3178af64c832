// Links the two columns of a case: what is pointed at, focused or chosen on one side is shown on the other.
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

    function mark(passages, keys) {
        columns.querySelectorAll(".is-linked").forEach((element) => element.classList.remove("is-linked"));
        for (const number of passages) {
            columns.querySelectorAll(`[data-passages~="${number}"], [data-go="${number}"]`)
                .forEach((element) => element.classList.add("is-linked"));
        }
        for (const key of keys) {
            columns.querySelectorAll(`[data-changes~="${key}"]`).forEach((element) => element.classList.add("is-linked"));
        }
    }

    // Scrolls inside the column alone: the page itself stays where the reader is.
    function reveal(selector, except) {
        for (const text of columns.querySelectorAll(".zw-text")) {
            const target = text.querySelector(selector);
            if (!target || text === except) continue;
            const above = target.getBoundingClientRect().top - text.getBoundingClientRect().top;
            text.scrollTop += above - text.clientHeight / 4;
        }
    }

    function tell(detail) {
        const place = section.dataset.label.replace("{n}", passage).replace("{m}", count);
        where.textContent = detail ? `${place} · ${detail}` : place;
    }

    function choosePassage(number, from) {
        passage = number;
        change = -1;
        mark([number], []);
        reveal(`[data-passages~="${number}"]`, from);
        tell("");
    }

    function chooseChange(element, from) {
        const key = keysOf(element)[0];
        passage = Number(key.split("-")[0]);
        mark([passage], [key]);
        reveal(`[data-changes~="${key}"]`, from);
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
        const changes = [...columns.querySelectorAll('[data-side="page"] [data-changes]')].filter(isOn);
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
        if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
        const key = event.key.toLowerCase();
        if (key !== "n" && key !== "p") return;
        (event.shiftKey ? stepPassage : stepChange)(key === "n" ? 1 : -1);
    });

    // Kinds of changes are marked, or read like the rest of the text.
    section.querySelectorAll(".zw-kind").forEach((button) => button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        const off = section.querySelectorAll('.zw-kind[aria-pressed="false"]');
        columns.dataset.off = [...off].map((each) => each.dataset.kind).join(" ");
        change = -1;
    }));

    // The column that is under the pointer or has the focus leads; the other one follows passage by passage.
    const texts = [...columns.querySelectorAll(".zw-text")];
    const together = section.querySelector(".zw-together");
    let leading = null;
    let isAsked = false;

    function follow() {
        isAsked = false;
        const other = texts.find((text) => text !== leading);
        if (!leading || !other || !together.checked) return;
        const eye = leading.scrollTop + leading.clientHeight / 4;
        const passages = [...leading.querySelectorAll("[data-passages]")];
        const here = passages.findLast((element) => element.offsetTop <= eye) || passages[0];
        const there = here && other.querySelector(`[data-passages~="${numbersOf(here)[0]}"]`);
        if (!there) return;
        const share = Math.min(1, Math.max(0, (eye - here.offsetTop) / Math.max(1, here.offsetHeight)));
        const top = there.offsetTop + share * there.offsetHeight - other.clientHeight / 4;
        other.scrollTo({ top, behavior: "instant" });
    }

    texts.forEach((text) => {
        for (const event of ["pointerenter", "wheel", "touchstart", "focusin", "keydown"]) {
            text.addEventListener(event, () => { leading = text; }, { passive: true });
        }
        text.addEventListener("scroll", () => {
            if (text !== leading || isAsked) return;
            isAsked = true;
            requestAnimationFrame(follow);
        }, { passive: true });
    });
})();
