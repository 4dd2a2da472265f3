//! The page in a folder of static files, without the explorer's server.
//!
//! The environment variable `FANORONA_SITE` names a folder that `fanorona site` has written with tables
//! of 9x5 to four stones, at least. Without it these tests do nothing.

use std::env;
use std::path::Path;

use fanorona_browser_tests::{Browser, Failure, Folder, View};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::common::{PERSON, action, is_over, play, position, press, usable};

/// Two stones against one: nothing but tables knows its value.
const ENDGAME: &str = "board=9x5&start=W7W/9/4B4/9/9_w&view=explore";
/// Neither tables nor certificates know its value.
const OPEN: &str = "board=9x5&start=BBBBBBBBB/BBBB5/BWBW1BWBW/5WWWW/WWWWWWWWW_w&view=explore";
const START: &str = "board=9x5&view=play";

/// Asks the module for the value of the position of [`ENDGAME`].
const VALUE: &str = "fanoronaBackend.request('api/v1/position?board=9x5&rules=standard' +
    '&position=W7W%2F9%2F4B4%2F9%2F9+w&detail=value', {}).then(({ body }) => window.value = body.value)";

/// Whether the browser has all that the page needs without the network.
const IS_KEPT: &str =
    "navigator.serviceWorker.controller && Number(document.body.dataset.storedBytes) > 0";

fn folder() -> Option<Folder> {
    let Some(dir) = env::var_os("FANORONA_SITE") else {
        eprintln!("FANORONA_SITE names no folder: not tested");
        return None;
    };
    Some(Folder::serve(Path::new(&dir)))
}

async fn open(folder: &Folder, fragment: &str) -> (Browser, View) {
    let browser = Browser::start().await;
    let view = browser.open(&folder.page(fragment), 1280, 800).await;
    (browser, view)
}

async fn value(view: &View) -> String {
    view.run(&format!("window.value = undefined; {VALUE}")).await;
    view.wait("window.value !== undefined").await;
    view.evaluate("window.value").await
}

async fn number(view: &View, name: &str) -> u64 {
    view.evaluate(&format!("Number(document.body.dataset.{name})")).await
}

/// Plays a turn of a person, and waits for the program's.
async fn play_and_wait(view: &View, turn: &str) {
    play(view, turn).await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    is_over(view).await;
}

/// Keeps the tables of a game that are offered. Few are kept without being asked for: then there is no
/// button any more.
async fn keep_all(view: &View, game: &str) {
    let whole = format!("document.querySelector('#keep-{game}-whole')");
    let button = "document.querySelector('[data-action=keep-tables]:enabled')";
    view.wait(&format!("{whole} || {button}")).await;
    view.run(&format!("{button}?.click()")).await;
    view.wait(&whole).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_played_without_a_server() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, START).await;
    play_and_wait(&view, "d3-e3A").await;
    view.go_to(&folder.page(OPEN)).await;
    view.wait("Number(document.querySelector('#engine-lines')?.dataset.depth) > 0").await;
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    let asked = folder.asked();
    assert!(!asked.iter().any(|path| path.starts_with("api/")), "{asked:?}");
    view.screenshot("folder").await;
    browser.close().await;
}

/// A shard that cannot be had leaves a value open. The page says so, and asks again when it is opened
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn shards_that_cannot_be_had_are_told() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, START).await;
    for (failure, text) in [
        (Failure::ShardsDamaged, "damaged"),
        (Failure::ShardsMissing, "no longer"),
        (Failure::ShardsArePages, "no longer"),
    ] {
        folder.fail(failure);
        view.go_to(&folder.page(ENDGAME)).await;
        let said = view.text("#trouble p").await;
        assert!(said.contains(text), "{failure:?}: {said}");
        assert_eq!(value(&view).await, "unknown", "{failure:?}");
        view.click(&action("close-local")).await;
        view.wait("!document.querySelector('#trouble')").await;
    }
    folder.fail(Failure::None);
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    browser.close().await;
}

/// A shard that is damaged where the browser keeps it is fetched again.
#[tokio::test(flavor = "multi_thread")]
async fn a_shard_that_is_damaged_here_is_fetched_again() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, ENDGAME).await;
    assert_eq!(value(&view).await, "win");
    view.wait("Number(document.body.dataset.storedBytes) > 0").await;
    view.run(
        "window.spoiled = 0; caches.open('fanorona-shards').then(async (cache) => {
           for (const key of await cache.keys()) await cache.put(key, new Response('damaged'));
           window.spoiled = (await cache.keys()).length; })",
    )
    .await;
    view.wait("window.spoiled > 0").await;
    folder.asked();
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    assert!(folder.asked().iter().any(|path| path.starts_with("shards/")));
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('#trouble'))").await);
    browser.close().await;
}

/// Kept tables stay below the limit, can be emptied, and are not fetched twice.
#[tokio::test(flavor = "multi_thread")]
async fn the_space_for_tables_has_a_limit() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, ENDGAME).await;
    assert_eq!(value(&view).await, "win");
    assert!(number(&view, "loadedBytes").await > 0);
    view.wait("Number(document.body.dataset.storedBytes) > 0").await;
    folder.asked();
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    let asked = folder.asked();
    assert!(!asked.iter().any(|path| path.starts_with("shards/")), "{asked:?}");

    view.click("[data-tab=settings]").await;
    view.set("#space", "0").await;
    view.wait("document.body.dataset.storedBytes === '0'").await;
    view.set("#space", "20000000").await;
    press(&view, "keep-tables").await;
    view.wait("document.querySelector('[id^=keep-9x5-standard][id$=whole]')").await;
    view.screenshot("folder-settings").await;
    assert!(number(&view, "storedBytes").await > 0);
    press(&view, "empty-store").await;
    view.wait("document.body.dataset.storedBytes === '0'").await;
    browser.close().await;
}

/// Where the browser gives no space, tables come over the network each time, and the page says so once.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_once() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, START).await;
    view.limit_space(&folder.page(""), 1000).await;
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    view.wait_for("#trouble").await;
    view.click(&action("close-local")).await;
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    // Tables that did not fit are not taken to be here.
    view.click("[data-tab=settings]").await;
    press(&view, "keep-tables").await;
    view.wait_for(".keep [role=alert]").await;
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('[id$=whole]'))").await);
    browser.close().await;
}

/// Without encryption a browser keeps nothing: no shards, no version of the page.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_needs_to_be_kept() {
    let Some(folder) = folder() else { return };
    let browser = Browser::start().await;
    let view = browser.open(&folder.unsafe_page(ENDGAME), 1280, 800).await;
    assert!(!view.evaluate::<bool>("isSecureContext").await);
    assert_eq!(value(&view).await, "win");
    view.click("[data-tab=settings]").await;
    view.wait_for("#store").await;
    assert_eq!(number_or_minus(&view).await, -1);
    browser.close().await;
}

async fn number_or_minus(view: &View) -> i64 {
    view.evaluate("Number(document.body.dataset.storedBytes)").await
}

/// A private window forgets, but works.
#[tokio::test(flavor = "multi_thread")]
async fn a_private_window_plays() {
    let Some(folder) = folder() else { return };
    let browser = Browser::start_private().await;
    let view = browser.open(&folder.page(ENDGAME), 1280, 800).await;
    assert_eq!(value(&view).await, "win");
    browser.close().await;
}

/// The network goes away after the first visit. The page opens, small tables are known, the program
/// plays, and the page says what it cannot know.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_played_without_the_network() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, START).await;
    view.wait("document.querySelector('#kept')").await;
    view.wait(IS_KEPT).await;
    view.click("[data-tab=settings]").await;
    view.wait("document.querySelector('#store')").await;
    keep_all(&view, "9x5-standard").await;
    folder.fail(Failure::Gone);
    view.go_to(&folder.page(START)).await;
    play_and_wait(&view, "d3-e3A").await;
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    browser.close().await;
}

/// Who chooses the level that cannot lose can keep all that it needs, and plays it without the network.
#[tokio::test(flavor = "multi_thread")]
async fn the_level_that_cannot_lose_is_kept_by_one_button() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, "board=3x3&view=play").await;
    view.wait("document.querySelector('input[name=level][value=\"9\"]:enabled')").await;
    view.run("document.querySelector('input[name=level][value=\"9\"]').click()").await;
    view.wait_for(".levels .keep").await;
    keep_all(&view, "3x3-standard").await;
    view.wait(IS_KEPT).await;
    folder.fail(Failure::Gone);
    press(&view, "new-game").await;
    play_and_wait(&view, "a1-b2A").await;
    browser.close().await;
}

/// A host may isolate the page, and then the kept page is isolated too. Others need not.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_runs_with_and_without_isolation() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, ENDGAME).await;
    assert!(!view.evaluate::<bool>("crossOriginIsolated").await);
    assert_eq!(value(&view).await, "win");
    browser.close().await;

    folder.isolate();
    let (browser, view) = open(&folder, ENDGAME).await;
    view.wait(IS_KEPT).await;
    for failure in [Failure::None, Failure::Gone] {
        folder.fail(failure);
        view.go_to(&folder.page(ENDGAME)).await;
        assert!(view.evaluate::<bool>("crossOriginIsolated").await, "{failure:?}");
        assert_eq!(value(&view).await, "win", "{failure:?}");
    }
    browser.close().await;
}

/// Without the network and without tables the rules are still known, and the page says what is amiss.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_kept_is_not_known() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, "board=3x3").await;
    view.run("localStorage.setItem('fanorona.space', '0')").await;
    view.go_to(&folder.page("board=3x3")).await;
    view.wait("navigator.serviceWorker.controller").await;
    folder.fail(Failure::Gone);
    view.go_to(&folder.page(ENDGAME)).await;
    view.wait_for("#apart").await;
    assert_eq!(value(&view).await, "unknown");
    view.wait("document.querySelectorAll('.point.usable').length === 2").await;
    view.screenshot("folder-apart").await;
    // The network is back.
    folder.fail(Failure::None);
    view.go_to(&folder.page(ENDGAME)).await;
    assert_eq!(value(&view).await, "win");
    browser.close().await;
}

/// A later version of the folder: another page, and the manifest and service worker that name it.
fn renew(folder: &Folder, mark: &str) {
    let mut index = folder.file("index.html");
    index.extend(format!("<!-- {mark} -->\n").bytes());
    let mut manifest: Value = serde_json::from_slice(&folder.file("manifest.json")).unwrap();
    let before = manifest["version"].as_str().unwrap().to_owned();
    let version = format!("{mark:0>16}");
    manifest["version"] = json!(version);
    let assets = manifest["assets"].as_array_mut().unwrap();
    let asset = assets.iter_mut().find(|asset| asset["path"] == "index.html").unwrap();
    let digest = Sha256::digest(&index);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    (asset["bytes"], asset["sha256"]) = (json!(index.len()), json!(hex));
    let worker = String::from_utf8(folder.file("sw.js")).unwrap();
    assert!(worker.contains(&before));
    folder.replace("index.html", index);
    folder.replace("manifest.json", serde_json::to_vec(&manifest).unwrap());
    folder.replace("sw.js", worker.replace(&before, &version).into());
}

/// Looks for a new version, and does not wait for it.
const LOOK: &str =
    "navigator.serviceWorker.getRegistration().then((it) => it.update()).catch(() => {}), 0";

/// A new version waits until a person wants it, and then comes to all tabs. Their games go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_comes_when_it_is_wanted() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, START).await;
    let players = format!("{{\"players\":{{\"white\":{PERSON},\"black\":{PERSON}}}}}");
    view.run(&format!("localStorage.setItem('fanorona', {players:?})")).await;
    view.go_to(&folder.page(START)).await;
    view.wait(IS_KEPT).await;
    let other = browser.open(&folder.page(ENDGAME), 1280, 800).await;
    play(&view, "d3-e3A").await;
    let before = position(&view).await;
    renew(&folder, "2");
    view.run(LOOK).await;
    view.wait_for("#renewable").await;
    other.wait_for("#renewable").await;
    // The game goes on with the old version.
    assert!(!usable(&view).await.is_empty());
    // The comment behind the page.
    let is_new = "document.lastChild.nodeType === Node.COMMENT_NODE";
    for tab in [&view, &other] {
        tab.run("window.old = true").await;
        assert!(!tab.evaluate::<bool>(is_new).await);
    }
    view.click(&action("renew")).await;
    for tab in [&view, &other] {
        tab.wait(&format!("!window.old && document.body.dataset.ready === 'true' && {is_new}"))
            .await;
    }
    assert_eq!(position(&view).await, before);
    browser.close().await;
}

/// A version of which a file is still the old one, or already a later one, is not taken.
#[tokio::test(flavor = "multi_thread")]
async fn half_a_version_is_not_taken() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, START).await;
    view.wait(IS_KEPT).await;
    renew(&folder, "3");
    let whole = folder.file("index.html");
    folder.replace("index.html", b"<!doctype html>another".to_vec());
    let ended =
        "window.ended = null; navigator.serviceWorker.getRegistration().then(async (it) => {
        await it.update().catch(() => {}); const worker = it.installing;
        if (!worker) { window.ended = it.waiting ? 'installed' : 'redundant'; return; }
        worker.onstatechange = () => { window.ended = worker.state; }; }), 0";
    view.run(ended).await;
    view.wait("window.ended !== null").await;
    assert_eq!(view.evaluate::<String>("window.ended").await, "redundant");
    view.go_to(&folder.page(START)).await;
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('#renewable'))").await);
    // The host is whole again.
    folder.replace("index.html", whole);
    view.run(LOOK).await;
    view.wait_for("#renewable").await;
    browser.close().await;
}

/// Work that takes long is stopped, and quick answers do not wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn long_work_is_stopped() {
    let Some(folder) = folder() else { return };
    let (browser, view) = open(&folder, OPEN).await;
    press(&view, "prove").await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'running'").await;
    assert_eq!(value(&view).await, "win");
    press(&view, "stop").await;
    view.wait("document.querySelector('#proof-progress').dataset.end === 'stopped'").await;
    press(&view, "prove").await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'running'").await;
    browser.close().await;
}
