//! An external engine as the opponent.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use fanorona_core::{Board, RuleSet};
use fanorona_explorer::{Explorer, ExternalEngine, Settings};
use fanorona_tests::scripted::Script;
use fanorona_ugi::client::{ProgramCommand, ProgramSettings};
use serde_json::{Value, json};

use crate::common::{Answer, ask, explorer_in, json_request, request};

/// A server with an engine of one process that follows a script.
fn server(script: &Script, name: Option<&str>) -> Arc<Explorer> {
    let mut settings =
        ProgramSettings::new(ProgramCommand::new(script.program(), script.arguments()));
    settings.timeout = Duration::from_secs(20);
    let engine = ExternalEngine::start(name, settings, 1, &AtomicBool::new(false));
    let mut settings = Settings::default();
    settings.opponents = 8;
    settings.engines = vec![Arc::new(engine.expect("it starts"))];
    explorer_in(None, &[], settings)
}

fn post(explorer: &Arc<Explorer>, body: &Value) -> Answer {
    ask(explorer, json_request("/api/v1/opponent", body.to_string()))
}

/// A request to an engine about the start of 9x5.
fn body(engine: &str) -> Value {
    json!({"turns": [], "engine": engine, "seconds": 0.05})
}

fn check(answer: &Answer, status: StatusCode, code: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.json()["error"]["code"], code);
}

#[test]
fn it_is_offered_and_plays() {
    let script = Script::player("first");
    let explorer = server(&script, None);
    let about =
        ask(&explorer, request(axum::http::Method::GET, "/api/v1/about").body("".into()).unwrap());
    assert_eq!(about.json()["engines"], json!([{"name": "first"}]));
    let (rules, mut position) = (RuleSet::STANDARD, Board::tsivy().start());
    let mut turns: Vec<String> = Vec::new();
    for _ in 0..6 {
        let answer = post(&explorer, &json!({"turns": turns, "engine": "first", "seconds": 0.05}));
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let answer = answer.json();
        let turn = &rules.turns(&position)[0];
        let text = turn.text(position.board()).to_string();
        assert_eq!((&answer["turn"], &answer["line"]), (&json!(text), &json!([text])));
        position = position.play_unchecked(turn);
        assert_eq!(answer["position"], position.to_string());
        assert_eq!((&answer["source"], &answer["value"]), (&Value::Null, &json!("unknown")));
        assert_eq!((&answer["estimate"], &answer["nodes"]), (&Value::Null, &json!(9)));
        assert_eq!(answer["note"], json!({"code": "says", "name": "first", "hundredths": 35}));
        turns.push(text);
    }
    assert_eq!(script.wrong(), None);
    // A finished game has no turn.
    let over = json!({"start": "9/9/2W6/9/9 b", "turns": [], "engine": "first"});
    check(&post(&explorer, &over), StatusCode::CONFLICT, "game_over");
}

#[test]
fn a_request_chooses_by_the_name_alone() {
    let script = Script::player("first");
    let explorer = server(&script, Some("The engine"));
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    for name in ["first", "", "the engine", "./engine", "sh -c true"] {
        check(&post(&explorer, &body(name)), unprocessable, "level_unavailable");
    }
    for (body, status) in [
        (json!({"turns": []}), 400),
        (json!({"turns": [], "level": 1, "engine": "The engine"}), 400),
        (json!({"turns": [], "engine": 1}), 400),
        (json!({"turns": [], "engine": "The engine", "command": "sh"}), 400),
        (json!({"turns": [], "engine": "The engine", "options": {"Hash": 1}}), 400),
    ] {
        let status = StatusCode::from_u16(status).unwrap();
        check(&post(&explorer, &body), status, "bad_body");
    }
    assert_eq!(post(&explorer, &body("The engine")).status, StatusCode::OK);
    // A level is played as before.
    assert_eq!(post(&explorer, &json!({"turns": [], "level": 1})).status, StatusCode::OK);
}

#[test]
fn games_that_it_does_not_know_are_refused() {
    let plain = Script::player("first");
    let explorer = server(&plain, None);
    for (board, rules) in [("5x5", "standard"), ("9x5", "free-capture")] {
        let body = json!({"board": board, "rules": rules, "turns": [], "engine": "first"});
        check(&post(&explorer, &body), StatusCode::UNPROCESSABLE_ENTITY, "level_unavailable");
    }
    let script = Script::new(
        "> ugi\n< id name x\n< option name Board type combo default 9x5 var 9x5 var 5x5\n\
         < ugiok\nplay first\n",
    );
    let explorer = server(&script, None);
    let game = |board: &str| {
        post(&explorer, &json!({"board": board, "turns": [], "engine": "x", "seconds": 0.05}))
    };
    assert_eq!(game("5x5").status, StatusCode::OK);
    assert_eq!(game("9x5").status, StatusCode::OK);
    check(&game("3x3"), StatusCode::UNPROCESSABLE_ENTITY, "level_unavailable");
}

/// Whatever the engine does, the answer comes in time, and the next request gets a new process.
#[test]
fn an_engine_that_fails_is_started_again_a_few_times() {
    let unavailable = StatusCode::SERVICE_UNAVAILABLE;
    for what in ["exit 3", "hang", "flood 0", "< bestmove a1-a9A\nhang", "< bestmove 0000\nhang"] {
        let script = Script::new(&format!(
            "> ugi\n< id name x\n< ugiok\n> isready\n< readyok\n> uginewgame\n> isready\n< readyok\n\
             > position *\n> isready\n< readyok\n> go movetime 50\n{what}\n"
        ));
        let explorer = server(&script, None);
        let began = Instant::now();
        for _ in 0..5 {
            check(&post(&explorer, &body("x")), unavailable, "engine_failed");
            if began.elapsed() > Duration::from_secs(4) {
                // Each turn waits for two seconds here.
                break;
            }
        }
        if what.starts_with("exit") {
            // It is not started a sixth time.
            let answer = post(&explorer, &body("x"));
            check(&answer, unavailable, "busy");
            assert!(answer.text().contains("has failed too often"), "{}", answer.text());
        }
        assert!(began.elapsed() < Duration::from_secs(30));
        // Others are not kept waiting.
        assert_eq!(post(&explorer, &json!({"turns": [], "level": 1})).status, StatusCode::OK);
        assert_eq!(script.wrong(), None);
    }
}

/// One process thinks about one turn at a time.
#[test]
fn requests_wait_for_each_other() {
    let answer = "> uginewgame\n> isready\n< readyok\n> position *\n> isready\n< readyok\n> go *\n\
                  sleep 300\n< bestmove d3-e3A\n";
    let script = Script::new(&format!(
        "> ugi\n< id name x\n< ugiok\n> isready\n< readyok\n{}",
        answer.repeat(3)
    ));
    let explorer = server(&script, None);
    let ask =
        |seconds: f64| post(&explorer, &json!({"turns": [], "engine": "x", "seconds": seconds}));
    let began = Instant::now();
    thread::scope(|scope| {
        let all: Vec<_> = (0..3).map(|_| scope.spawn(|| ask(5.0).status)).collect();
        for answer in all {
            assert_eq!(answer.join().unwrap(), StatusCode::OK);
        }
    });
    assert!(began.elapsed() >= Duration::from_millis(900));
    script.assert_done();
}

#[test]
fn who_waits_too_long_gets_an_error() {
    let script = Script::new(
        "> ugi\n< id name x\n< ugiok\n> isready\n< readyok\n> uginewgame\n> isready\n< readyok\n\
         > position *\n> isready\n< readyok\n> go movetime 5000\nsleep 2000\n< bestmove d3-e3A\n",
    );
    let explorer = server(&script, None);
    thread::scope(|scope| {
        let first = scope
            .spawn(|| post(&explorer, &json!({"turns": [], "engine": "x", "seconds": 5})).status);
        thread::sleep(Duration::from_millis(700));
        let answer = post(&explorer, &body("x"));
        check(&answer, StatusCode::SERVICE_UNAVAILABLE, "busy");
        assert!(answer.text().contains("is busy"), "{}", answer.text());
        assert_eq!(first.join().unwrap(), StatusCode::OK);
    });
}
