// Warns before an upload of files that the server would reject, and says that an upload may take long.
"use strict";

(() => {
    const form = document.querySelector(".zw-send");
    const input = form.querySelector("input[type=file]");
    const told = form.querySelector(".zw-too-much");
    const button = form.querySelector("button[type=submit]");
    const megabytes = (bytes) => Math.ceil(bytes / (1024 * 1024));

    function fault() {
        const files = [...input.files];
        const bytes = files.reduce((sum, file) => sum + file.size, 0);
        const most = Number(input.dataset.mostBytes);
        const mostFiles = Number(input.dataset.mostFiles);
        if (files.length > mostFiles) return form.dataset.tooMany.replace("{n}", files.length).replace("{m}", mostFiles);
        if (bytes > most) return form.dataset.tooLarge.replace("{n}", megabytes(bytes)).replace("{m}", megabytes(most));
        return "";
    }

    function tell() {
        told.textContent = fault();
        told.hidden = !told.textContent;
        return !told.textContent;
    }

    input.addEventListener("change", tell);
    form.addEventListener("submit", (event) => {
        if (!tell()) {
            event.preventDefault();
            return;
        }
        button.disabled = true;
        button.textContent = form.dataset.busy;
    });
    window.addEventListener("pageshow", () => tell());
})();
