//! Progress on standard error: a line that changes on a terminal, and elsewhere a line each minute,
//! so that a log shows that the work goes on.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fanorona_tablebase::WorkProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, WeakProgressBar};

use crate::human::{rough_duration, whole_seconds};
use crate::output::{is_plain_terminal, message};

/// The time between two lines where standard error is not a terminal.
const PAUSE: Duration = Duration::from_secs(60);

/// A bar on standard error, if that is a terminal that can show it.
pub(crate) fn bar(length: Option<u64>) -> ProgressBar {
    let target = if is_plain_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    ProgressBar::with_draw_target(length, target)
}

/// A line on standard error that says what the program does, and for how long.
pub(crate) fn spinner(message: String) -> ProgressBar {
    spinner_within(message, None)
}

/// The same with the most seconds that the work may take: "5 s of 60 s".
pub(crate) fn spinner_within(message: String, most: Option<f64>) -> ProgressBar {
    line(message, move |elapsed| time_of(elapsed, most))
}

/// A line that says what the program does, how far it has come, and how long the rest takes.
/// `fraction` of the work is done, from 0 to 1.
pub(crate) fn measured(
    message: String,
    fraction: impl Fn() -> f64 + Clone + Send + Sync + 'static,
) -> ProgressBar {
    line(message, move |elapsed| part_and_rest(fraction(), elapsed))
}

/// A line with a message, and with what `more` says after the time that has passed.
fn line(
    message: String,
    more: impl Fn(Duration) -> String + Clone + Send + Sync + 'static,
) -> ProgressBar {
    let bar = bar(None).with_message(message);
    let style = ProgressStyle::with_template("{spinner} {msg}, {more}");
    let style = style.expect("the template is well formed");
    let shown = more.clone();
    bar.set_style(style.with_key("more", move |state: &ProgressState, to: &mut dyn fmt::Write| {
        // A line that cannot be shown does not end the work.
        let _ = to.write_str(&shown(state.elapsed()));
    }));
    bar.enable_steady_tick(Duration::from_millis(200));
    log_progress(&bar, move |bar| format!("{}, {}", bar.message(), more(bar.elapsed())));
    bar
}

/// The same for work on tables, with its progress.
pub(crate) fn of_tables(message: &str) -> (Arc<WorkProgress>, ProgressBar) {
    let done = Arc::new(WorkProgress::default());
    let fraction = done.clone();
    (done, measured(message.to_owned(), move || fraction.fraction()))
}

/// The part of the work that is done, and the time left if the rest goes on like it: "40 %, 2 min left".
fn part_and_rest(fraction: f64, elapsed: Duration) -> String {
    let percent = format!("{:.0} %", 100.0 * fraction);
    // The first seconds do not tell.
    if fraction < 0.01 || elapsed < Duration::from_secs(2) {
        return percent;
    }
    let left = elapsed.as_secs_f64() * (1.0 - fraction) / fraction;
    format!("{percent}, {} left", rough_duration(left))
}

fn time_of(taken: Duration, most: Option<f64>) -> String {
    let taken = whole_seconds(taken.as_secs_f64());
    match most {
        Some(most) => format!("{taken} of {}", whole_seconds(most)),
        None => taken,
    }
}

/// If the bar is not shown, because standard error is not a terminal: prints a line each minute until
/// the bar is finished or dropped.
pub(crate) fn log_progress(
    bar: &ProgressBar,
    describe: impl Fn(&ProgressBar) -> String + Send + 'static,
) {
    if bar.is_hidden() {
        let bar = bar.downgrade();
        // Without a thread there are no lines. The work itself needs none of them.
        let _ = thread::Builder::new()
            .name("progress".to_owned())
            .spawn(move || print_regularly(&bar, PAUSE, describe, message));
    }
}

/// Prints a line after each pause, until the bar is finished or dropped.
fn print_regularly(
    bar: &WeakProgressBar,
    pause: Duration,
    describe: impl Fn(&ProgressBar) -> String,
    print: impl Fn(String),
) {
    loop {
        thread::sleep(pause);
        match bar.upgrade() {
            Some(bar) if !bar.is_finished() => print(describe(&bar)),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

    use super::*;

    /// More than any machine needs.
    const LONG: Duration = Duration::from_secs(60);

    /// The lines that are printed about a bar. The channel closes when there will be no more.
    fn lines(bar: &ProgressBar) -> Receiver<String> {
        let (sender, lines) = channel();
        let bar = bar.downgrade();
        thread::spawn(move || {
            let describe =
                |bar: &ProgressBar| format!("{}, {}", bar.message(), time_of(bar.elapsed(), None));
            print_regularly(&bar, Duration::from_millis(5), describe, |line| {
                let _ = sender.send(line);
            });
        });
        lines
    }

    fn hidden(message: &str) -> ProgressBar {
        ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
            .with_message(message.to_owned())
    }

    #[test]
    fn lines_follow_the_work_until_it_ends() {
        for is_dropped in [false, true] {
            let bar = hidden("searching");
            let lines = lines(&bar);
            for _ in 0..3 {
                assert_eq!(lines.recv_timeout(LONG).as_deref(), Ok("searching, 0 s"));
            }
            bar.set_message("2 positions");
            let next = || lines.recv_timeout(LONG).expect("lines go on");
            // A line may have been on its way.
            assert!((0..10).any(|_| next() == "2 positions, 0 s"));
            if is_dropped {
                drop(bar);
            } else {
                bar.finish_and_clear();
            }
            let end = loop {
                match lines.recv_timeout(LONG) {
                    Ok(_) => {}
                    Err(end) => break end,
                }
            };
            assert_eq!(end, RecvTimeoutError::Disconnected, "the thread ends");
        }
    }

    #[test]
    fn the_time_left_follows_from_the_part_that_is_done() {
        for (fraction, seconds, text) in [
            (0.0, 100, "0 %"),
            (0.005, 100, "0 %"),
            (0.25, 1, "25 %"),
            (0.25, 60, "25 %, 3 min left"),
            (1.0, 60, "100 %, less than 1 s left"),
        ] {
            assert_eq!(part_and_rest(fraction, Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn the_first_line_comes_after_the_pause() {
        let bar = hidden("searching");
        let (sender, lines) = channel();
        let weak = bar.downgrade();
        thread::spawn(move || {
            print_regularly(&weak, LONG, ProgressBar::message, |line| drop(sender.send(line)));
        });
        let early = lines.recv_timeout(Duration::from_millis(100));
        assert_eq!(early, Err(RecvTimeoutError::Timeout));
    }
}
