//! Shared by the tests of the page: opening it, touching points, waiting for a turn.

use fanorona_browser_tests::{Browser, Server, View};

/// A server, a browser and a page with this fragment of the address.
pub(crate) async fn open(fragment: &str) -> (Server, Browser, View) {
    let (server, browser) = (Server::start(), Browser::start().await);
    let view = browser.open(&server.page(fragment), 1280, 800).await;
    (server, browser, view)
}

/// The same with the modules of the page, each by itself.
pub(crate) async fn open_modules(fragment: &str) -> (Server, Browser, View) {
    let (server, browser) = (Server::start_with_modules(), Browser::start().await);
    let view = browser.open(&server.page(fragment), 1280, 800).await;
    (server, browser, view)
}

pub(crate) fn point(name: &str) -> String {
    format!("[data-point={name:?}]")
}

pub(crate) fn action(name: &str) -> String {
    format!("[data-action={name:?}]")
}

/// Waits until a person can move or the game is over, and says whether it is over.
pub(crate) async fn is_over(view: &View) -> bool {
    view.wait("['ready', 'over'].includes(document.body.dataset.state)").await;
    view.evaluate("document.body.dataset.state === 'over'").await
}

/// Chooses who plays the game on the board: `person`, or a level.
pub(crate) async fn set_players(view: &View, white: &str, black: &str) {
    view.wait("document.querySelector('#fold-players')").await;
    let _: bool = view.evaluate("document.querySelector('#fold-players').open = true").await;
    view.set("#player-white", white).await;
    view.set("#player-black", black).await;
}

/// The points that can be touched now.
pub(crate) async fn usable(view: &View) -> Vec<String> {
    view.evaluate("[...document.querySelectorAll('.point.usable')].map((p) => p.dataset.point)")
        .await
}

pub(crate) async fn position(view: &View) -> String {
    view.evaluate("document.body.dataset.position").await
}

/// Whether an element is in the window as a whole.
pub(crate) async fn in_sight(view: &View, selector: &str) -> bool {
    view.evaluate(&format!(
        "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect();
           return box.width > 0 && box.top >= 0 && box.left >= 0
             && box.right <= innerWidth + 0.5 && box.bottom <= innerHeight + 0.5; }})()"
    ))
    .await
}

/// How a person touches a point.
#[derive(Clone, Copy)]
pub(crate) enum Hand {
    Mouse,
    Keyboard,
    Finger,
}

impl Hand {
    pub(crate) async fn touch(self, view: &View, name: &str) {
        match self {
            Self::Mouse => view.click(&point(name)).await,
            Self::Finger => view.tap(&point(name)).await,
            Self::Keyboard => {
                walk_to(view, name).await;
                view.press("Enter").await;
            }
        }
    }

    pub(crate) async fn act(self, view: &View, name: &str, key: &str) {
        match self {
            Self::Mouse => view.click(&action(name)).await,
            Self::Finger => view.tap(&action(name)).await,
            Self::Keyboard => view.press(key).await,
        }
    }
}

/// Moves the focus on the board to a point with the arrow keys, which go by what is seen: a board
/// may be turned.
pub(crate) async fn walk_to(view: &View, name: &str) {
    let key = format!(
        "(() => {{
           const at = document.activeElement;
           if (!at.dataset.point) return 'Tab';
           const to = document.querySelector('[data-point=\"{name}\"]');
           const [from, goal] = [at, to].map((point) => point.getBoundingClientRect());
           const [across, down] = [goal.x - from.x, goal.y - from.y].map(Math.round);
           if (across !== 0) return across < 0 ? 'ArrowLeft' : 'ArrowRight';
           return down === 0 ? null : down < 0 ? 'ArrowUp' : 'ArrowDown'; }})()"
    );
    for _ in 0..200 {
        match view.evaluate::<Option<String>>(&key).await {
            Some(key) => view.press(&key).await,
            None => return,
        }
    }
    panic!("the arrow keys do not reach {name}");
}

/// A point that a person can touch to go on with a turn: where the stone goes, before another stone.
/// `None` if the turn can end.
pub(crate) async fn next_touch(view: &View) -> Option<String> {
    view.evaluate(
        "(() => {
           if (document.querySelector('[data-action=end-turn]')) return null;
           const points = [...document.querySelectorAll('.point.usable')]
             .map((point) => point.dataset.point);
           const free = points.filter((p) => !document.querySelector(`[data-stone=\"${p}\"]`));
           return free[0] ?? points[0]; })()",
    )
    .await
}

/// A page on which these play.
pub(crate) async fn with_players(
    fragment: &str,
    white: &str,
    black: &str,
) -> (Server, Browser, View) {
    let (server, browser, view) = open("board=3x3").await;
    let players = format!("{{\"players\":{{\"white\":{white},\"black\":{black}}}}}");
    view.run(&format!("localStorage.setItem('fanorona', {players:?})")).await;
    view.go_to(&server.page(fragment)).await;
    (server, browser, view)
}

/// A person as a player, as the browser keeps it.
pub(crate) const PERSON: &str = "\"person\"";

/// Plays a turn by its text.
pub(crate) async fn play(view: &View, turn: &str) {
    let before = position(view).await;
    view.wait("document.querySelector('#turn-text')?.disabled === false").await;
    view.run(&format!(
        "(() => {{ const field = document.querySelector('#turn-text'); field.value = {turn:?};
           field.form.requestSubmit(); }})()"
    ))
    .await;
    view.wait(&format!("document.body.dataset.position !== {before:?}")).await;
    view.wait("document.body.dataset.state !== 'loading'").await;
}

/// Clicks a button, wherever it is.
pub(crate) async fn press(view: &View, name: &str) {
    let button = action(name);
    view.wait(&format!("document.querySelector({button:?})?.disabled === false")).await;
    view.run(&format!("document.querySelector({button:?}).click()")).await;
}

/// Listens for the names of sounds.
pub(crate) async fn listen(view: &View) {
    view.run(
        "window.sounds = []; document.addEventListener('fanorona-sound',
           (event) => sounds.push(event.detail))",
    )
    .await;
}
