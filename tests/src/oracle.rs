//! A second implementation of the rules, slow and obvious, to compare the fast generators with.
//!
//! Points are pairs of coordinates, stones are hash sets of points, and every step copies the whole
//! game. It was written from the rules in words and shares no code with the crates: positions come in
//! as texts, turns and positions go out as texts, and of the crates' types only the fields of a
//! [`RuleSet`] are read.

use std::collections::HashSet;

use fanorona_core::{DirectionRule, NoTurns, Preset, RuleSet, Side};

/// File and rank, counted from 0.
type At = (i32, i32);

/// The change of file and rank by one step.
type Way = (i32, i32);

const WAYS: [Way; 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Stones on a board and the side to move.
#[derive(Clone, Debug)]
pub struct Game {
    width: i32,
    height: i32,
    white: HashSet<At>,
    black: HashSet<At>,
    to_move: Side,
}

/// A turn of a game.
#[derive(Clone, Debug)]
pub struct Played {
    /// The turn's text.
    pub text: String,
    /// The game after it.
    pub after: Game,
}

/// How a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It is not over.
    GoesOn,
    /// White has won.
    WhiteWon,
    /// Black has won.
    BlackWon,
    /// Neither side has won.
    Drawn,
}

/// The state after one ply of `steps`.
enum Ply {
    TurnOver(Game),
    InRelay(Relaying),
}

/// One step of a stone, with the stones it takes.
#[derive(Clone)]
struct Hop {
    from: At,
    to: At,
    way: Way,
    letter: &'static str,
    takes: Vec<At>,
}

/// A turn in the middle.
#[derive(Clone)]
struct Relaying {
    game: Game,
    at: At,
    been: Vec<At>,
    ways: Vec<Way>,
    text: String,
    /// Whether the last step captured.
    captures: bool,
    /// Whether the mover had captured nothing before this turn.
    first_capture: bool,
}

/// Which of the three kinds of play a turn follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Play {
    /// The vela's victor gives stones away.
    Giving,
    /// The vela's challenger takes them, one at a time.
    Taking,
    /// All else.
    Base,
}

impl Game {
    /// Reads the normal form of a position's text.
    pub fn read(text: &str) -> Self {
        let (ranks, side) = text.split_once(' ').expect("stones, then a side");
        let ranks: Vec<&str> = ranks.split('/').collect();
        let height = ranks.len() as i32;
        let (mut white, mut black) = (HashSet::new(), HashSet::new());
        let mut width = 0;
        for (i, rank) in ranks.into_iter().enumerate() {
            let mut file = 0;
            for c in rank.chars() {
                match c {
                    'W' | 'B' => {
                        let stones = if c == 'W' { &mut white } else { &mut black };
                        stones.insert((file, height - 1 - i as i32));
                        file += 1;
                    }
                    digit => file += digit.to_digit(10).expect("a digit") as i32,
                }
            }
            width = file;
        }
        let to_move = if side == "w" { Side::White } else { Side::Black };
        Self { width, height, white, black, to_move }
    }

    /// Writes the normal form of a position's text.
    pub fn text(&self) -> String {
        let mut ranks = Vec::new();
        for rank in (0..self.height).rev() {
            let points: String = (0..self.width)
                .map(|file| match (file, rank) {
                    at if self.white.contains(&at) => 'W',
                    at if self.black.contains(&at) => 'B',
                    _ => '.',
                })
                .collect();
            // Longest runs first, so that nines come first too.
            let digits = (1..=9usize).rev();
            let text = digits.fold(points, |text, n| text.replace(&".".repeat(n), &n.to_string()));
            ranks.push(text);
        }
        let side = if self.to_move == Side::White { "w" } else { "b" };
        format!("{} {side}", ranks.join("/"))
    }

    /// The legal turns.
    pub fn turns(&self, rules: &RuleSet) -> Vec<Played> {
        let mut turns = Vec::new();
        for hop in self.first_hops(rules) {
            self.begin(&hop).collect_turns(rules, self.play(rules), &mut turns);
        }
        turns
    }

    /// Whether the game has ended, and how.
    pub fn end(&self, rules: &RuleSet) -> End {
        let won = |side| if side == Side::White { End::WhiteWon } else { End::BlackWon };
        if self.white.is_empty() {
            End::BlackWon
        } else if self.black.is_empty() {
            End::WhiteWon
        } else if !self.turns(rules).is_empty() {
            End::GoesOn
        } else if rules.no_turns == NoTurns::Draw && !self.must_capture(rules) {
            End::Drawn
        } else {
            won(self.to_move.other())
        }
    }

    /// Whether a challenger of the vela moves who has lost if it cannot capture.
    fn must_capture(&self, rules: &RuleSet) -> bool {
        self.play(rules) == Play::Taking && rules.vela().is_some_and(|vela| vela.must_capture)
    }

    /// Sequences of turns.
    pub fn perft_turns(&self, rules: &RuleSet, depth: u8) -> u128 {
        if depth == 0 {
            return 1;
        }
        self.turns(rules).iter().map(|turn| turn.after.perft_turns(rules, depth - 1)).sum()
    }

    /// Sequences of turns, those of one node that lead to the same position once.
    pub fn perft_positions(&self, rules: &RuleSet, depth: u8) -> u128 {
        if depth == 0 {
            return 1;
        }
        let mut seen = HashSet::new();
        let mut count = 0;
        for turn in self.turns(rules) {
            if seen.insert(turn.after.text()) {
                count += turn.after.perft_positions(rules, depth - 1);
            }
        }
        count
    }

    /// Sequences of steps, stopping included where it is a choice.
    pub fn perft_steps(&self, rules: &RuleSet, depth: u8) -> u128 {
        if depth == 0 {
            return 1;
        }
        let play = self.play(rules);
        let plies = self.first_hops(rules).into_iter().map(|hop| self.begin(&hop));
        plies.map(|relay| relay.ply(rules, play).perft_steps(rules, play, depth - 1)).sum()
    }

    /// Distinct positions after `depth` turns.
    pub fn perft_unique(&self, rules: &RuleSet, depth: u8) -> u128 {
        let mut level = HashSet::from([self.text()]);
        for _ in 0..depth {
            let games = level.iter().map(|text| Self::read(text));
            level = games
                .flat_map(|game| game.turns(rules))
                .map(|played| played.after.text())
                .collect();
        }
        level.len() as u128
    }

    fn own(&self) -> &HashSet<At> {
        if self.to_move == Side::White { &self.white } else { &self.black }
    }

    fn enemy(&self) -> &HashSet<At> {
        if self.to_move == Side::White { &self.black } else { &self.white }
    }

    /// The point reached by the link from `at` this way, if there is one.
    fn neighbour(&self, at: At, way: Way) -> Option<At> {
        let to = (at.0 + way.0, at.1 + way.1);
        let on_board = (0..self.width).contains(&to.0) && (0..self.height).contains(&to.1);
        let diagonal = way.0 != 0 && way.1 != 0;
        let strong = (at.0 + at.1) % 2 == 0;
        (on_board && (strong || !diagonal)).then_some(to)
    }

    /// The unbroken line of enemy stones that starts at the neighbour of `at` this way.
    fn enemy_line(&self, at: At, way: Way) -> Vec<At> {
        let mut line = Vec::new();
        let mut last = at;
        while let Some(next) = self.neighbour(last, way).filter(|next| self.enemy().contains(next))
        {
            line.push(next);
            last = next;
        }
        line
    }

    /// Every step of the stone on `from`, whatever the rule set: once for approach, once for
    /// withdrawal, or once without a letter if it could take nothing.
    fn hops(&self, from: At) -> Vec<Hop> {
        let mut hops = Vec::new();
        for way in WAYS {
            let Some(to) = self.neighbour(from, way) else { continue };
            if self.white.contains(&to) || self.black.contains(&to) {
                continue;
            }
            let approach = self.enemy_line(to, way);
            let withdrawal = self.enemy_line(from, (-way.0, -way.1));
            if approach.is_empty() && withdrawal.is_empty() {
                hops.push(Hop { from, to, way, letter: "", takes: Vec::new() });
            }
            for (letter, takes) in [("A", approach), ("W", withdrawal)] {
                if !takes.is_empty() {
                    hops.push(Hop { from, to, way, letter, takes });
                }
            }
        }
        hops
    }

    fn play(&self, rules: &RuleSet) -> Play {
        let Some(vela) = rules.vela() else { return Play::Base };
        let victors = if vela.victor == Side::White { &self.white } else { &self.black };
        if victors.len() <= usize::from(vela.stones.unwrap_or(5)) {
            Play::Base
        } else if self.to_move == vela.victor {
            Play::Giving
        } else {
            Play::Taking
        }
    }

    /// The steps that a turn can begin with.
    fn first_hops(&self, rules: &RuleSet) -> Vec<Hop> {
        if self.white.is_empty() || self.black.is_empty() {
            return Vec::new();
        }
        let all: Vec<Hop> = self.own().iter().flat_map(|&at| self.hops(at)).collect();
        let (takes, quiet): (Vec<Hop>, Vec<Hop>) =
            all.into_iter().partition(|hop| !hop.takes.is_empty());
        match self.play(rules) {
            Play::Giving => {
                let mut hops = quiet;
                let mut seen = HashSet::new();
                for hop in takes {
                    // A step that could take both ways is still one step.
                    if seen.insert((hop.from, hop.to)) {
                        hops.push(Hop { letter: "", takes: Vec::new(), ..hop });
                    }
                }
                hops
            }
            Play::Taking => {
                let nearest = |hop: Hop| Hop { takes: vec![hop.takes[0]], ..hop };
                let must = rules.vela().is_some_and(|vela| vela.must_capture);
                let quiet = if must { Vec::new() } else { quiet };
                takes.into_iter().map(nearest).chain(quiet).collect()
            }
            Play::Base => {
                let stones = (self.white.len() + self.black.len()) as i32;
                let first_turn_of_game = stones == self.width * self.height - 1;
                let optional = matches!(rules.preset, Preset::FreeCapture | Preset::Vela(_));
                let mandatory = !optional || first_turn_of_game;
                if mandatory && !takes.is_empty() {
                    takes
                } else {
                    takes.into_iter().chain(quiet).collect()
                }
            }
        }
    }

    /// The turn that begins with this step.
    fn begin(&self, hop: &Hop) -> Relaying {
        let full = (self.width * self.height - 1) / 2;
        let relay = Relaying {
            game: self.clone(),
            at: hop.from,
            been: vec![hop.from],
            ways: Vec::new(),
            text: name(hop.from),
            captures: false,
            first_capture: self.enemy().len() as i32 == full,
        };
        relay.hop(hop)
    }

    fn passed(&self) -> Self {
        Self { to_move: self.to_move.other(), ..self.clone() }
    }
}

impl Relaying {
    /// The turn with one more step.
    fn hop(&self, hop: &Hop) -> Self {
        let mut next = self.clone();
        let (own, enemy) = match next.game.to_move {
            Side::White => (&mut next.game.white, &mut next.game.black),
            Side::Black => (&mut next.game.black, &mut next.game.white),
        };
        own.remove(&hop.from);
        own.insert(hop.to);
        for at in &hop.takes {
            enemy.remove(at);
        }
        next.at = hop.to;
        next.been.push(hop.to);
        next.ways.push(hop.way);
        next.text = format!("{}-{}{}", self.text, name(hop.to), hop.letter);
        next.captures = !hop.takes.is_empty();
        next
    }

    /// The steps with which the relay can go on.
    fn next_hops(&self, rules: &RuleSet, play: Play) -> Vec<Hop> {
        let first_is_single = rules.preset == Preset::FirstCaptureSingle;
        let single = play != Play::Base || (first_is_single && self.first_capture);
        if !self.captures || single {
            return Vec::new();
        }
        let mut hops = self.game.hops(self.at);
        hops.retain(|hop| {
            let repeats = match rules.direction {
                DirectionRule::NotTwiceRunning => self.ways.last() == Some(&hop.way),
                DirectionRule::Strict => self.ways.contains(&hop.way),
                DirectionRule::Free => false,
            };
            !hop.takes.is_empty() && !self.been.contains(&hop.to) && !repeats
        });
        hops
    }

    fn collect_turns(&self, rules: &RuleSet, play: Play, turns: &mut Vec<Played>) {
        let next = self.next_hops(rules, play);
        if next.is_empty() || rules.preset != Preset::ForcedRelay {
            turns.push(Played { text: self.text.clone(), after: self.game.passed() });
        }
        for hop in next {
            self.hop(&hop).collect_turns(rules, play, turns);
        }
    }

    fn ply(self, rules: &RuleSet, play: Play) -> Ply {
        if self.next_hops(rules, play).is_empty() {
            Ply::TurnOver(self.game.passed())
        } else {
            Ply::InRelay(self)
        }
    }
}

impl Ply {
    fn perft_steps(&self, rules: &RuleSet, play: Play, depth: u8) -> u128 {
        if depth == 0 {
            return 1;
        }
        match self {
            Self::TurnOver(game) => game.perft_steps(rules, depth),
            Self::InRelay(relay) => {
                let mut count = 0;
                for hop in relay.next_hops(rules, play) {
                    let ply = relay.hop(&hop).ply(rules, play);
                    count += ply.perft_steps(rules, play, depth - 1);
                }
                if rules.preset != Preset::ForcedRelay {
                    let stop = Self::TurnOver(relay.game.passed());
                    count += stop.perft_steps(rules, play, depth - 1);
                }
                count
            }
        }
    }
}

fn name(at: At) -> String {
    format!("{}{}", char::from(b'a' + at.0 as u8), at.1 + 1)
}
