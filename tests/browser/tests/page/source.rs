//! The printed source's description of a page to play on: Stracke, *Fanorona for Android*.
//!
//! | point | test |
//! |---|---|
//! | stones that can move are marked, then the points they can go to | `a_turn_is_marked_step_by_step` |
//! | where there is a choice, the stones that approach or withdrawal would take | the same |
//! | footprints on the points visited in this turn | the same |
//! | "End turn" where a relay may stop, none where it must go on | the same, `a_relay_must_go_on_if_the_rules_say_so` |
//! | every touch can be undone and redone | `game::a_relay_with_a_choice_and_an_early_end` |
//! | a swipe to the left undoes, to the right redoes | `keep::a_finger_drags_stones_and_swipes_through_turns` |
//! | the end of the game is told | `game::a_whole_game_by_mouse` and the others |
//! | a click for each side, which can be switched off | `keep::persons_and_programs_…`, `sounds_can_be_switched_off` |
//! | one of several celebrations when the person wins, and only then | `keep::persons_and_programs_…` |
//! | a colour-blind view that takes effect at once | `settings::the_colour_blind_view_takes_effect_at_once` |
//! | who plays and who moves first | `the_program_plays_against_itself`, `black_moves_first` |

use crate::common::{PERSON, action, listen, play, point, press, with_players};
use crate::game::RELAY;

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_marked_step_by_step() {
    let (_server, browser, view) = with_players(RELAY, PERSON, PERSON).await;
    let has = |group: &str| format!("document.querySelector('{group} *') !== null");
    view.wait(&has(".movable")).await;
    assert!(!view.evaluate::<bool>(&has(".targets")).await);
    view.click(&point("d3")).await;
    view.wait(&has(".targets")).await;
    view.click(&point("e3")).await;
    view.wait(&has(".choice")).await;
    view.click(&point("f3")).await;
    view.wait(&has(".footprints")).await;
    view.wait_for(&action("end-turn")).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_must_go_on_if_the_rules_say_so() {
    let fragment = format!("{RELAY}&rules=forced-relay");
    let (_server, browser, view) = with_players(&fragment, PERSON, PERSON).await;
    for name in ["d3", "e3", "f3"] {
        view.click(&point(name)).await;
    }
    view.wait("document.querySelector('.footprints *') !== null").await;
    let end = format!("document.querySelector({:?}) !== null", action("end-turn"));
    assert!(!view.evaluate::<bool>(&end).await);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sounds_can_be_switched_off() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    press(&view, "sound").await;
    listen(&view).await;
    play(&view, "d3-e3A").await;
    assert_eq!(view.evaluate::<usize>("sounds.length").await, 0);
    press(&view, "sound").await;
    play(&view, "d4-d3A").await;
    assert_eq!(view.evaluate::<usize>("sounds.length").await, 1);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_plays_against_itself() {
    let (_server, browser, view) = with_players("board=9x5", "1", "2").await;
    press(&view, "resume").await;
    view.wait("location.hash.split(',').length > 2").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn black_moves_first() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    view.run("document.querySelector('input[name=first][value=black]').click()").await;
    press(&view, "new-game").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    browser.close().await;
}
