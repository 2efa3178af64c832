// Keyboard shortcuts of a case: verdicts, neighbours in the list, note, undo, help. Each has a button or link on the page.
"use strict";

(() => {
    const desk = document.querySelector(".zw-case");
    if (!desk) return;
    const help = desk.querySelector("dialog.zw-keys");

    const press = (selector) => () => {
        const found = desk.querySelector(selector);
        if (found) found.click();
        return Boolean(found);
    };
    const keys = {
        j: press('.zw-neighbours [rel="next"]'),
        k: press('.zw-neighbours [rel="prev"]'),
        u: press(".zw-undo button"),
        a: () => {
            const people = desk.querySelector("#zw-assignee");
            if (people) people.focus();
            return Boolean(people);
        },
        m: () => {
            desk.querySelector("#zw-note").focus();
            return true;
        },
        l: () => {
            const scope = desk.querySelector(".zw-scopes input:checked");
            if (scope) scope.focus();
            return Boolean(scope);
        },
        v: () => {
            const columns = desk.querySelector(".zw-columns");
            if (columns) columns.dispatchEvent(new CustomEvent("zw:next-view"));
            return Boolean(columns);
        },
        "?": () => {
            if (!help.open) help.showModal();
            return true;
        },
    };
    desk.querySelectorAll(".zw-choice[aria-keyshortcuts]").forEach((button) => {
        keys[button.getAttribute("aria-keyshortcuts")] = () => {
            button.click();
            return true;
        };
    });

    document.addEventListener("keydown", (event) => {
        const isTyping = event.isComposing || event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select");
        if (event.key === "Escape" && isTyping) event.target.blur();
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat || (help && help.open)) return;
        const act = keys[event.key.toLowerCase()];
        if (act && !(event.shiftKey && event.key !== "?") && act()) event.preventDefault();
    });
    const button = desk.querySelector(".zw-help");
    if (button) button.addEventListener("click", () => help.showModal());

    // Sends a decision only once: a key that is pressed again while the next case loads has no effect.
    desk.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (event) => {
        if (event.submitter && event.submitter.formMethod === "dialog") return; // Enter in a field: nothing is sent
        if (form.dataset.sent) event.preventDefault();
        if (form.method === "post") form.dataset.sent = "1";
    }));
    window.addEventListener("pageshow", () => desk.querySelectorAll("form").forEach((form) => delete form.dataset.sent));
})();
