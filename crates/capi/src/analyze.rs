//! Proof search.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_engine::inquiry::{DEFAULT_MEMORY, End, Inquiry, Means, SearchReport as Progress};
use fanorona_knowledge::{Assessment, Source};

use crate::boundary::exports;
use crate::game::{CPosition, GameHandle};
use crate::grow::{self, GrowingOutput, Grows};
use crate::know::sources;
use crate::pool::{ask, threads};
use crate::progress::{Listener, SearchReport, milliseconds};
use crate::stop::{StopHandle, flag_or};
use crate::tables::TablesHandle;
use crate::turn::CTurn;
use crate::value::CAssessment;

/// The limits and the sources of an analysis: `fanorona_analyze_options`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AnalyzeOptions {
    /// The size of the struct.
    pub struct_size: usize,
    /// The most positions; 0 is no limit.
    pub nodes: u64,
    /// The most time; 0 is no limit.
    pub milliseconds: u64,
    /// Bytes of memory for the search; 0 is the default.
    pub memory: u64,
    /// Threads; 0 is one.
    pub threads: u32,
    /// Always 0.
    pub reserved: u32,
    /// Hears of the progress.
    pub progress: Listener,
}

// SAFETY: integers and pointers that may be NULL, the size first.
unsafe impl Grows for AnalyzeOptions {}

/// The result of an analysis: `fanorona_analysis`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Analysis {
    /// The size of the struct.
    pub struct_size: usize,
    /// Positions searched.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The time taken.
    pub milliseconds: u64,
    /// The value, as far as it is known.
    pub assessment: CAssessment,
    /// Why the analysis ended.
    pub end: i32,
    /// Whether there is a turn.
    pub has_turn: i32,
    /// A turn that gets at least the lower bound.
    pub turn: CTurn,
}

// SAFETY: integers and structs of integers, the size first.
unsafe impl Grows for Analysis {}

exports! {
    /// Analyzes a position.
    fn fanorona_analyze(
        game: *const GameHandle,
        tables: *const TablesHandle,
        position: *const CPosition,
        options: *const AnalyzeOptions,
        stop: *const StopHandle,
        analysis: *mut Analysis,
    ) {
        let own_flag = AtomicBool::new(false);
        // SAFETY: all pointers are NULL or as the header says.
        let (known, position, options, stop, out) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            let options = grow::read(options, "options")?;
            (
                sources(game, tables, std::ptr::null())?,
                position,
                options,
                flag_or(stop, &own_flag)?,
                GrowingOutput::new(analysis, "analysis")?,
            )
        };
        grow::check_reserved(options.reserved, "options")?;
        let threads = threads(options.threads)?;
        let means = Means {
            nodes: grow::given(options.nodes),
            time: grow::given(options.milliseconds).map(Duration::from_millis),
            memory: Some(match options.memory {
                0 => DEFAULT_MEMORY,
                bytes => usize::try_from(bytes).unwrap_or(usize::MAX),
            }),
            threads: threads.get(),
            ..Means::default()
        };
        let mut inquiry = Inquiry::new(&known, means);
        let mut progress = |now: &Progress| {
            let report = SearchReport {
                struct_size: size_of::<SearchReport>(),
                nodes: now.nodes,
                table_hits: now.table_hits,
                milliseconds: milliseconds(now.elapsed),
                assessment: Assessment::new(now.bounds, Source::Search).into(),
                memory_filled: (1000.0 * now.memory_filled) as u32,
                depth: 0,
                estimate: 0,
                has_turn: 0,
                turn: CTurn::EMPTY,
            };
            // SAFETY: the search calls this closure from one thread.
            unsafe { options.progress.call(&report, stop) };
        };
        let answer = ask(&known, threads, || inquiry.ask(&position, stop, &mut progress))??;
        let (nodes, table_hits) = answer.nodes();
        out.write(Analysis {
            struct_size: 0,
            nodes,
            table_hits,
            milliseconds: milliseconds(answer.elapsed),
            assessment: answer.assessment().into(),
            end: match answer.end() {
                End::Proved => 0,
                End::Nodes => 2,
                End::Time => 3,
                // `End` is non-exhaustive.
                _ => 4,
            },
            has_turn: answer.best.is_some().into(),
            turn: answer.best.map_or(CTurn::EMPTY, |turn| CTurn::new(known.board(), &turn)),
        });
    }
}
