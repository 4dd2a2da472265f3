//! The meaning of a rule set at a position.

use fanorona_core::{DirectionRule, NoTurns, Position, Preset, RuleSet};

use super::SlowGenerator;
use super::fault::Fault;

/// The steps that may be made without a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quiet {
    /// All.
    AnyStep,
    /// Those that cannot capture.
    Paikas,
    /// Those that cannot capture, if no other step can.
    WithoutCaptures,
    /// None.
    Never,
}

/// Everything that the side to move may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Play {
    pub quiet: Quiet,
    pub captures: bool,
    /// Whether only the nearest stone of a line is captured.
    pub nearest_only: bool,
    /// Whether a capturing turn ends after one step.
    pub one_step: bool,
    pub must_go_on: bool,
    pub direction: DirectionRule,
    /// Whether the game is drawn if it has no turn.
    pub blocked_draws: bool,
}

impl SlowGenerator<'_> {
    /// Reads the rule set, which no other part of the generator does.
    pub(super) fn play(&self, position: &Position) -> Play {
        let RuleSet { preset, direction, no_turns } = self.rules;
        let board = position.board();
        let full = (u32::from(board.width()) * u32::from(board.height()) - 1) / 2;
        let (own, enemies) = (position.own().len(), position.opponent().len());
        let is_first_turn = own + enemies == 2 * full;
        let has_captured = match () {
            () if self.has(Fault::OwnLosses) => own < full,
            () if self.has(Fault::AnyLosses) => !is_first_turn,
            () => enemies < full,
        };
        let begins = match () {
            () if self.has(Fault::FirstTurnFree) => false,
            () if self.has(Fault::FirstTurnsCapture) => enemies == full,
            () => is_first_turn,
        };
        let must_capture = match preset {
            Preset::Standard | Preset::FirstCaptureSingle | Preset::ForcedRelay => true,
            Preset::FreeCapture => begins,
            Preset::Vela(_) => begins || self.has(Fault::PhaseTwoCaptures),
        };
        let base = Play {
            quiet: if must_capture { Quiet::WithoutCaptures } else { Quiet::Paikas },
            captures: true,
            nearest_only: false,
            one_step: preset == Preset::FirstCaptureSingle && !has_captured,
            must_go_on: preset == Preset::ForcedRelay,
            direction,
            blocked_draws: no_turns == NoTurns::Draw,
        };
        let Preset::Vela(vela) = preset else { return base };
        let is_victor = position.to_move() == vela.victor;
        let is_phase_two =
            position.stones(vela.victor).len() <= u32::from(vela.stones.unwrap_or(5));
        if is_phase_two || is_victor && self.has(Fault::VictorCaptures) {
            base
        } else if is_victor {
            let is_shy = self.has(Fault::VictorAvoidsCaptures);
            let quiet = if is_shy { Quiet::Paikas } else { Quiet::AnyStep };
            Play { quiet, captures: false, ..base }
        } else {
            Play {
                quiet: if vela.must_capture { Quiet::Never } else { Quiet::Paikas },
                nearest_only: !self.has(Fault::ChallengerLines),
                one_step: !self.has(Fault::ChallengerRelays),
                blocked_draws: base.blocked_draws && !vela.must_capture,
                ..base
            }
        }
    }
}
