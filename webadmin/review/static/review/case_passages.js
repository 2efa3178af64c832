// Tints excluded passages when they are drawn, and copies selected text into the forms that need it.
"use strict";

(() => {
    const section = document.querySelector(".zw-not-counted");
    const columns = document.querySelector(".zw-columns");
    if (!section || !columns) return;
    const numbers = (name) => new Set((section.dataset[name] || "").split(" ").filter(Boolean));
    const out = numbers("out");
    const partly = numbers("partlyOut");

    function tint(element) {
        const own = element.dataset.passages.split(" ");
        const isOut = own.every((number) => out.has(number));
        const isPartly = !isOut && own.some((number) => out.has(number) || partly.has(number));
        element.classList.toggle("zw-out", isOut);
        element.classList.toggle("zw-partly-out", isPartly);
        if (isOut && !element.dataset.isOut) {
            element.dataset.isOut = "1";
            const label = element.getAttribute("aria-label") || "";
            element.setAttribute("aria-label", `${label} · ${section.dataset.outLabel}`);
        }
    }

    // Pieces inside passages are found by their letters, because marks replace hidden characters.
    const isLetter = /[\p{L}\p{N}]/u;
    const pieces = [...section.querySelectorAll("[data-piece]")];

    function stretch(number, side, text) {
        const places = [];
        let letters = "";
        for (const element of columns.querySelectorAll(`[data-side="${side}"] .zw-passage[data-passages~="${number}"]`)) {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const data = walker.currentNode.data;
                for (let at = 0; at < data.length; at += data.codePointAt(at) > 0xffff ? 2 : 1) {
                    const char = String.fromCodePoint(data.codePointAt(at));
                    if (!isLetter.test(char)) continue;
                    for (let unit = 0; unit < char.length; unit += 1) places.push([walker.currentNode, at + unit]);
                    letters += char;
                }
            }
        }
        const wanted = [...text].filter((char) => isLetter.test(char)).join("");
        const start = wanted ? letters.indexOf(wanted) : -1;
        if (start < 0) return null;
        const range = document.createRange();
        const [last, end] = places[start + wanted.length - 1];
        range.setStart(...places[start]);
        range.setEnd(last, end + 1);
        return range;
    }

    function highlight() {
        if (!pieces.length || !CSS.highlights) return;
        const found = pieces.flatMap((piece) => ["work", "page"].map((side) =>
            stretch(piece.dataset.piece, side, piece.querySelector(`[data-of="${side}"]`).textContent)));
        CSS.highlights.set("zw-out", new Highlight(...found.filter(Boolean)));
    }

    const tintAll = (root) => root.querySelectorAll(".zw-passage[data-passages]").forEach(tint);
    if (out.size || partly.size) {
        tintAll(columns);
        highlight();
        new MutationObserver((changes) => {
            for (const change of changes) {
                for (const node of change.addedNodes) {
                    if (!(node instanceof Element)) continue;
                    if (node.matches(".zw-passage[data-passages]")) tint(node);
                    tintAll(node);
                }
            }
            highlight();
        }).observe(columns, { childList: true, subtree: true });
    }

    // A click on a button may clear the selection, so the last selection in a column is remembered.
    let selected = "";
    document.addEventListener("selectionchange", () => {
        const selection = document.getSelection();
        if (!selection || selection.isCollapsed || !columns.contains(selection.anchorNode)) return;
        selected = selection.toString();
        section.querySelectorAll("[data-take-selection]").forEach((button) => { button.hidden = !selected.trim(); });
    });
    section.querySelectorAll("[data-take-selection]").forEach((button) => button.addEventListener("click", () => {
        const field = document.getElementById(button.dataset.takeSelection);
        field.value = selected;
        field.focus();
    }));
})();
