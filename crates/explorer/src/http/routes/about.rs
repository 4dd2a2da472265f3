//! The server, its boards, rules and limits.

use axum::extract::State;
use axum::http::HeaderMap;
use fanorona_core::{Board, RuleSet};
use fanorona_engine::Level;
use fanorona_knowledge::{Assessment, MAX_TURNS, Source};
use fanorona_proof::Certificate;
use serde::Serialize;
use utoipa::ToSchema;

use super::super::input::{GameParameters, MAX_BODY, Parameters};
use super::super::reply::{Answer, Freshness, Tag, json};
use super::super::state::{App, Work};
use crate::answer::{BoardAnswer, LevelNeeds};
use crate::library::{Contents, OpenVariant};
use crate::problem::Problem;
use crate::variant::Variant;

/// The contents and the limits of the server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutAnswer {
    /// The name of the program.
    name: &'static str,
    /// Its version.
    version: &'static str,
    /// The version of the API.
    api: &'static str,
    /// The sizes of all boards, the usual ones first.
    #[schema(value_type = Vec<String>)]
    boards: Vec<Board>,
    /// The names of the rule sets to which options can be added.
    #[schema(value_type = Vec<String>)]
    presets: &'static [RuleSet],
    /// The levels of the opponent, on the default board under the default rules.
    levels: Vec<LevelEntry>,
    /// The most that a request may ask for.
    limits: LimitsAnswer,
    /// The tables of the server, by the names of their files.
    tables: Vec<Contents>,
    /// The certificates of the server.
    books: Vec<BookEntry>,
}

/// A level of the opponent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LevelEntry {
    /// The number, from 1.
    number: u8,
    /// The name.
    name: String,
    /// The turns that it looks ahead. Null if they have no limit.
    #[schema(required)]
    depth: Option<u32>,
    /// The positions that it visits for a turn. Null if they have no limit.
    #[schema(required)]
    nodes: Option<u64>,
    /// The most by which it misjudges a position, in the unit of `estimate`.
    noise: u32,
    /// Whether it can be played on this board under these rules.
    available: bool,
    /// The files that it needs and that are not there. Null if it can be played.
    #[schema(required)]
    missing: Option<LevelNeeds>,
}

/// The most that a request may ask for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LimitsAnswer {
    /// The turns of a position that are listed.
    turns: usize,
    /// The bytes of a request's body.
    body_bytes: usize,
    /// The seconds of a search.
    search_seconds: f64,
    /// The searches at a time.
    searches: usize,
    /// The memory of a search, in MiB.
    search_memory_mib: usize,
    /// The seconds of the opponent's thought.
    opponent_seconds: f64,
}

/// A certificate.
#[derive(Debug, Serialize, ToSchema)]
struct BookEntry {
    /// The board.
    board: String,
    /// The rule set.
    rules: String,
    /// The position whose bounds it proves.
    position: String,
    /// The proved bounds of the position.
    #[serde(flatten)]
    proved: Assessment,
}

/// The contents and the limits of the server.
///
/// Version, boards, rule sets, levels of the opponent, limits, tables and certificates.
#[utoipa::path(get, path = "/api/v1/about", responses((status = 200, body = AboutAnswer)))]
pub(super) async fn about(State(app): App, _: Parameters) -> Answer {
    app.compute(|app| Ok(json(&AboutAnswer::new(app)?))).await
}

impl AboutAnswer {
    fn new(app: &Work<'_>) -> Result<Self, Problem> {
        let usual = [Board::tsivy(), Board::dimy(), Board::telo()];
        let others = Board::all().filter(|board| !usual.contains(board));
        let settings = &app.settings;
        let certificates = app.library.books().flat_map(|book| book.certificates());
        Ok(Self {
            name: "fanorona",
            version: env!("CARGO_PKG_VERSION"),
            api: "v1",
            boards: usual.into_iter().chain(others).collect(),
            presets: &RuleSet::PRESETS,
            levels: LevelEntry::all(&app.open(Variant::default())?),
            limits: LimitsAnswer {
                turns: MAX_TURNS,
                body_bytes: MAX_BODY,
                search_seconds: settings.search_time.as_secs_f64(),
                searches: settings.searches,
                search_memory_mib: settings.search_memory_mib,
                opponent_seconds: settings.opponent_time.as_secs_f64(),
            },
            tables: app.library.contents(),
            books: certificates.map(BookEntry::new).collect(),
        })
    }
}

impl BookEntry {
    fn new(certificate: &Certificate) -> Self {
        Self {
            board: certificate.board().to_string(),
            rules: certificate.rules().to_string(),
            position: certificate.position().to_string(),
            proved: Assessment::new(certificate.bounds(), Source::Proof),
        }
    }
}

impl LevelEntry {
    /// All levels in a game.
    fn all(open: &OpenVariant) -> Vec<Self> {
        let levels = Level::all().chain([Level::UNBEATABLE]);
        levels.map(|level| Self::new(open, level)).collect()
    }

    fn new(open: &OpenVariant, level: Level) -> Self {
        // Only the last level needs anything. What is damaged is missing too.
        let missing = match level {
            Level::UNBEATABLE => LevelNeeds::of(open),
            _ => None,
        };
        let handicap = level.handicap();
        Self {
            number: level.number(),
            name: level.name().to_owned(),
            depth: handicap.and_then(|handicap| handicap.depth),
            nodes: handicap.and_then(|handicap| handicap.nodes),
            noise: handicap.map_or(0, |handicap| handicap.noise),
            available: missing.is_none(),
            missing,
        }
    }
}

/// The levels of the opponent in a game.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelsAnswer {
    /// The levels, weakest first.
    levels: Vec<LevelEntry>,
}

/// The levels of the opponent in a game.
///
/// The last one needs files, which another board or other rules may lack.
#[utoipa::path(
    get, path = "/api/v1/levels",
    params(GameParameters),
    responses((status = 200, body = LevelsAnswer)),
)]
pub(super) async fn levels(State(app): App, parameters: Parameters) -> Answer {
    let answered = app.compute(move |app| {
        let levels = LevelEntry::all(&app.open(parameters.variant()?)?);
        Ok(json(&LevelsAnswer { levels }))
    });
    answered.await
}

/// A board.
///
/// Its points, links and start.
#[utoipa::path(
    get, path = "/api/v1/board",
    params(GameParameters),
    responses((status = 200, body = BoardAnswer)),
)]
pub(super) async fn board(request: HeaderMap, parameters: Parameters) -> Answer {
    let variant = parameters.variant()?;
    let tag = Tag::new(0, &["board", &variant.board.to_string(), &variant.rules.to_string()]);
    tag.answer(&request, Freshness::Exact, || Ok(json(&BoardAnswer::new(variant))))
}
