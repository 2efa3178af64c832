// The texts of a page, each with why nobody sees it on this screen ("" where it is seen), as Chromium lays them out.
() => {
  const LEAST_PX = 1, LEAST_OPACITY = 0.06, LEAST_STEPS = 12, FAR_PX = 5000;
  const number = (value) => parseFloat(value) || 0;
  const channels = (value) => {
    const parts = value.match(/[\d.e+-]+%?/g).map((part) => parseFloat(part));
    return value.startsWith("color(")
      ? [...value.match(/[\d.e+-]+/g).slice(-4, -1).map(Number).map((part) => part * 255), 1]
      : [parts[0], parts[1], parts[2], parts.length > 3 ? parts[3] : 1];
  };
  const over = (top, ground) => [0, 1, 2].map((n) => top[n] * top[3] + ground[n] * (1 - top[3]));

  const NAMES = [
    "display", "visibility", "opacity", "filter", "backgroundImage", "backgroundColor", "backgroundClip", "textShadow",
    "webkitTextStrokeWidth", "webkitTextFillColor", "transform", "translate", "scale", "rotate", "perspective",
    "backdropFilter", "willChange", "contain", "clipPath", "clip", "position", "overflowX", "overflowY",
    "contentVisibility", "fontSize",
  ];
  const known = new Map();
  const styleOf = (element) => {
    if (!known.has(element)) {
      const style = getComputedStyle(element);
      known.set(element, Object.fromEntries(NAMES.map((name) => [name, style[name]])));
    }
    return known.get(element);
  };

  const opacityOf = (element) => {
    let result = 1;
    for (let at = element; at; at = at.parentElement) {
      const style = styleOf(at);
      if (style.display === "contents") continue;
      result *= number(style.opacity);
      for (const found of style.filter.matchAll(/opacity\(([\d.]+)\)/g)) result *= number(found[1]);
    }
    return result;
  };

  const groundOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const style = styleOf(at);
      if (style.display === "contents") continue;
      if (style.backgroundImage !== "none") return null;
      const color = channels(style.backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] >= 1) break;
    }
    return layers.reverse().reduce((ground, layer) => over(layer, ground), [255, 255, 255]);
  };

  const hasInk = (element, opacity) => {
    const style = styleOf(element);
    if (style.textShadow !== "none" || number(style.webkitTextStrokeWidth) > 0) return true;
    for (let at = element; at; at = at.parentElement)
      if (styleOf(at).backgroundClip.includes("text")) return true;
    const ink = channels(style.webkitTextFillColor), ground = groundOf(element);
    if (ink[3] * opacity < LEAST_OPACITY) return false;
    return !ground || Math.max(...over(ink, ground).map((part, n) => Math.abs(part - ground[n]))) > LEAST_STEPS;
  };

  const isFrame = (style) =>
    style.transform !== "none" || style.translate !== "none" || style.scale !== "none" || style.rotate !== "none" ||
    style.filter !== "none" || style.perspective !== "none" || style.backdropFilter !== "none" ||
    /transform|filter|perspective/.test(style.willChange) || /paint|layout|strict|content/.test(style.contain);

  const cut = (rect, box) => {
    const left = Math.max(rect.left, box.left), top = Math.max(rect.top, box.top);
    return { left, top, right: Math.min(rect.right, box.right), bottom: Math.min(rect.bottom, box.bottom) };
  };
  const share = (value, whole) => (value.endsWith("%") ? (number(value) / 100) * whole : number(value));

  const clipOf = (element, style, rect) => {
    const box = element.getBoundingClientRect(), width = box.width, height = box.height;
    const inset = style.clipPath.match(/^inset\(([^)]*)\)/);
    if (inset) {
      const [top, right = top, bottom = top, left = right] = inset[1].split(" round")[0].split(" ");
      rect = cut(rect, {
        left: box.left + share(left, width), top: box.top + share(top, height),
        right: box.right - share(right, width), bottom: box.bottom - share(bottom, height),
      });
    } else if (/^circle\(0/.test(style.clipPath) || /^polygon\(((0px|0%) (0px|0%),? ?)+\)/.test(style.clipPath)) {
      return null;
    }
    const rectangle = style.clip.match(/^rect\((.*)\)/);
    if (rectangle && ["absolute", "fixed"].includes(style.position)) {
      const [top, right, bottom, left] = rectangle[1].split(/[ ,]+/);
      rect = cut(rect, {
        left: left === "auto" ? -1e9 : box.left + number(left), top: top === "auto" ? -1e9 : box.top + number(top),
        right: right === "auto" ? 1e9 : box.left + number(right),
        bottom: bottom === "auto" ? 1e9 : box.top + number(bottom),
      });
    }
    return rect;
  };

  const overflowOf = (element, style, rect) => {
    if (element === document.body || element === document.documentElement || style.display === "inline") return rect;
    const box = element.getBoundingClientRect();
    const scale = element.offsetWidth ? box.width / element.offsetWidth : 1;
    const inner = {
      left: box.left + element.clientLeft * scale, top: box.top + element.clientTop * scale,
      right: box.left + (element.clientLeft + element.clientWidth) * scale,
      bottom: box.top + (element.clientTop + element.clientHeight) * scale,
    };
    // What scrolls may be scrolled to, unless its box has no size.
    const across = style.overflowX, down = style.overflowY, hides = ["hidden", "clip"];
    const flat = { across: inner.right - inner.left <= LEAST_PX, down: inner.bottom - inner.top <= LEAST_PX };
    if (hides.includes(across) || (across !== "visible" && flat.across))
      rect = cut(rect, { left: inner.left, right: inner.right, top: -1e9, bottom: 1e9 });
    if (hides.includes(down) || (down !== "visible" && flat.down))
      rect = cut(rect, { left: -1e9, right: 1e9, top: inner.top, bottom: inner.bottom });
    return rect;
  };

  const visiblePart = (element, rect) => {
    let position = "static";
    for (let at = element; at && rect; at = at.parentElement) {
      const style = styleOf(at);
      const frame = isFrame(style) && style.display !== "inline" && style.display !== "contents";
      const holds = position === "static" || frame || (position === "absolute" && style.position !== "static");
      rect = clipOf(at, style, rect);
      if (rect && holds && style.display !== "contents") {
        rect = overflowOf(at, style, rect);
        position = "static";
        if (["absolute", "fixed"].includes(style.position)) position = style.position;
      }
    }
    return rect;
  };

  const isFixed = (element) => {
    for (let at = element; at; at = at.parentElement) if (styleOf(at).position === "fixed") return true;
    return false;
  };

  const isSkipped = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = styleOf(at);
      if (style.contentVisibility === "hidden" && !["inline", "contents"].includes(style.display)) return true;
    }
    return false;
  };

  const whyUnseen = (node) => {
    const element = node.parentElement;
    let box = element;
    while (styleOf(box).display === "contents") box = box.parentElement;
    if (!box.checkVisibility()) return "display";
    if (styleOf(element).visibility !== "visible") return "visibility";
    if (isSkipped(element)) return "content-visibility";
    const opacity = opacityOf(element);
    if (opacity < LEAST_OPACITY) return "opacity";
    if (number(styleOf(element).fontSize) <= LEAST_PX) return "size";
    if (!hasInk(element, opacity)) return "color";
    const range = document.createRange();
    range.selectNodeContents(node);
    const fixed = isFixed(element), x = fixed ? 0 : scrollX, y = fixed ? 0 : scrollY;
    const isRightToLeft = getComputedStyle(document.documentElement).direction === "rtl";
    let why = "no box";
    for (const given of range.getClientRects()) {
      const rect = visiblePart(element, given);
      const isFlat = !rect || rect.right - rect.left <= LEAST_PX || rect.bottom - rect.top <= LEAST_PX;
      const isOff = fixed
        ? given.right <= 0 || given.bottom <= 0 || given.left >= innerWidth || given.top >= innerHeight
        : given.right + x <= (isRightToLeft ? -FAR_PX : 0) || given.bottom + y <= 0 || given.left + x >= FAR_PX;
      if (!isFlat && !isOff) return "";
      why = isOff ? "off the page" : "cut away";
    }
    return why;
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, text = node.data.trim();
    if (text && !node.parentElement.closest("script,style,noscript,template,rt,rp,title,textarea,option")) {
      found.push([text, whyUnseen(node)]);
    }
  }
  return found;
}
