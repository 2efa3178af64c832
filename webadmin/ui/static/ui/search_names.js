/* Gives the search box of a select widget an accessible name: the label of its field. */
(() => {
    function name() {
        for (const box of document.querySelectorAll(".select2-search__field:not([aria-label])")) {
            const choices = box.closest(".select2")?.previousElementSibling;
            const label = choices?.id && document.querySelector(`label[for="${CSS.escape(choices.id)}"]`);
            if (label) box.setAttribute("aria-label", label.textContent.trim());
        }
    }

    new MutationObserver(name).observe(document.documentElement, { childList: true, subtree: true });
})();
