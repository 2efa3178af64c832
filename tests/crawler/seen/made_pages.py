"""Pages with style sheets put together at random: the same seed gives the same page."""

from random import Random

TAGS = ("div", "p", "span", "b", "i", "a", "section", "ul", "font", "h2", "em", "table")
CLASSES = ("a", "b", "c", "long-name", "q:x", "1st", "追文")
IDS = ("one", "two", "x.y")
ATTRIBUTES = ('data-x="a#b"', 'title="it&quot;s"', 'lang="zh-CN"', "data-e", 'data-w="one two"', 'type="Text"')
# What hides in some way, now and then what only looks like it, and what shows again.
HIDING = (
    "display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.03", "font-size:0",
    "font-size:.5px", "font:0/0 a", "color:transparent", "color:#fff;background:#fff", "color:rgb(254 254 254)",
    "background-color:white;color:hsl(0 0% 99%)", "position:absolute;left:-9999px", "position:fixed;top:-100em",
    "position:relative;left:-5000px", "position:relative;top:-8000px", "position:absolute;left:12000px",
    "text-indent:-9999px", "text-indent:-999em;display:block", "margin-left:-9999px", "float:left;margin-left:-9999px",
    "height:0;overflow:hidden", "width:0;overflow:hidden;display:inline-block", "max-height:0;overflow:hidden",
    "height:0;overflow:hidden;padding-top:2em", "transform:scale(0)", "transform:translateX(-9000px)",
    "display:inline-block;transform:scale(0)", "translate:-9000px;display:block", "scale:0;display:block",
    "position:absolute;clip:rect(0,0,0,0)", "clip-path:inset(50%)", "clip-path:circle(0)", "filter:opacity(0)",
    "content-visibility:hidden", "-webkit-text-fill-color:transparent", "position:absolute;right:9999px",
    "position:absolute;bottom:6000px", "display:contents", "opacity:0%", "text-align:right", "direction:rtl",
    "position:absolute;left:-2000px;width:3000px", "margin-left:-4000px;width:5000px", "overflow:hidden;height:1px",
)  # fmt: skip
SHOWING = (
    "display:block", "display:inline", "display:inline-block", "display:flex", "display:revert", "display:initial",
    "visibility:visible", "opacity:1", "font-size:14px", "font-size:medium", "font:14px serif", "color:#333",
    "color:red", "background:none", "background:#000", "background-color:transparent", "position:static",
    "position:relative", "position:absolute", "position:fixed;left:5px;top:5px", "left:0", "left:auto", "top:auto",
    "text-indent:0", "height:auto", "overflow:visible", "width:auto", "transform:none", "clip:auto", "clip-path:none",
    "all:unset", "all:initial", "all:revert", "float:none;margin:0", "text-shadow:0 0 1px #000", "color:inherit",
    "visibility:inherit", "font-size:inherit", "display:inherit", "opacity:inherit", "margin-left:9000px",
    "left:9999px;position:relative", "padding-left:3000px", "min-height:2em", "filter:none",
    "translate:none;scale:none",
)  # fmt: skip
BROKEN = (
    "display:nonne", "display:none none", "visibility:gone", "opacity:0px", "font-size:-1px", "left:-9999",
    "color:#ffff1", "height:0 !ie", "*display:none", "display:none\\9", "display none", "zoom:1;;", "@foo{};",
    "-moz-display:none", "font-size:0em0", "clip:rect(0,0)", "position:absolut", "{display:none}", "unknown:1",
)  # fmt: skip
MEDIA = (
    "(max-width:600px)", "(min-width:601px)", "screen and (max-width:767.98px)", "print", "not print", "not all",
    "only screen and (min-width:1200px)", "(width<800px)", "(600px<=width<=1300px)", "(orientation:portrait)",
    "(min-aspect-ratio:1/1)", "(hover:none)", "(hover)", "(prefers-color-scheme:dark)", "(min-resolution:2dppx)",
    "(bogus)", "not (bogus)", "(bogus) or (color)", "(color) and (not (monochrome))", "screen, (bogus)", "speech",
    "(min-height:700px)", "all and (min-width:0)", "(max-width:50em)", "not screen and (color)", "screen and", "()",
    "((min-width:300px) and (max-width:900px))", "(width)", "(min-width)", "(100px<width)", "handheld", "only print",
    "(prefers-reduced-motion:no-preference)", "(pointer:fine)", "(-webkit-min-device-pixel-ratio:1)", "tv, screen",
)  # fmt: skip
SUPPORTS = (
    "(display:grid)", "not (display:grid)", "(display:nonsense)", "(--x:1)", "(display:flex) and (color:red)",
    "not ((display:block) and (visibility:hidden))", "(display:block) or (bogus:1)", "selector(:is(a))",
    "(-ms-ime-align:auto)", "(-webkit-appearance:none)", "(gap:1px)", "(bogus:1)", "not (bogus:1)",
)  # fmt: skip


class PageMaker:
    """Makes one page."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._texts = 0

    def page(self) -> tuple[str, dict[str, bytes]]:
        """Its markup, and the sheets that it links to."""
        rng = self._rng
        files = {"one.css": self.sheet().encode(), "two.css": self.sheet().encode()}
        head = [f"<style{rng.choice(_STYLE_ATTRIBUTES)}>{self.sheet()}</style>" for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.4:
            media = rng.choice(("", "", ' media="print"', ' media="(min-width:700px)"', " disabled"))
            head.append(f'<link rel="stylesheet" href="one.css"{media}>')
        if rng.random() < 0.3:
            condition = rng.choice(
                ("", "", "layer", "layer(low)", "print", "(min-width:800px)", "supports(display:grid)")
            )
            head.append(f"<style>@import url(two.css) {condition};{self.sheet()}</style>")
        rng.shuffle(head)
        body = "".join(self.element(0) for _ in range(rng.randint(3, 5)))
        filler = "".join(
            f"<h6>这里是一段谁也不藏的话，第{number}段，好让被藏起来的字不到一半。</h6>" for number in range(12)
        )
        html = f"<!DOCTYPE html><html><head><title>t</title>{''.join(head)}</head><body>{body}{filler}</body></html>"
        return html, files

    def element(self, depth: int) -> str:
        rng = self._rng
        tag = rng.choice(TAGS if depth < 3 else TAGS[2:6])
        attributes = [rng.choice(ATTRIBUTES)] if rng.random() < 0.3 else []
        if rng.random() < 0.75:
            attributes.append(f'class="{" ".join(rng.sample(CLASSES, rng.randint(1, 2)))}"')
        if rng.random() < 0.1:
            attributes.append(f'id="{rng.choice(IDS)}"')
        if rng.random() < 0.15:
            attributes.append(f'style="{self.declarations()}"')
        if rng.random() < 0.03:
            attributes.append("hidden")
        if tag == "a" and rng.random() < 0.5:
            attributes.append('href="#"')
        if tag == "font":
            attributes.append(rng.choice(('color="white"', 'color="#fff"', "", 'size="1"')))
        inner = "".join(
            self.text() if depth > 2 or rng.random() < 0.5 else self.inner(tag, depth) for _ in range(rng.randint(1, 3))
        )
        opening = f"<{' '.join([tag, *attributes]).strip()}>"
        if tag == "ul":
            inner = "".join(f"<li>{self.text()}</li>" for _ in range(rng.randint(1, 4)))
        elif tag == "table":
            inner = f"<tbody><tr><td>{self.text()}</td><td class=a>{self.text()}</td></tr></tbody>"
        return f"{opening}{inner}</{tag}>"

    def inner(self, tag: str, depth: int) -> str:
        """An element that may stand in another: a browser moves blocks out of paragraphs and links out of links."""
        while True:
            made = self.element(depth + 1)
            is_block = any(f"<{name}" in made for name in ("div", "p ", "p>", "section", "ul", "h2", "table"))
            is_phrase = tag in ("p", "h2", "span", "b", "i", "em", "font", "a")
            if not (is_phrase and (is_block or "<a" in made)):
                return made

    def text(self) -> str:
        self._texts += 1
        return f" 第{self._texts}处字 "

    def declarations(self) -> str:
        rng = self._rng
        parts = []
        for _ in range(rng.randint(1, 2)):
            drawn = rng.random()
            pool = HIDING if drawn < 0.5 else SHOWING if drawn < 0.85 else BROKEN
            parts.append(rng.choice(pool))
        if rng.random() < 0.12:
            parts.append(
                rng.choice(("display:var(--d)", "visibility:var(--v,hidden)", "color:var(--c)", "font-size:var(--s)"))
            )
        if rng.random() < 0.12:
            parts.append(
                rng.choice(
                    ("--d:none", "--d:block", "--v:visible", "--c:transparent", "--s:0", "--s:var(--d)", "--c:red")
                )
            )
        important = rng.choice(("", "", "", "", "!important", " ! important"))
        return ";".join(f"{part}{important}" for part in ";".join(parts).split(";"))

    def sheet(self) -> str:
        rules = [self.rule(0) for _ in range(self._rng.randint(2, 6))]
        if self._rng.random() < 0.2:
            rules.insert(0, "@layer low, high;")
        return "\n".join(rules)

    def rule(self, depth: int) -> str:
        rng = self._rng
        drawn = rng.random()
        if depth > 2 or drawn < 0.6:
            return f"{self.selectors()}{{{self.declarations()}{self.nested(depth)}}}"
        inner = "".join(self.rule(depth + 1) for _ in range(rng.randint(1, 2)))
        if drawn < 0.8:
            return f"@media {rng.choice(MEDIA)}{{{inner}}}"
        if drawn < 0.88:
            return f"@supports {rng.choice(SUPPORTS)}{{{inner}}}"
        if drawn < 0.95:
            return f"@layer {rng.choice(('low', 'high', 'high.inner', ''))}{{{inner}}}"
        return rng.choice(
            (f"@container (min-width:10px){{{inner}}}", f"@unknown x{{{inner}}}", f"/* {inner} */", f"}}{inner}")
        )

    def nested(self, depth: int) -> str:
        rng = self._rng
        if depth > 1 or rng.random() < 0.85:
            return ""
        start = rng.choice(("&", "& ", "", "> ", ".b &", "&.c", "& > "))
        selector = f"{start}{self.compound() if not start.endswith(('&', 'c')) else ''}"
        inside = f"{selector}{{{self.declarations()}}}"
        return f";{rng.choice((inside, f'@media {rng.choice(MEDIA)}{{{self.declarations()}}}'))}"

    def selectors(self) -> str:
        return ",".join(self.selector() for _ in range(self._rng.choice((1, 1, 1, 2))))

    def selector(self) -> str:
        rng = self._rng
        parts = [self.compound()]
        while rng.random() < 0.35:
            parts += [rng.choice((" ", " ", ">", "+", "~")), self.compound()]
        return "".join(parts)

    def compound(self) -> str:
        rng = self._rng
        drawn = rng.random()
        base = (
            rng.choice(TAGS) if drawn < 0.3 else f".{self.escaped(rng.choice(CLASSES))}" if drawn < 0.8
            else f"#{self.escaped(rng.choice(IDS))}" if drawn < 0.85
            else rng.choice(_ATTRIBUTE_SELECTORS) if drawn < 0.95 else "*"
        )  # fmt: skip
        if rng.random() < 0.3:
            base += self.pseudo()
        return base

    def pseudo(self) -> str:
        rng = self._rng
        inner = f".{self.escaped(rng.choice(CLASSES))}"
        return rng.choice(
            (
                f":not({inner})", f":not({inner}, {rng.choice(TAGS)})", f":is({inner},{rng.choice(TAGS)})",
                f":where({inner})",
                f":has({inner})", f":has(> {rng.choice(TAGS)})", f":not(:is({inner}))", f":not(div {inner})", ":hover",
                ":not(:hover)", ":focus", "::before", ":first-child", ":last-child", ":nth-child(2n+1)",
                ":nth-child(2)",
                f":nth-child(1 of {inner})", ":nth-last-child(-n+2)", ":first-of-type", ":nth-of-type(2)",
                ":only-child",
                ":empty", ":root", ":link", ":lang(zh)", ":defined", ":read-only", "::-webkit-scrollbar", "::-moz-x",
                ":bogus",
            )
        )  # fmt: skip

    def escaped(self, name: str) -> str:
        """A name as a selector writes it, now and then with escapes that it does not need."""
        safe = "".join(f"\\{char}" if char in ":." else char for char in name)
        if safe[0].isdigit():
            safe = f"\\3{safe[0]} {safe[1:]}"
        return safe if self._rng.random() < 0.9 else "".join(f"\\{ord(char):x} " for char in name)


_STYLE_ATTRIBUTES = ("", "", " media=print", " media=screen", ' media="(max-width:700px)"', " type=text/x")
_ATTRIBUTE_SELECTORS = (
    '[data-x="a#b"]', "[data-x='a#b']", "[data-x*='#']", "[title=\"it\\\"s\"]", "[lang|=zh]", "[data-e]", '[data-e=""]',
    "[data-w~=two]", "[data-w^=one]", "[data-w$=two]", "[data-w$='']", "[class~=a]", "[class*=' ']", "[TYPE]",
    "[data-x]",
    "[data-w=ONE\\ TWO i]", "[href='#']", "[style]", "[*|lang]",
)  # fmt: skip
