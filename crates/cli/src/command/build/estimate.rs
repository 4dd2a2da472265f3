//! `build --estimate`: what a build would take.

use comfy_table::Row;
use fanorona_tablebase::Estimate;
use serde::Serialize;

use crate::output::{Output, table};

#[derive(Serialize)]
struct EstimateReport {
    stones: u32,
    positions: u64,
    memory: u64,
    /// Null if the system does not say.
    memory_available: Option<u64>,
    disk: u64,
    checkpoints: u64,
    /// Null if the system does not say.
    disk_available: Option<u64>,
    seconds: f64,
    slices: Vec<SliceEstimateReport>,
}

#[derive(Serialize)]
struct SliceEstimateReport {
    own: u8,
    opponent: u8,
    positions: u64,
    canonical: u64,
    there: bool,
}

/// Prints an estimate.
pub(super) fn print(output: Output, estimate: &Estimate) {
    let stones = estimate.goal.stones();
    let positions = estimate.slices.iter().map(|slice| slice.positions).sum();
    output.json(&report(stones, positions, estimate));

    let mut rows = table(&["slice", "positions", "up to symmetry", ""], &[0, 3]);
    for s in &estimate.slices {
        let there = if s.there { "there" } else { "missing" };
        let [positions, canonical] = [s.positions, s.canonical].map(|n| n.to_string());
        rows.add_row(Row::from([s.slice.to_string(), positions, canonical, there.to_owned()]));
    }
    output.text(format_args!("{}\n", rows.trim_fmt()));
    output.text(format_args!("stones     {stones}\npositions  {positions}"));
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let Estimate { memory, memory_available, disk, checkpoints, disk_available, .. } = *estimate;
    let has = |available: Option<u64>| match available {
        Some(available) => format!("{} MiB available", available >> 20),
        None => "how much is available is unknown".to_owned(),
    };
    output.text(format_args!("memory     {} MiB, {}", mib(memory), has(memory_available)));
    let meanwhile = match checkpoints {
        0 => String::new(),
        bytes => format!(" and meanwhile {} MiB for checkpoints", mib(bytes)),
    };
    let disk = mib(disk);
    output.text(format_args!("disk       {disk} MiB{meanwhile}, {}", has(disk_available)));
    output.text(format_args!("time       {} (rough)", duration(estimate.seconds)));
}

fn report(stones: u32, positions: u64, estimate: &Estimate) -> EstimateReport {
    let slices = estimate.slices.iter().map(|s| SliceEstimateReport {
        own: s.slice.own,
        opponent: s.slice.opponent,
        positions: s.positions,
        canonical: s.canonical,
        there: s.there,
    });
    EstimateReport {
        stones,
        positions,
        memory: estimate.memory,
        memory_available: estimate.memory_available,
        disk: estimate.disk,
        checkpoints: estimate.checkpoints,
        disk_available: estimate.disk_available,
        seconds: estimate.seconds,
        slices: slices.collect(),
    }
}

/// A time in words.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else if seconds < 90.0 * 60.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}
