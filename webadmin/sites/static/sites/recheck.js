// Shows the state of a recheck until it is finished.
"use strict";

function follow(shown) {
    const PAUSE_MS = 3000;
    const said = shown.querySelector("[data-recheck-said]");
    let failures = 0;

    const look = async () => {
        try {
            const response = await fetch(shown.dataset.recheck, { headers: { Accept: "application/json" } });
            const state = await response.json();
            failures = 0;
            if (said.textContent !== state.sentence) said.textContent = state.sentence;
            if (state.is_over) {
                shown.removeAttribute("data-live");
                return;
            }
        } catch { // away, or a form to log in
            failures += 1;
            if (failures > 5) {
                said.textContent = shown.dataset.unreachable;
                return;
            }
        }
        setTimeout(look, PAUSE_MS);
    };
    setTimeout(look, PAUSE_MS);
}

function start() {
    document.querySelectorAll("[data-recheck][data-live]").forEach(follow);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); // in the head of a form
else start();
