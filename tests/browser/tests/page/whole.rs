//! The page as a whole: accessibility, sizes, requests, and pictures of every view.

use std::path::Path;
use std::{env, fs};

use fanorona_browser_tests::View;
use serde_json::Value;

use crate::common::{action, open, point, set_players};

/// The sizes that pictures are taken at: phones both ways, a tablet, a laptop, a large screen.
const SIZES: [(u32, u32); 8] = [
    (360, 740),
    (740, 360),
    (390, 844),
    (844, 390),
    (768, 1024),
    (1280, 800),
    (1920, 1080),
    (2560, 1440),
];

/// The open position of the pictures: White can capture on d3, and nothing else can move.
const POSITION: &str = "board=9x5&start=9/9/2W1B4/9/B8_w&turns=c3-d3A&ply=0";

/// The names of all views, as the page lists them.
async fn views(view: &View) -> Vec<String> {
    view.evaluate("[...document.querySelectorAll('[data-tab]')].map((tab) => tab.dataset.tab)")
        .await
}

fn axe() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("node_modules/axe-core/axe.min.js");
    fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; run npm ci in {}", path.display(), env!("CARGO_MANIFEST_DIR"))
    })
}

/// Looks for barriers with axe-core on the page as it is now, and takes a picture of it.
async fn violations(view: &View, axe: &str, place: &str) -> Vec<(String, Value)> {
    // A colour on its way to another may have too little contrast.
    view.wait(
        "document.getAnimations().every((animation) => animation.playState !== 'running' ||
             animation.effect.getTiming().iterations === Infinity)",
    )
    .await;
    view.run(axe).await;
    view.run(
        "window.found = null;
         axe.run().then((found) => { window.found = found.violations; }); 0",
    )
    .await;
    view.wait("window.found").await;
    let found: Vec<Value> = view
        .evaluate(
            "window.found.map(({ id, help, nodes }) =>
                 ({ id, help, nodes: nodes.map((node) => node.html.slice(0, 200)) }))",
        )
        .await;
    view.screenshot(place).await;
    found.into_iter().map(|violation| (place.to_owned(), violation)).collect()
}

/// Text that cannot be read well enough on one of the boards, with one of the kinds of stones, as axe-core
/// sees it, in the view that is open.
async fn unreadable(view: &View, place: &str) -> Vec<(String, Value)> {
    view.run(
        "window.found = null;
         (async () => {
           const found = [];
           const { dataset } = document.documentElement;
           for (dataset.board of ['wood', 'cloth', 'slate'])
             for (dataset.stones of ['classic', 'jewel', 'marked']) {
               const { violations } = await axe.run({ runOnly: ['color-contrast'] });
               for (const { nodes } of violations)
                 found.push([dataset.board, dataset.stones, ...nodes.map(({ html }) => html)]);
             }
           window.found = found;
         })(); 0",
    )
    .await;
    view.wait("window.found").await;
    let found: Vec<Value> = view.evaluate("window.found").await;
    found.into_iter().map(|each| (place.to_owned(), each)).collect()
}

/// axe-core from the npm registry finds no violation in any view, at three sizes, light and dark, nor
/// text that is hard to read with any board and stones.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_accessible() {
    let axe = axe();
    let (server, browser, view) = open("board=5x5").await;
    let mut found = Vec::new();
    for (width, height) in [(1280, 800), (360, 740), (844, 390)] {
        for scheme in ["light", "dark"] {
            for name in views(&view).await {
                view.resize(width, height).await;
                view.prefer("prefers-color-scheme", scheme).await;
                view.go_to(&server.page(&format!("{POSITION}&view={name}"))).await;
                view.wait(&format!("document.body.dataset.view === {name:?}")).await;
                view.wait("document.body.dataset.state !== 'loading'").await;
                let place = format!("{name}-{width}-{scheme}");
                found.extend(violations(&view, &axe, &place).await);
                if width == 1280 {
                    found.extend(unreadable(&view, &place).await);
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    browser.close().await;
}

/// Nor does it find one with the other boards and stones, in the lesson, the help, a choice, a result.
#[tokio::test(flavor = "multi_thread")]
async fn themes_and_passing_states_are_accessible() {
    let axe = axe();
    let (server, browser, view) = open("board=5x5&view=settings").await;
    let mut found = Vec::new();
    for (board, stones, theme) in [
        ("wood", "jewel", "light"),
        ("cloth", "marked", "dark"),
        ("slate", "classic", "light"),
        ("slate", "jewel", "dark"),
    ] {
        view.go_to(&server.page("board=5x5&view=settings")).await;
        for (field, value) in [("board-style", board), ("stones", stones), ("theme", theme)] {
            view.click(&format!("input[name={field}][value={value}]")).await;
        }
        let root = format!(
            "document.documentElement.dataset.board === {board:?}
                && document.documentElement.dataset.stones === {stones:?}"
        );
        view.wait(&root).await;
        let place = |what: &str| format!("{what}-{board}-{stones}-{theme}");
        found.extend(violations(&view, &axe, &place("settings")).await);

        view.go_to(&server.page(crate::game::RELAY)).await;
        set_players(&view, "person", "person").await;
        view.click(&point("d3")).await;
        view.click(&point("e3")).await;
        view.wait_for(&action("choose-approach")).await;
        found.extend(violations(&view, &axe, &place("choice")).await);

        view.click(&action("new-game")).await;
        view.wait_for("#game-card").await;
        found.extend(violations(&view, &axe, &place("started")).await);

        view.go_to(&server.page("board=3x3&start=1B1/3/1W1_w")).await;
        view.click(&point("b1")).await;
        view.click(&point("b2")).await;
        view.wait_for(".result-card").await;
        found.extend(violations(&view, &axe, &place("result")).await);

        view.click(&action("help")).await;
        view.wait_for("#help").await;
        found.extend(violations(&view, &axe, &place("help")).await);
        view.click(&action("learn")).await;
        view.wait("document.body.dataset.lesson === 'move'").await;
        found.extend(violations(&view, &axe, &place("lesson")).await);
    }
    assert!(found.is_empty(), "{found:#?}");
    browser.close().await;
}

/// Help takes the focus and gives it back, and no key makes the panel the place of the focus.
#[tokio::test(flavor = "multi_thread")]
async fn help_gives_the_focus_back() {
    let (_server, browser, view) = open("board=9x5&turns=d3-e3A").await;
    view.click(&action("help")).await;
    view.wait("document.activeElement.id === 'help'").await;
    view.press("Escape").await;
    view.wait("document.activeElement.dataset.action === 'help'").await;
    view.click("#panel h2, #panel .turn-number").await;
    view.press("ArrowLeft").await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    assert!(view.evaluate::<bool>("document.activeElement.id !== 'panel'").await);
    browser.close().await;
}

/// Words that are broken at the end of a line.
const BROKEN: &str = r"(() => {
    for (const fold of document.querySelectorAll('#panel details')) fold.open = true;
    const broken = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest('code, option, textarea, script, .unseen')) continue;
      for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{M}’]+/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const parts = [...range.getClientRects()].filter(({ width }) => width > 0);
        if (new Set(parts.map(({ top }) => Math.round(top))).size > 1) broken.add(word);
      }
    }
    return [...broken]; })()";

/// Names that are keys of texts: the language lacks them.
const KEYS: &str = "[...document.querySelectorAll('button, input, select, textarea, [role]')]
    .flatMap((each) => [each.ariaLabel, each.title, each.textContent])
    .filter((name) => /^[a-z]+(\\.[a-z_-]+)+( \\(|$)/.test(name ?? ''))";

/// In every language, at every size, no word is broken, and every button has a name.
#[tokio::test(flavor = "multi_thread")]
async fn words_are_whole_in_every_language() {
    let (server, browser, view) = open("board=9x5").await;
    let names = views(&view).await;
    for language in ["en", "fr", "mg", "nl"] {
        for (width, height) in [(390, 844), (844, 390), (1280, 800), (2560, 1440)] {
            view.resize(width, height).await;
            let settings = format!("{{\"settings\":{{\"language\":{language:?}}}}}");
            view.run(&format!("localStorage.setItem('fanorona', {settings:?})")).await;
            view.go_to(&server.page("board=9x5")).await;
            view.wait(&format!("document.documentElement.lang === {language:?}")).await;
            for name in &names {
                view.run(&format!("document.querySelector('[data-tab={name}]').click()")).await;
                view.wait(&format!("document.body.dataset.view === {name:?}")).await;
                view.wait("document.body.dataset.state !== 'loading'").await;
                for (what, script) in [("broken", BROKEN), ("no name", KEYS)] {
                    let found: Vec<String> = view.evaluate(script).await;
                    assert!(found.is_empty(), "{what}: {found:?} {language} {name} {width}");
                }
            }
        }
    }
    browser.close().await;
}

/// The sizes of texts in pixels, each with an example, and the sizes that the sheet of tokens has. Marks on
/// the board are as large as its stones allow: theirs come last.
const TYPE: &str = r"(() => {
    for (const fold of document.querySelectorAll('#panel details')) fold.open = true;
    const rounded = (size) => Math.round(10 * size) / 10;
    const sizes = {}, marks = {};
    const add = (element, example) => {
      const { a: scale = 1 } = element.getScreenCTM?.() ?? {};
      const of = element.closest('.values, .choice') ? marks : sizes;
      of[rounded(scale * parseFloat(getComputedStyle(element).fontSize))] = example;
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const { parentElement: element, data } = text;
      if (data.trim() && element.checkVisibility() && !element.closest('.unseen, script')) add(element, data);
    }
    for (const field of document.querySelectorAll('input:not([type=radio], [type=checkbox]), select, textarea'))
      add(field, field.id);
    const probe = document.body.appendChild(document.createElement('i'));
    const tokens = ['small', 'body', 'large', 'title'].map((name) => {
      probe.style.fontSize = `var(--${name})`;
      return rounded(parseFloat(getComputedStyle(probe).fontSize));
    });
    probe.remove();
    return [sizes, tokens, marks]; })()";

/// Texts have four sizes, whatever the view and the window, and none is below 12 px.
#[tokio::test(flavor = "multi_thread")]
async fn texts_have_four_sizes() {
    let (server, browser, view) = open("board=9x5").await;
    let names = views(&view).await;
    let mut shown: Vec<_> =
        names.iter().map(|name| format!("board=9x5&turns=d3-e3W&view={name}")).collect();
    shown.push(format!("{POSITION}&view=explore"));
    shown.push("board=3x3&start=1B1/3/1W1_w&view=explore".to_owned());
    shown.push("board=3x3&start=1B1/3/1W1_w&turns=b1-b2A&view=play".to_owned());
    for (width, height) in [(390, 844), (844, 390), (1280, 800), (2560, 1440)] {
        view.resize(width, height).await;
        let mut seen = std::collections::BTreeSet::new();
        for fragment in &shown {
            view.go_to(&server.page(fragment)).await;
            view.wait("document.body.dataset.state !== 'loading'").await;
            if fragment.ends_with("tables") {
                view.wait_for(".chart, .slices, #panel table").await;
            }
            let (sizes, tokens, marks): (Value, Vec<f64>, Value) = view.evaluate(TYPE).await;
            assert!(tokens.is_sorted() && tokens[0] >= 12.0, "{tokens:?}");
            for (size, example) in sizes.as_object().unwrap() {
                let size: f64 = size.parse().unwrap();
                let token = tokens.iter().position(|token| (token - size).abs() < 0.15);
                assert!(token.is_some(), "{size} at {width}x{height} in {fragment}: {example}");
                seen.extend(token);
            }
            for (size, example) in marks.as_object().unwrap() {
                assert!(
                    size.parse::<f64>().unwrap() >= 11.9,
                    "{size}, {width}, {fragment}: {example}"
                );
            }
        }
        assert_eq!(seen.len(), 4, "{seen:?} at {width}x{height}");
    }
    browser.close().await;
}

/// The name and the headings have a face of their own. Its file has every letter of every language, and
/// what stands there before is as high and about as wide, so that nothing jumps.
#[tokio::test(flavor = "multi_thread")]
async fn headings_have_their_own_face() {
    let (_server, browser, view) = open("board=9x5&view=tables").await;
    view.run("window.faces = null; document.fonts.ready.then((it) => { faces = [...it]; }); 0")
        .await;
    view.wait("window.faces?.some(({ family, status }) => family.includes('Young Serif') && status === 'loaded')")
        .await;
    let faces: Vec<String> = view
        .evaluate(
            "['h1', '#panel h2'].map((name) => getComputedStyle(document.querySelector(name)).fontFamily)",
        )
        .await;
    assert!(faces.iter().all(|family| family.starts_with("\"Young Serif\"")), "{faces:?}");
    let (before, after): (Vec<f64>, Vec<f64>) = view
        .evaluate(
            "['\"Young Serif before\"', '\"Young Serif\"'].map((family) => {
               const name = document.querySelector('h1');
               name.style.fontFamily = family;
               name.style.lineHeight = 'normal';
               const { width, height } = name.getBoundingClientRect();
               return [width, height]; })",
        )
        .await;
    assert!((before[1] - after[1]).abs() <= 1.0, "{before:?} {after:?}");
    assert!((before[0] / after[0] - 1.0).abs() < 0.06, "{before:?} {after:?}");
    view.run(
        "window.missing = null;
         Promise.all(['en', 'fr', 'mg', 'nl'].map((language) =>
           fetch(`assets/lang/${language}.json`).then((it) => it.json()))).then((all) => {
             const letters = new Set(all.flatMap(Object.values).join('').match(/[\\p{L}\\p{N}.,:;?!’()]/gu));
             const pen = document.createElement('canvas').getContext('2d');
             const width = (letter, other) => {
               pen.font = `40px 'Young Serif', ${other}`;
               return pen.measureText(letter).width;
             };
             window.missing = [...letters].filter((it) => width(it, 'monospace') !== width(it, 'serif'));
           }); 0",
    )
    .await;
    view.wait("window.missing").await;
    let missing: Vec<String> = view.evaluate("missing").await;
    assert!(missing.is_empty(), "{missing:?}");
    browser.close().await;
}

/// The contrast of rings and dots with each ground, the least first.
const CONTRAST: &str = r"(() => {
    const { dataset } = document.documentElement;
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (colour) => {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const probe = document.body.appendChild(document.createElement('i'));
    const ground = (name) => {
      probe.style.color = `var(${name})`;
      return rgb(getComputedStyle(probe).color);
    };
    const light = (colour) => {
      const [r, g, b] = colour.map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    for (dataset.board of ['wood', 'cloth', 'slate'])
      for (dataset.stones of ['classic', 'jewel', 'marked'])
        for (dataset.colours of ['plain', 'blind'])
          for (const selector of ['.movable circle', '.selected', '.target-dot'])
            for (const name of ['--ground-bright', '--ground-deep'])
              for (const mark of [...document.querySelectorAll(selector)].slice(0, 1)) {
                const { fill, fillOpacity, stroke, strokeOpacity } = getComputedStyle(mark);
                const below = ground(name);
                const [colour, part] = fill === 'none' ? [stroke, strokeOpacity] : [fill, fillOpacity];
                const seen = rgb(colour).map((value, i) => value * part + below[i] * (1 - part));
                const [more, less] = [light(seen), light(below)].sort((a, b) => b - a);
                found.push([(more + 0.05) / (less + 0.05), `${selector} ${name} ${Object.values(dataset)}`]);
              }
    probe.remove();
    return found.sort(([a], [b]) => a - b); })()";

/// Rings and dots have a contrast of three to one with every ground, light and dark.
#[tokio::test(flavor = "multi_thread")]
async fn rings_are_seen_on_every_ground() {
    let (server, browser, view) = open("board=9x5").await;
    for scheme in ["light", "dark"] {
        view.prefer("prefers-color-scheme", scheme).await;
        view.go_to(&server.page(POSITION)).await;
        view.wait("document.querySelector('.movable circle')").await;
        let rings: Vec<(f64, String)> = view.evaluate(CONTRAST).await;
        assert!(rings.len() >= 36, "{rings:?}");
        assert!(rings[0].0 >= 3.0, "{scheme}: {:?}", rings[0]);
        view.click(&point("c3")).await;
        view.wait("document.querySelector('.target-dot')").await;
        let marks: Vec<(f64, String)> = view.evaluate(CONTRAST).await;
        assert!(marks.len() >= 72, "{marks:?}");
        assert!(marks[0].0 >= 3.0, "{scheme}: {:?}", marks[0]);
    }
    browser.close().await;
}

/// No view is wider than the screen, and the board is large, at every size, light and dark. With
/// `SCREENSHOTS=DIR`, the pictures and `contact-sheet.html` are left in the directory.
#[tokio::test(flavor = "multi_thread")]
async fn every_view_fits_every_size() {
    let (server, browser, view) = open("board=9x5").await;
    let names = views(&view).await;
    let mut sheet = String::new();
    for (width, height) in SIZES {
        view.resize(width, height).await;
        for scheme in ["light", "dark"] {
            view.prefer("prefers-color-scheme", scheme).await;
            sheet.push_str(&format!("<h2>{width} by {height}, {scheme}</h2>\n<p>"));
            view.go_to(&server.page("board=9x5&turns=d3-e3W,d4-c3A-d3A")).await;
            for name in &names {
                view.click(&format!("[data-tab={name}]")).await;
                view.wait(&format!("document.body.dataset.view === {name:?}")).await;
                view.wait("document.body.dataset.state !== 'loading'").await;
                let wide: f64 = view.evaluate("document.documentElement.scrollWidth").await;
                assert!(wide <= f64::from(width), "{name} at {width}x{height}: {wide}");
                let place = format!("sheet-{width}x{height}-{scheme}-{name}");
                view.screenshot(&place).await;
                sheet.push_str(&format!("<img src=\"{place}.png\" alt=\"{name}\">\n"));
            }
            sheet.push_str("</p>\n");
        }
        let share: f64 = view
            .evaluate(
                "(() => { const box = document.querySelector('#board').getBoundingClientRect();
                   return (box.width * box.height) / (innerWidth * innerHeight); })()",
            )
            .await;
        // Upright, the board is as wide as the screen; otherwise it has about half of the screen.
        let least = if width < height { 0.25 } else { 0.45 };
        assert!(share >= least, "the board has {share:.2} of {width}x{height}");
    }
    if let Some(dir) = env::var_os("SCREENSHOTS") {
        let head = "<!doctype html><meta charset=utf-8><title>The page at every size</title>
<style>body { font: 15px sans-serif } p { display: flex; flex-wrap: wrap; align-items: start; gap: 8px }
img { max-width: 380px; max-height: 380px; border: 1px solid #888 }</style>\n";
        fs::write(Path::new(&dir).join("contact-sheet.html"), format!("{head}{sheet}"))
            .expect("the contact sheet is written");
    }
    browser.close().await;
}

/// The page asks nobody but its own server, and breaks no rule of its content security policy.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_leaves_the_page() {
    let (server, browser, view) = open("board=9x5").await;
    for name in views(&view).await {
        view.click(&format!("[data-tab={name}]")).await;
        view.wait(&format!("document.body.dataset.view === {name:?}")).await;
    }
    let requests: Vec<String> =
        view.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)").await;
    assert!(requests.len() > 5, "{requests:?}");
    let own = server.page("");
    let own = own.trim_end_matches("/#");
    for request in requests {
        assert!(request.starts_with(own), "{request}");
    }
    browser.close().await;
}
