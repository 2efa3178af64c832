// A document that records what the scripts of a page write. It has no other parts of a browser and none of the page.
(() => {
  const UNCHANGED = "\u0000"; // represents the content of an element before a script writes into it
  const MOST_CALLS = 100; // of delayed functions: some pages delay the same function again and again
  const written = [], elements = new Map(), pending = [];
  let script = 0;

  const escaped = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const nothing = () => undefined;
  const once = (call) => { if (typeof call === "function") pending.push(call); };

  class Element {
    constructor(tag, ...parts) { this.tag = tag; this.parts = parts; this.style = {}; this.dataset = {}; }
    get innerHTML() { return this.parts.map((part) => part instanceof Element ? part.outerHTML : part).join(""); }
    set innerHTML(markup) { this.parts = [String(markup)]; }
    get outerHTML() { return this.tag ? `<${this.tag}>${this.innerHTML}</${this.tag}>` : this.innerHTML; }
    set outerHTML(markup) { this.innerHTML = markup; }
    get textContent() { return this.innerHTML.replace(/<[^>]*>/g, ""); }
    set textContent(text) { this.innerHTML = escaped(text); }
    get innerText() { return this.textContent; }
    set innerText(text) { this.textContent = text; }
    get classList() { return { add: nothing, remove: nothing, toggle: nothing }; }
    append(...parts) {
      for (const part of parts) this.parts.push(part instanceof Element ? part : String(part));
      return this;
    }
    appendChild(child) { this.append(child); return child; }
    insertBefore(child) { this.parts.unshift(child); return child; }
    insertAdjacentHTML(place, markup) {
      if (/^(before|after)begin$/.test(place)) this.parts.unshift(String(markup)); else this.append(markup);
    }
    setAttribute() {}
    getAttribute() { return null; }
    addEventListener() {}
    querySelector(selector) { return find(selector); }
    // The methods of jQuery.
    html(markup) { if (markup === undefined) return this.innerHTML; this.innerHTML = markup; return this; }
    text(text) { if (text === undefined) return this.textContent; this.textContent = text; return this; }
    appendTo(target) { (target instanceof Element ? target : find(target)).append(this); return this; }
    ready(call) { once(call); return this; }
  }

  const find = (selector) => {
    if (!elements.has(selector)) elements.set(selector, new Element("", UNCHANGED));
    return elements.get(selector);
  };
  const write = (...texts) => { written[script] = (written[script] || "") + texts.join(""); };
  const listen = (event, call) => { if (event === "DOMContentLoaded" || event === "load") once(call); };
  const document = {
    write, writeln: (...texts) => write(...texts, "\n"),
    getElementById: (id) => find("#" + id),
    querySelector: find, querySelectorAll: (selector) => [find(selector)],
    getElementsByClassName: (name) => [find("." + name)], getElementsByTagName: (tag) => [find(tag)],
    createElement: (tag) => new Element(tag), createDocumentFragment: () => new Element(""),
    createTextNode: (text) => new Element("", escaped(text)),
    get body() { return find("body"); }, get head() { return find("head"); },
    addEventListener: listen, readyState: "loading", cookie: "", title: "", referrer: "",
  };
  const jquery = (what) => {
    if (typeof what === "function") return once(what);
    if (what instanceof Element) return what;
    return String(what).startsWith("<") ? new Element("", what) : find(what === document ? "html" : String(what));
  };
  class TextDecoder {
    decode(bytes) { return decodeURIComponent(Array.from(bytes, (byte) => "%" + byte.toString(16).padStart(2, "0")).join("")); }
  }
  const later = (call) => { once(call); return 0; };
  Object.assign(globalThis, {
    window: globalThis, self: globalThis, top: globalThis, document, TextDecoder,
    $: jquery, jQuery: jquery, addEventListener: listen, setTimeout: later, requestAnimationFrame: later,
    setInterval: () => 0, clearTimeout: nothing, clearInterval: nothing,
    location: { href: "", hostname: "" }, navigator: { userAgent: "" },
    console: { log: nothing, warn: nothing, error: nothing, info: nothing },
    Base64: { decode: (text) => decodeURIComponent(escape(atob(text.replace(/-/g, "+").replace(/_/g, "/")))) },
  });

  // Called with the number of the next script, and finally without one to return everything that was written.
  return (next) => {
    if (next !== undefined) { script = next; return ""; }
    once(globalThis.onload);
    for (const [number, call] of pending.entries()) {
      if (number === MOST_CALLS) break;
      try { call.call(document); } catch {}
    }
    const changed = [...elements].map(([selector, each]) => [selector, each.innerHTML]);
    return JSON.stringify([written, changed.filter(([, markup]) => markup !== UNCHANGED)]);
  };
})()
