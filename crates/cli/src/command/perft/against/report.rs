//! The result of a comparison, as text and as JSON.

use fanorona_perft::compare::{Cause, Compare, Difference, DifferenceKind, ExtraTurn, Theme};
use serde::Serialize;

use crate::failure::Failure;
use crate::human::{counted, filled, grouped};
use crate::options::Root;
use crate::output::{Output, table};

/// The most turns of a kind that are printed as text.
const MAX_TURNS: usize = 8;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    root: Root,
    program: String,
    agrees: bool,
    suites: Suites,
    /// The depth to which the position was compared; 0 if it was not.
    depth: u8,
    /// The smallest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    /// More, if no known mistake explains them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Difference>,
    causes: Vec<Cause>,
}

/// The positions of the suites.
#[derive(Serialize)]
struct Suites {
    positions: usize,
    compared: usize,
    differ: usize,
    themes: Vec<Theme>,
}

impl Report {
    pub(super) fn new(root: Root, program: String, result: Compare) -> Self {
        let Compare { entries, answered, differ, themes, depth, differences, causes, .. } = result;
        let mut differences = differences.into_iter();
        let difference = differences.next();
        Self {
            root,
            program,
            agrees: difference.is_none(),
            others: differences.collect(),
            suites: Suites { positions: entries, compared: answered, differ, themes },
            depth,
            difference,
            causes,
        }
    }

    /// Prints the report as text.
    pub(super) fn print(&self, output: Output) {
        let Root { board, rules, .. } = self.root;
        output.text(format_args!("{board}, {rules}, against '{}'", self.program));
        self.print_suites(output);
        let Some(difference) = &self.difference else {
            if self.depth > 0 {
                let to = format!("agrees to depth {}", self.depth);
                output.text(format_args!("'{}' {to}", self.root.position));
            }
            return;
        };
        output.text(match self.others.len() {
            0 => "\nThe smallest position with a difference:\n".to_owned(),
            more => format!("\nThe {} smallest positions found with a difference:\n", more + 1),
        });
        print_difference(output, difference);
        self.others.iter().for_each(|other| print_difference(output, other));
        self.print_causes(output);
    }

    fn print_suites(&self, output: Output) {
        let Suites { positions, compared, differ, themes } = &self.suites;
        if *positions == 0 {
            return;
        }
        if *differ == 0 {
            let positions = counted(compared, "position");
            return output.text(format_args!("{positions} of the suites agree"));
        }
        let left_out = match positions - compared {
            0 => String::new(),
            left => format!(" ({} with very many turns left out)", grouped(left)),
        };
        let compared = counted(compared, "position");
        output.text(format_args!("{differ} of {compared} of the suites differ{left_out}\n"));
        let (mut wrong, right): (Vec<&Theme>, Vec<_>) =
            themes.iter().partition(|theme| theme.differ > 0);
        // The theme that fails most says most.
        wrong.sort_by_key(|theme| (theme.positions - theme.differ) * 1000 / theme.positions);
        let mut lines = table(&["theme", "positions", "differ"], &[0]);
        for Theme { name, positions, differ, .. } in &wrong {
            lines.add_row([name.clone(), grouped(positions), grouped(differ)]);
        }
        output.text(lines);
        if !right.is_empty() {
            output.text(format_args!("{} without a difference", counted(right.len(), "theme")));
        }
    }

    fn print_causes(&self, output: Output) {
        let Some(first) = self.causes.first() else {
            return output.text(filled(
                "No known mistake explains its wrong answers, and no two of them together.",
                0,
            ));
        };
        output.text(filled(&format!("Rule: {}.", first.rule), 0));
        let explains = if first.explained == first.answers {
            "That explains all its wrong answers, and no right one contradicts it.".to_owned()
        } else {
            format!(
                "That explains {} of its {} wrong answers, and no answer contradicts it.",
                grouped(first.explained),
                grouped(first.answers)
            )
        };
        output
            .text(filled(&format!("The program seems wrong here: {}. {explains}", self.does()), 0));
    }

    /// The program's mistake, in words.
    pub(super) fn does(&self) -> String {
        let texts: Vec<_> = self.causes.iter().map(|cause| cause.text.as_str()).collect();
        match texts.len() {
            0 => "no known mistake explains its answers".to_owned(),
            _ => format!("it {}", texts.join("; or it ")),
        }
    }

    /// A failure if the programs differ.
    pub(super) fn verdict(&self) -> anyhow::Result<()> {
        let Some(difference) = &self.difference else { return Ok(()) };
        let position = difference.position;
        let message = format!("the program differs at '{position}': {}", self.does());
        Err(Failure::Check(message).into())
    }

    /// The comparison in a line.
    pub(super) fn line(&self) -> String {
        let Self { root: Root { board, rules, .. }, suites, .. } = self;
        let positions = counted(suites.positions, "position");
        if self.agrees {
            return format!("{board}, {rules}: {positions} agree");
        }
        let Suites { compared, differ, .. } = suites;
        format!("{board}, {rules}: {differ} of {compared} positions differ: {}", self.does())
    }

    pub(super) fn agrees(&self) -> bool {
        self.agrees
    }
}

fn print_difference(output: Output, difference: &Difference) {
    let Difference { position, depth, kind, expected, found, missing, extra, after, .. } =
        difference;
    output.text(position.diagram());
    output.text(format_args!("\n{position}\n"));
    let (expected, found) = (grouped(expected), grouped(found));
    let at = if *depth > 1 { format!(" at depth {depth}") } else { String::new() };
    output.text(format_args!("right count{at}: {expected}; the program's: {found}"));
    if let Some(turn) = after {
        output.text(filled(
            &format!(
                "It differs below {turn}, but not if it is asked about the position after that \
                 turn: its own turn leads to another position."
            ),
            0,
        ));
    }
    if *kind == DifferenceKind::Sum {
        output.text(filled(
            "It counts the positions after each turn as expected, but not their sum.",
            0,
        ));
    }
    print_turns(output, "missing", missing);
    let in_words = |ExtraTurn { text, reason, .. }: &ExtraTurn| match reason {
        Some(reason) => format!("{text}\n    {}", filled(reason, 4)),
        None => text.clone(),
    };
    print_turns(output, "too many", &extra.iter().map(in_words).collect::<Vec<_>>());
    output.text("");
}

fn print_turns(output: Output, what: &str, turns: &[String]) {
    if turns.is_empty() {
        return;
    }
    output.text(format_args!("{what}:"));
    turns.iter().take(MAX_TURNS).for_each(|turn| output.text(format_args!("  {turn}")));
    if let Some(more) = turns.len().checked_sub(MAX_TURNS).filter(|more| *more > 0) {
        output.text(format_args!("  and {} more", grouped(more)));
    }
}
