//! `rules`: the names of rule sets and their options, which `help rules` shows too.

use clap::Args;

use crate::output::Output;

/// Explain the rule sets of --rules, and their options
#[derive(Debug, Args)]
#[command(hide = true, after_help = TOPIC)]
pub(crate) struct Rules {}

const TOPIC: &str = "\
--rules takes the name of a rule set, and options of it after a +, as in
  --rules forced-relay
  --rules standard+direction-free+no-turns-draw
  --rules vela+victor-black+stones-3

Names:
  standard              capturing is mandatory; a relay may stop
  first-capture-single  standard, but each side's first capture has one step
  forced-relay          standard, but a relay goes on while it can
  free-capture          standard, but capturing is optional, except on the first
                        turn of the game
  vela                  the game after a lost one: its victor may not capture
                        while it has more than 5 stones

Options of all:
  direction-strict      a relay takes no direction twice
  direction-free        a relay may take any direction, straight on too
  no-turns-draw         a side without a legal turn has drawn, not lost

Options of the vela:
  victor-black          Black is the victor, and not White
  stones-N              another number than 5; boards other than 9x5 need one
  must-capture          the challenger must capture, and loses if it cannot

The page crates/core/docs/RULES.md explains them with pictures.

Example:
  fanorona moves --rules standard+direction-free";

impl Rules {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        Output::Text.text(TOPIC);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::RuleSet;

    use super::TOPIC;

    /// The first words of the lines of a list.
    fn names(list: &str) -> Vec<&str> {
        let (_, behind) = TOPIC.split_once(&format!("\n{list}:\n")).expect("the list is there");
        let lines = behind.split("\n\n").next().expect("it has lines").lines();
        let words = lines.filter(|line| line.starts_with("  ") && !line.starts_with("    "));
        words.map(|line| line.split("  ").nth(1).expect("a name")).collect()
    }

    #[test]
    fn all_names_are_there() {
        assert_eq!(names("Names"), RuleSet::PRESETS.map(|rules| rules.to_string()));
        let options = [names("Options of all"), names("Options of the vela")];
        assert_eq!(options[0], RuleSet::STANDARD.options());
        assert_eq!(options.concat(), RuleSet::VELA.options());
    }
}
