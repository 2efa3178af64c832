/* Applies the theme that the user chose on Unfold's pages: light, dark or system (JSON of Alpine's persist plugin). */
(() => {
    const KEEPER = "adminTheme", root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");

    function chosen() {
        try {
            const kept = JSON.parse(localStorage.getItem(KEEPER));
            return kept === "light" || kept === "dark" ? kept : "auto";
        } catch {
            return "auto";
        }
    }

    function show() {
        const theme = chosen();
        root.classList.toggle("dark", theme === "dark" || (theme === "auto" && system.matches));
        for (const button of document.querySelectorAll("[data-theme]")) {
            button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
        }
    }

    show();
    system.addEventListener("change", show);
    addEventListener("storage", show);
    addEventListener("DOMContentLoaded", show);
    addEventListener("click", (event) => {
        const button = event.target.closest("[data-theme]");
        if (!button) return;
        try {
            localStorage.setItem(KEEPER, JSON.stringify(button.dataset.theme));
        } catch { /* a browser that keeps nothing follows the system */ }
        show();
    });
})();
