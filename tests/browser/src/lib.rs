//! Drives the explorer's page in Chromium, as a person would: by mouse and by keyboard.
//!
//! A [`Browser`] is a headless Chromium with an empty profile. A [`View`] is one page in it. All
//! methods panic if something fails, because they are for tests.

#![forbid(unsafe_code)]

mod folder;
mod server;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams,
};
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, DispatchMouseEventParams, DispatchMouseEventType,
    DispatchTouchEventReturns, MouseButton, TouchPoint,
};
use chromiumoxide::cdp::browser_protocol::log::{EnableParams, EventEntryAdded, LogEntryLevel};
use chromiumoxide::cdp::browser_protocol::network::EventResponseReceived;
use chromiumoxide::cdp::browser_protocol::storage::OverrideQuotaForOriginParams;
use chromiumoxide::cdp::browser_protocol::target::SetAutoAttachParams;
use chromiumoxide::error::CdpError;
use chromiumoxide::layout::Point;
use chromiumoxide::page::ScreenshotParams;
use chromiumoxide::types::{Command, Method, MethodId};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;
use tokio::task::JoinHandle;

pub use folder::{Failure, Folder};
pub use server::Server;

/// How long a test waits for something on the page.
const PATIENCE: Duration = Duration::from_secs(120);

/// A headless Chromium.
#[derive(Debug)]
pub struct Browser {
    browser: chromiumoxide::Browser,
    events: JoinHandle<()>,
    profile: TempDir,
}

impl Browser {
    /// Starts the Chromium that the environment variable `CHROMIUM` names, or the first of the
    /// usual names in the search path.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// The same, with windows that are private.
    pub async fn start_private() -> Self {
        Self::start_with(&["incognito"]).await
    }

    async fn start_with(arguments: &[&str]) -> Self {
        let profile = tempfile::tempdir().expect("a directory for the profile");
        let config = chromiumoxide::BrowserConfig::builder()
            .chrome_executable(executable())
            .user_data_dir(profile.path())
            .no_sandbox()
            .viewport(None)
            .args(["disable-gpu", "disable-quic", "disable-sync", "mute-audio", "no-first-run"])
            .args(["disable-background-networking", "disable-component-update"])
            .arg(("host-resolver-rules", "MAP fanorona.test 127.0.0.1"))
            .args(arguments.iter().copied())
            .build()
            .expect("a configuration");
        let (browser, mut handler) =
            chromiumoxide::Browser::launch(config).await.expect("Chromium starts");
        let events = tokio::spawn(async move { while handler.next().await.is_some() {} });
        Self { browser, events, profile }
    }

    /// Opens an address in a page of this size.
    pub async fn open(&self, address: &str, width: u32, height: u32) -> View {
        let page = self.browser.new_page("about:blank").await.expect("a page");
        // The library lets each worker wait until it is told to go on, and sometimes does not tell a
        // service worker.
        let attach = SetAutoAttachParams::builder().auto_attach(false).flatten(true);
        let attach = attach.wait_for_debugger_on_start(false).build().expect("all parameters");
        page.execute(attach).await.expect("workers start by themselves");
        let view = View { page };
        view.resize(width, height).await;
        view.go_to(address).await;
        view
    }

    /// Ends the browser and removes its profile.
    pub async fn close(mut self) {
        self.browser.close().await.expect("the browser closes");
        self.browser.wait().await.expect("the browser ends");
        self.events.await.expect("the browser's events end");
        self.profile.close().expect("the profile is removed");
    }
}

fn executable() -> PathBuf {
    if let Some(path) = env::var_os("CHROMIUM") {
        return path.into();
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let candidates = env::split_paths(&paths).flat_map(|dir| names.map(|name| dir.join(name)));
    candidates
        .into_iter()
        .find(|path| path.is_file())
        .expect("Chromium is installed, or CHROMIUM is the path of its program")
}

/// A page.
#[derive(Debug)]
pub struct View {
    page: Page,
}

/// `Input.dispatchTouchEvent`. The generated command leaves out an empty list of points, which the end of
/// a touch has to have.
#[derive(Debug, Serialize)]
struct Finger {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "touchPoints")]
    touch_points: Vec<TouchPoint>,
}

impl Method for Finger {
    fn identifier(&self) -> MethodId {
        "Input.dispatchTouchEvent".into()
    }
}

impl Command for Finger {
    type Response = DispatchTouchEventReturns;
}

impl View {
    /// Opens an address anew, even if only its fragment differs, and waits for the first drawing.
    pub async fn go_to(&self, address: &str) {
        // The page goes there by itself: the library would wait for events of a navigation, some of
        // which do not come on a busy machine.
        for (to, is_there) in [
            ("about:blank", "location.href === 'about:blank'"),
            (address, "document.body?.dataset.ready === 'true'"),
        ] {
            let _: String = self.evaluate(&format!("location.href = {to:?}")).await;
            self.wait(is_there).await;
        }
    }

    /// Opens the same address anew.
    pub async fn reload(&self) {
        let address: String = self.evaluate("location.href").await;
        self.go_to(&address).await;
    }

    /// Sets the size of the page in CSS pixels.
    pub async fn resize(&self, width: u32, height: u32) {
        let size = SetDeviceMetricsOverrideParams::new(width, height, 1.0, width < 600);
        self.page.execute(size).await.expect("the size is set");
    }

    /// Sets how many bytes the browser keeps for the origin of an address.
    pub async fn limit_space(&self, address: &str, bytes: u32) {
        let origin = address.split('/').take(3).collect::<Vec<_>>().join("/");
        let mut quota = OverrideQuotaForOriginParams::new(origin);
        quota.quota_size = Some(bytes.into());
        self.page.execute(quota).await.expect("the quota is set");
    }

    /// Sets a media feature, such as `prefers-color-scheme` to `dark`.
    pub async fn prefer(&self, feature: &str, value: &str) {
        let feature = MediaFeature::new(feature, value);
        self.page.emulate_media_features(vec![feature]).await.expect("the feature is set");
    }

    /// The value of a JavaScript expression. `undefined` reads as `null`.
    pub async fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> T {
        let text = self.try_evaluate(expression).await;
        let text = text.unwrap_or_else(|error| panic!("{expression}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{expression}: {error}: {text}"))
    }

    /// The value as text, because the protocol has no value for `null`.
    async fn try_evaluate(&self, expression: &str) -> Result<String, CdpError> {
        let text = format!("JSON.stringify(({expression}) ?? null)");
        Ok(self.page.evaluate(text).await?.into_value()?)
    }

    /// Waits until a JavaScript expression is true.
    pub async fn wait(&self, expression: &str) {
        let start = Instant::now();
        let condition = format!("Boolean({expression})");
        // While a page is being opened, there may be nothing to ask.
        while self.try_evaluate(&condition).await.ok().as_deref() != Some("true") {
            if start.elapsed() > PATIENCE {
                let text: String = self.evaluate("document.body.innerText").await;
                let marks: String = self.evaluate("JSON.stringify(document.body.dataset)").await;
                panic!("still not true: {expression}\n{marks}\nThe page says:\n{text}");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits for an element that a person can see.
    pub async fn wait_for(&self, selector: &str) {
        let element = format!("document.querySelector({selector:?})");
        self.wait(&format!("{element} && {element}.getClientRects().length > 0")).await;
    }

    /// The text of an element, once it can be seen.
    pub async fn text(&self, selector: &str) -> String {
        self.wait_for(selector).await;
        self.evaluate(&format!("document.querySelector({selector:?}).textContent.trim()")).await
    }

    /// Clicks into the middle of an element, once it can be seen.
    pub async fn click(&self, selector: &str) {
        let at = self.middle(selector).await;
        self.page.click(at).await.expect("a click");
    }

    /// Drags from the middle of one element to that of another.
    pub async fn drag(&self, from: &str, to: &str) {
        self.drag_with(MouseButton::Left, from, to).await;
    }

    /// Touches the middle of an element with a finger.
    pub async fn tap(&self, selector: &str) {
        let at = self.middle(selector).await;
        self.finger("touchStart", Some(at)).await;
        self.finger("touchEnd", None).await;
    }

    /// Drags a finger from the middle of one element to that of another.
    pub async fn drag_finger(&self, from: &str, to: &str) {
        let (from, to) = (self.middle(from).await, self.middle(to).await);
        self.finger("touchStart", Some(from)).await;
        for step in 1..=8 {
            let part = f64::from(step) / 8.0;
            let (x, y) = (from.x + part * (to.x - from.x), from.y + part * (to.y - from.y));
            self.finger("touchMove", Some(Point { x, y })).await;
        }
        self.finger("touchEnd", None).await;
    }

    async fn finger(&self, kind: &'static str, at: Option<Point>) {
        let touch_points = at.iter().map(|at| TouchPoint::new(at.x, at.y)).collect();
        self.page.execute(Finger { kind, touch_points }).await.expect("a finger can touch");
    }

    /// The same with the right button.
    pub async fn drag_right(&self, from: &str, to: &str) {
        self.drag_with(MouseButton::Right, from, to).await;
    }

    async fn drag_with(&self, button: MouseButton, from: &str, to: &str) {
        let (from, to) = (self.middle(from).await, self.middle(to).await);
        let halfway = Point { x: (from.x + to.x) / 2.0, y: (from.y + to.y) / 2.0 };
        use DispatchMouseEventType::{MouseMoved, MousePressed, MouseReleased};
        let moves = [(MouseMoved, from), (MousePressed, from), (MouseMoved, halfway)];
        for (kind, at) in moves.into_iter().chain([(MouseMoved, to), (MouseReleased, to)]) {
            self.mouse(kind, button.clone(), at).await;
        }
    }

    async fn mouse(&self, kind: DispatchMouseEventType, button: MouseButton, at: Point) {
        let is_move = kind == DispatchMouseEventType::MouseMoved;
        let mut event = DispatchMouseEventParams::new(kind, at.x, at.y);
        event.buttons = Some(if button == MouseButton::Right { 2 } else { 1 });
        event.button = Some(button);
        event.click_count = Some(i64::from(!is_move));
        self.page.execute(event).await.expect("a mouse event");
    }

    /// The middle of an element, scrolled to where it can be seen, once it stands still: what arrives
    /// late above it would move it from under the mouse.
    async fn middle(&self, selector: &str) -> Point {
        self.wait_for(selector).await;
        let place = format!(
            "(() => {{ const element = document.querySelector({selector:?});
               if (!element) return null;
               element.scrollIntoView({{ block: 'nearest', behavior: 'instant' }});
               const box = element.getBoundingClientRect();
               return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        );
        let mut last = None;
        let start = Instant::now();
        loop {
            let at: Option<(f64, f64)> = self.evaluate(&place).await;
            match at {
                Some((x, y)) if at == last => return Point { x, y },
                _ => last = at,
            }
            assert!(start.elapsed() < PATIENCE, "{selector} does not stand still");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Presses and releases a key, such as `Enter`, `ArrowLeft` or `a`.
    pub async fn press(&self, key: &str) {
        let is_text = key.chars().count() == 1;
        let text = if key == "Enter" { Some("\r") } else { is_text.then_some(key) };
        for kind in [DispatchKeyEventType::KeyDown, DispatchKeyEventType::KeyUp] {
            let is_down = kind == DispatchKeyEventType::KeyDown;
            let mut event = DispatchKeyEventParams::new(kind);
            event.key = Some(key.to_owned());
            event.code = (!is_text).then(|| key.to_owned());
            event.windows_virtual_key_code = key_code(key);
            event.text = text.filter(|_| is_down).map(str::to_owned);
            self.page.execute(event).await.expect("a key event");
        }
    }

    /// Types a text into the element that has the focus.
    pub async fn type_text(&self, text: &str) {
        for key in text.chars() {
            self.press(&key.to_string()).await;
        }
    }

    /// Hears from here on what the browser complains of, and which pictures it gets over the network.
    pub async fn hear(&self) -> Arc<Mutex<Vec<String>>> {
        self.page.execute(EnableParams::default()).await.expect("complaints are told");
        let entries = self.page.event_listener::<EventEntryAdded>().await.expect("complaints");
        let answers = self.page.event_listener::<EventResponseReceived>().await.expect("answers");
        let complaints = entries.filter_map(async |event| {
            let is_told =
                [LogEntryLevel::Warning, LogEntryLevel::Error].contains(&event.entry.level);
            is_told.then(|| event.entry.text.clone())
        });
        let pictures = answers.filter_map(async |event| {
            let answer = &event.response;
            let is_new = answer.from_disk_cache != Some(true);
            (is_new && answer.mime_type.starts_with("image/")).then(|| answer.url.clone())
        });
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let all = Arc::clone(&heard);
        tokio::spawn(stream::select(Box::pin(complaints), Box::pin(pictures)).for_each(
            move |text| {
                all.lock().expect("nobody panics").push(text);
                std::future::ready(())
            },
        ));
        heard
    }

    /// Saves a picture of what is in sight, if the environment variable `SCREENSHOTS` names a
    /// directory.
    pub async fn screenshot(&self, name: &str) {
        if let Some(dir) = env::var_os("SCREENSHOTS") {
            let path = Path::new(&dir).join(format!("{name}.png"));
            // A picture of the full page would reset the size that the page was given.
            let sight = ScreenshotParams::builder().full_page(false).build();
            self.page.save_screenshot(sight, path).await.expect("a screenshot");
        }
    }

    /// Chooses an option of a list, or ticks a box, and lets the page know.
    pub async fn set(&self, selector: &str, value: &str) {
        self.wait_for(selector).await;
        let script = format!(
            "(() => {{ const field = document.querySelector({selector:?});
               if (field.type === 'checkbox') field.checked = {value:?} === 'true';
               else field.value = {value:?};
               field.dispatchEvent(new Event('input', {{ bubbles: true }}));
               field.dispatchEvent(new Event('change', {{ bubbles: true }}));
               return true; }})()"
        );
        assert!(self.evaluate::<bool>(&script).await);
    }

    /// Runs a script, such as a library for checks, in the page.
    pub async fn run(&self, script: &str) {
        self.page.evaluate_expression(script).await.expect("the script runs");
    }
}

/// The number that old interfaces have for a key.
fn key_code(key: &str) -> Option<i64> {
    Some(match key {
        "Backspace" => 8,
        "Tab" => 9,
        "Enter" => 13,
        "Escape" => 27,
        " " => 32,
        "End" => 35,
        "Home" => 36,
        "ArrowLeft" => 37,
        "ArrowUp" => 38,
        "ArrowRight" => 39,
        "ArrowDown" => 40,
        _ => return None,
    })
}
