// Scrolls the two columns together, aligned by copied lines, with the map between them. Only visible blocks are laid out,
// so positions are read from blocks, and inside a block only at the reading position.
"use strict";

(() => {
    const section = document.querySelector(".zw-compare");
    if (!section) return;
    const columns = section.querySelector(".zw-columns");
    const together = section.querySelector(".zw-together");
    const texts = () => [...columns.querySelectorAll(".zw-text")].filter((text) => text.offsetParent);
    const EYE = 1 / 4; // of a column's height: where a reader looks while scrolling

    // Estimates the height of undrawn blocks from their characters, so that the scroll bar is accurate.
    function estimate(text) {
        const style = getComputedStyle(text);
        const inLine = Math.max(1, Math.floor((text.clientWidth - parseFloat(style.paddingLeft) * 2) / parseFloat(style.fontSize)));
        const height = parseFloat(style.lineHeight);
        const heights = [...text.querySelectorAll(".zw-block")].map((block) =>
            block.textContent.split("\n").reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / inLine)), 0) * height);
        text.querySelectorAll(".zw-block").forEach((block, at) => {
            block.style.containIntrinsicBlockSize = `auto ${heights[at]}px`;
        });
    }

    // Lays out invisible blocks too, some whenever the browser is idle, because Chromium does not expose blocks to screen
    // readers before their layout.
    const AT_ONCE = 6;
    const whenIdle = window.requestIdleCallback || ((call) => setTimeout(call, 30));
    let waiting = [];
    let isAwaited = false;

    function layOut() {
        waiting.splice(0, AT_ONCE).forEach((block) => block.classList.add("is-laid-out"));
        isAwaited = waiting.length > 0;
        if (isAwaited) whenIdle(layOut);
    }

    function layOutLater() {
        waiting = [...columns.querySelectorAll(".zw-block:not(.is-laid-out)")].filter((block) => !block.closest("details:not([open])"));
        if (isAwaited || !waiting.length) return;
        isAwaited = true;
        whenIdle(layOut);
    }

    columns.addEventListener("toggle", layOutLater, { capture: true });

    // The blocks of each text, and the pairs in each block.
    let known = new Map();

    function read() {
        known = new Map(texts().map((text) => {
            estimate(text);
            const blocks = [...text.querySelectorAll(":scope > .zw-block")].map((block) => ({
                block, pairs: [...block.querySelectorAll("[data-pair]")],
            }));
            const byNumber = new Map();
            for (const { pairs } of blocks) {
                for (const pair of pairs) {
                    for (const number of pair.dataset.pair.split(" ")) if (!byNumber.has(number)) byNumber.set(number, pair);
                }
            }
            return [text, { blocks, byNumber }];
        }));
        drawWindows();
        layOutLater();
    }

    const rect = (element) => element.getBoundingClientRect();

    function lastAbove(elements, eye) {
        let from = 0, to = elements.length;
        while (from < to) {
            const middle = (from + to) >> 1;
            if (rect(elements[middle]).top <= eye) from = middle + 1;
            else to = middle;
        }
        return from - 1;
    }

    // The pair at the reading position and the fraction of it above that position, or the last pair before uncopied text.
    function pairAt(text, eye) {
        const { blocks } = known.get(text);
        let at = lastAbove(blocks.map((each) => each.block), eye);
        for (let isHere = true; at >= 0; at -= 1, isHere = false) {
            const { pairs } = blocks[at];
            const here = isHere ? pairs[lastAbove(pairs, eye)] : pairs.at(-1);
            if (!here) continue;
            const { top, height } = rect(here);
            return [here, isHere ? Math.min(1, Math.max(0, (eye - top) / Math.max(1, height))) : 1];
        }
        return null;
    }

    let leading = null;
    let isAsked = false;

    function follow() {
        isAsked = false;
        drawWindows();
        const other = [...known.keys()].find((text) => text !== leading);
        if (!known.has(leading) || !other || !together.checked) return;
        const found = pairAt(leading, rect(leading).top + leading.clientHeight * EYE);
        const there = found && known.get(other).byNumber.get(found[0].dataset.pair.split(" ")[0]);
        if (!there) return;
        const { top, height } = rect(there);
        other.scrollTop += top + found[1] * height - rect(other).top - other.clientHeight * EYE;
        drawWindows();
    }

    function ask() {
        if (isAsked) return;
        isAsked = true;
        requestAnimationFrame(follow);
    }

    // The column under the pointer or with the focus leads.
    for (const event of ["pointerover", "wheel", "touchstart", "focusin", "keydown"]) {
        columns.addEventListener(event, (heard) => { leading = heard.target.closest(".zw-text") || leading; }, { passive: true });
    }
    columns.addEventListener("scroll", (event) => { if (event.target === leading || !leading) ask(); else drawWindows(); }, { capture: true, passive: true });
    columns.addEventListener("scrollend", (event) => { if (event.target === leading) ask(); }, { capture: true, passive: true });

    // The map shows the visible part of both texts; a click scrolls there, and arrow keys move between passages.
    const map = columns.querySelector(".zw-map");

    function drawWindows() {
        for (const [text] of known) {
            const seen = map.querySelector(`.zw-seen-${text.closest("[data-side]").dataset.side}`);
            const whole = Math.max(1, text.scrollHeight);
            seen.setAttribute("y", 1000 * text.scrollTop / whole);
            seen.setAttribute("height", Math.max(4, 1000 * text.clientHeight / whole));
        }
    }

    map.addEventListener("click", (event) => {
        if (event.target.closest("[data-go]")) return;
        const { left, top, width, height } = rect(map);
        const side = (event.clientX - left) / width < 0.5 ? "work" : "page";
        leading = columns.querySelector(`[data-side="${side}"] .zw-text`);
        if (leading) leading.scrollTop = (event.clientY - top) / height * leading.scrollHeight - leading.clientHeight / 2;
    });
    map.addEventListener("keydown", (event) => {
        const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        const press = section.querySelector(`[data-step="${by}"]`);
        if (!press) return;
        event.preventDefault();
        press.click();
    });
    columns.addEventListener("zw:chosen", (event) => {
        map.setAttribute("aria-valuenow", event.detail.passage);
        map.setAttribute("aria-valuetext", event.detail.told);
    });

    columns.addEventListener("zw:texts", read);
    let resized = 0;
    addEventListener("resize", () => {
        clearTimeout(resized);
        resized = setTimeout(read, 150);
    });
    read();
})();
