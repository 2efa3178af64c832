// Tints passages that do not count, whenever they are drawn, and brings selected text into the forms that ask for it.
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

    const tintAll = (root) => root.querySelectorAll(".zw-passage[data-passages]").forEach(tint);
    if (out.size || partly.size) {
        tintAll(columns);
        new MutationObserver((changes) => {
            for (const change of changes) {
                for (const node of change.addedNodes) {
                    if (!(node instanceof Element)) continue;
                    if (node.matches(".zw-passage[data-passages]")) tint(node);
                    tintAll(node);
                }
            }
        }).observe(columns, { childList: true, subtree: true });
    }

    // A press on a button may end the selection: what was selected last in a column is remembered.
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
