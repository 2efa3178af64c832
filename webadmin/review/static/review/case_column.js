// Switches the view of the page (text, raw text or screenshots) by fetching and replacing only its column.
"use strict";

(() => {
    const columns = document.querySelector(".zw-columns");
    if (!columns) return;
    const shown = () => columns.querySelector('[data-side="page"]');
    const kept = new Map([[shown().dataset.view, shown()]]);

    async function fetched(address) {
        try {
            const response = await fetch(address, { headers: { "X-Requested-With": "XMLHttpRequest" } });
            return new DOMParser().parseFromString(await response.text(), "text/html").querySelector('[data-side="page"]');
        } catch {
            return null;
        }
    }

    async function show(link, hadFocus) {
        const view = new URL(link.href).searchParams.get("column");
        const column = kept.get(view) || await fetched(link.href);
        if (!column) { // away, or a form to log in: the browser says so
            location.href = link.href;
            return;
        }
        kept.set(view, column);
        shown().replaceWith(column);
        columns.dispatchEvent(new CustomEvent("zw:texts"));
        if (hadFocus) shown().querySelector('.zw-views [aria-current]').focus();
    }

    columns.addEventListener("click", (event) => {
        const link = event.target.closest(".zw-views a");
        if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        show(link, true);
    });
    columns.addEventListener("zw:next-view", () => {
        const links = [...shown().querySelectorAll(".zw-views a")];
        const at = links.findIndex((link) => link.hasAttribute("aria-current"));
        show(links[(at + 1) % links.length], shown().contains(document.activeElement));
    });
})();
