// Requests the opinions of the published engines when their section is opened, and shows the answers when available.
"use strict";

(() => {
    const section = document.querySelector(".zw-unfold");
    if (!section) return;
    const PAUSE_MS = 2000; // engines take .15 to 6 s once a worker is free
    const told = section.querySelector("[role=status]");
    const content = () => section.querySelector("[data-opinions]");
    const state = () => content().dataset.opinions;
    let isBusy = false;
    let timer = 0;

    // For screen readers; visible only if the content does not show the state.
    function tell(sentence, isFault) {
        told.className = isFault ? "zw-note" : "zw-unseen";
        told.textContent = sentence;
    }

    async function fetched(options) {
        try {
            const response = await fetch(section.dataset.address, {
                headers: { "X-Requested-With": "XMLHttpRequest" }, ...options,
            });
            return new DOMParser().parseFromString(await response.text(), "text/html").querySelector("[data-opinions]");
        } catch {
            return null;
        }
    }

    async function show(options) {
        clearTimeout(timer);
        isBusy = true;
        const next = await fetched(options);
        isBusy = false;
        if (!next) { // away, or a form to log in
            tell(section.dataset.unreachable, true);
            return;
        }
        const isNew = next.dataset.opinions !== state() || next.querySelector(".zw-note");
        if (isNew) content().replaceWith(next);
        tell(isNew ? content().querySelector("p").textContent.trim() : "", false);
        lookLater();
    }

    function lookLater() {
        clearTimeout(timer);
        if (state() === "asking") timer = setTimeout(() => section.open && show({}), PAUSE_MS);
    }

    function ask() {
        section.querySelector("summary .zw-quiet")?.remove();
        show({ method: "POST", body: new FormData(section.querySelector("form")) });
    }

    section.addEventListener("toggle", () => {
        if (!section.open || isBusy) return;
        if (state() === "unasked") ask();
        else if (state() === "asking") show({});
    });
    section.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!isBusy) ask();
    });
    lookLater();
})();
