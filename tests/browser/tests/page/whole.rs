//! The page as a whole: accessibility, requests, and pictures of every view.

use std::path::Path;

use serde_json::Value;

use crate::common::open;

/// axe-core from the npm registry finds no violation in any view, at two sizes, light and dark.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_accessible() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; run npm ci in {}", path.display(), env!("CARGO_MANIFEST_DIR"))
    });
    let (server, browser, view) = open("board=5x5").await;
    let mut violations = Vec::new();
    for (width, height) in [(1280, 800), (360, 740)] {
        for scheme in ["light", "dark"] {
            for view_name in ["play", "explore", "edit", "tables", "puzzles", "settings"] {
                let fragment =
                    format!("board=9x5&start=9/9/2W1B4/9/B8_w&turns=c3-d3A&ply=0&view={view_name}");
                view.resize(width, height).await;
                view.prefer("prefers-color-scheme", scheme).await;
                view.go_to(&server.page(&fragment)).await;
                view.wait(&format!("document.body.dataset.view === {view_name:?}")).await;
                view.wait("document.body.dataset.state !== 'loading'").await;
                view.run(&axe).await;
                view.run("axe.run().then((found) => { window.found = found.violations; }); 0")
                    .await;
                view.wait("window.found").await;
                let found: Vec<Value> = view
                    .evaluate(
                        "window.found.map(({ id, help, nodes }) =>
                             ({ id, help, nodes: nodes.map((node) => node.html.slice(0, 200)) }))",
                    )
                    .await;
                let place = format!("{view_name}-{width}-{scheme}");
                violations.extend(found.into_iter().map(|violation| (place.clone(), violation)));
                view.screenshot(&place).await;
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
    browser.close().await;
}

/// The page asks nobody but its own server, and breaks no rule of its content security policy.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_leaves_the_page() {
    let (server, browser, view) = open("board=9x5").await;
    for name in ["explore", "edit", "tables", "puzzles", "settings", "play"] {
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
