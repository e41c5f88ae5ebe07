"use strict";
(() => {
  const controls = document.getElementById("choose");
  const find = document.getElementById("find");
  const only = document.getElementById("only");
  const shown = document.getElementById("shown");
  const items = [...document.querySelectorAll("[data-q]")].map((element) => ({
    element,
    text: (element.querySelector("summary") || element).textContent.toLowerCase(),
    slices: new Set(element.dataset.q.split(" ")),
  }));
  const apply = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, text, slices } of items) {
      const fits = words.every((word) => text.includes(word)) && (!only.value || slices.has(only.value));
      element.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${items.length}`;
  };
  find.addEventListener("input", apply);
  only.addEventListener("change", apply);
  controls.hidden = false;
  apply();
})();
