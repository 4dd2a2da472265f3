//! `play`: a game in the terminal, its input from a pipe.

use crate::{fanorona, refused, words};

/// Plays with these arguments and lines; what is printed.
fn play(args: &str, input: &str) -> String {
    let mut command = fanorona(["play"]);
    command.args(words(args)).write_stdin(input).current_dir(std::env::temp_dir());
    let output = command.assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

#[test]
fn a_game_is_won() {
    let args = "--position \"9/9/2W1B4/9/9 w\"";
    let printed = play(args, "c3-d3A\n");
    assert!(printed.contains("9x5, standard; the program plays at level 4 (club)"), "{printed}");
    assert!(printed.contains("white> "), "{printed}");
    assert!(printed.contains("the game is over: white has won\nturns: c3-d3A\n"), "{printed}");
}

#[test]
fn the_program_answers_and_turns_are_taken_back() {
    let printed = play("--board 3x3 --level 1", "1\nundo\nboard\nundo\nquit\n");
    assert!(printed.contains("black plays "), "{printed}");
    assert_eq!(printed.matches("BBB/B1W/WWW w\n").count(), 3, "{printed}");
    assert!(printed.contains("there is no turn to take back"), "{printed}");
    assert!(!printed.contains("turns: "), "all is taken back: {printed}");
}

#[test]
fn wrong_input_is_explained() {
    let printed = play("--board 3x3", "a1-a2\nxyz\n99\n0\n\nb1-b2A\nquit\n");
    assert_eq!(printed.matches("; 'help' lists the commands").count(), 4, "{printed}");
    assert!(printed.contains("there is no turn number 99: the turns are 1 to 4"), "{printed}");
    assert!(printed.contains("turns: b1-b2A "), "the game went on: {printed}");
}

#[test]
fn help_turns_and_hints_are_printed() {
    let printed = play("--board 5x5 --nodes 2000", "help\nturns\nhint\nresign\n");
    assert!(printed.contains("take back your last turn"), "{printed}");
    assert!(printed.contains("   1  "), "{printed}");
    assert!(printed.lines().any(|line| line.contains("hint ") && line.ends_with(")")), "{printed}");
    assert!(printed.contains("you resign: black wins"), "{printed}");
}

#[test]
fn the_end_of_the_input_is_no_error() {
    let printed = play("--board 3x3 --side black", "");
    assert!(printed.contains("white plays "), "{printed}");
    assert!(printed.contains("the input has ended, and the game has not"), "{printed}");
}

#[test]
fn the_program_plays_itself_under_every_rule_set() {
    for rules in [
        "standard",
        "forced-relay",
        "free-capture",
        "first-capture-single",
        "vela --victor-stones 5",
    ] {
        let args = format!("--board 5x5 --rules {rules} --self-play --level 2 --turns 4 --seed 3");
        let printed = play(&args, "");
        assert!(printed.contains("stopped after 4 turns, as asked"), "{printed}");
        assert_eq!(printed, play(&args, ""), "the same seed, the same game");
    }
}

#[test]
fn a_third_repetition_is_a_draw() {
    let args = "--board 5x5 --position \"B4/5/5/5/4W w\" --after";
    let turns = "e1-e2 a5-a4 e2-e1 a4-a5 e1-e2 a5-a4 e2-e1 a4-a5";
    let printed = play(&format!("{args} \"{turns}\""), "quit\n");
    let draw = "the game is a draw: the position has occurred three times";
    assert!(printed.contains(&format!("{draw}\nturns: {turns}\n")), "{printed}");
    let printed = play(&format!("{args} \"{turns}\" --no-threefold"), "quit\n");
    assert!(!printed.contains(draw), "{printed}");
}

#[test]
fn unusable_arguments_are_refused() {
    refused("play --level 9", 2, &["'9' is not a level: 1 (beginner) to 8 (full strength)"]);
    refused("play --time 0", 2, &["more than 0"]);
    refused("play --turns 0", 2, &["1 or more"]);
    refused("play --board 5x5 --tables no-such-directory", 2, &["no-such-directory"]);
    refused("play --self-play --side black", 2, &["--side"]);
}
