// Keyboard shortcuts of the inbox, the preview of the current matter, and the selection. Links and forms work without it.
const form = document.getElementById("inbox-form");
const preview = document.getElementById("inbox-preview");
const help = document.querySelector(".inbox-keys");
const lines = [...document.querySelectorAll(".inbox-matter")];
let at = Math.max(0, lines.findIndex((line) => line.classList.contains("is-current")));
let asked = null;

async function show(line) {
    if (asked) asked.abort();
    asked = new AbortController();
    try {
        const answer = await fetch(line.dataset.preview, { signal: asked.signal, headers: { "X-Requested-With": "fetch" } });
        if (answer.redirected) location.reload(); // the session has ended
        else if (answer.ok) preview.innerHTML = await answer.text();
    } catch (error) {
        if (error.name !== "AbortError") throw error;
    }
}

function go(to) {
    if (to < 0 || to >= lines.length) return;
    lines[at].classList.remove("is-current");
    lines[at].querySelector(".inbox-open").removeAttribute("aria-current");
    at = to;
    lines[at].classList.add("is-current");
    const link = lines[at].querySelector(".inbox-open");
    link.setAttribute("aria-current", "true");
    link.focus({ preventScroll: true });
    lines[at].scrollIntoView({ block: "nearest" });
    show(lines[at]);
}

function chosen() {
    return lines.filter((line) => line.querySelector("input").checked);
}

function count() {
    form.querySelector("[data-chosen]").textContent = chosen().length;
}

function choose() {
    const box = lines[at].querySelector("input");
    box.checked = !box.checked;
    count();
}

// A verdict or assignment applies to the selected matters, or to the current matter if none is selected.
function press(button) {
    if (!chosen().length) choose();
    button.click();
}

const keys = {
    arrowdown: () => go(at + 1), j: () => go(at + 1),
    arrowup: () => go(at - 1), k: () => go(at - 1),
    e: () => lines[at]?.querySelector(".inbox-open").click(),
    x: () => lines.length && choose(),
    u: () => document.querySelector(".inbox-undo button")?.click(),
    a: () => {
        if (!form) return;
        if (!chosen().length) choose();
        form.querySelector("#inbox-assignee").focus();
    },
    "/": () => document.querySelector(".inbox-search input[type=search]").focus(),
    "?": () => help.showModal(),
};
for (const button of form?.querySelectorAll("[aria-keyshortcuts][name=action]") ?? []) {
    keys[button.getAttribute("aria-keyshortcuts")] = () => press(button);
}

document.addEventListener("keydown", (event) => {
    const isTyping = event.isComposing || event.target.closest("input:not([type=checkbox]), textarea, select");
    if (event.key === "Escape" && isTyping) event.target.blur();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat || help.open) return;
    const act = keys[event.key.toLowerCase()];
    if (!act || (event.shiftKey && event.key !== "?")) return;
    event.preventDefault();
    act();
});
form?.addEventListener("change", (event) => event.target.name === "matter" && count());
form?.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
});
addEventListener("pageshow", () => {
    if (form) {
        delete form.dataset.sent;
        count();
    }
});
for (const [index, line] of lines.entries()) {
    line.addEventListener("click", (event) => {
        if (!event.target.closest("a, input")) go(index);
    });
}
document.querySelector(".inbox-help")?.addEventListener("click", () => help.showModal());
for (const panel of document.querySelectorAll(".inbox-filters")) {
    panel.addEventListener("keydown", (event) => {
        if (event.key === "Escape") panel.open = false;
    });
}
