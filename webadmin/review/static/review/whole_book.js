// Scrolls to a chapter in the table when its cell in the strip is clicked.
"use strict";

(() => {
    const strip = document.querySelector(".zw-strip[role=img]");
    if (!strip) return;
    const perPage = Number(strip.dataset.perPage);

    strip.addEventListener("click", (event) => {
        if (event.target === strip) return;
        const place = [...strip.children].indexOf(event.target);
        const number = event.target.title.split(" ")[0];
        const row = document.getElementById(`c${number}`);
        if (row) window.location.hash = row.id;
        else window.location.assign(`?page=${Math.floor(place / perPage) + 1}#c${number}`);
    });
})();
